// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/report/render.h"
#include "runner/base/child_process.h"
#include "tests/analysis/report/sample_report.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::hostile_report;
using ::testing::IsEmpty;
using testing::sample_report;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string read(const std::filesystem::path& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

// The page with the probe's listeners before its scripts and the probe itself behind.
std::string with_probe(std::string page) {
  const std::string probe = read(RTSWEEP_SOURCE_DIR "/tests/analysis/report/page_probe.js");
  page.insert(page.find("<title>"), "<script>" + probe + "</script>");
  return page + "<script>probe();</script>";
}

// Shows pages in frames of given widths, and keeps what each one sends.
std::string frames_of(const std::vector<std::pair<std::string, int>>& pages) {
  std::string html =
      "<!doctype html><pre id=seen></pre><script>const all = {};"
      "addEventListener('message', (event) => {"
      "  for (const frame of document.querySelectorAll('iframe'))"
      "    if (frame.contentWindow === event.source) all[frame.name] = event.data;"
      "  seen.textContent = encodeURIComponent(JSON.stringify(all)); });</script>";
  for (const auto& [page, width] : pages) {
    html += "<iframe name=\"" + page + std::to_string(width) + "\" src=\"" + page +
            ".html\" style=\"border:0;height:900px;width:" + std::to_string(width) +
            "px\"></iframe>";
  }
  return html;
}

std::string percent_decoded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
    } else {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
  }
  return out;
}

class HtmlPage : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "rtsweep-page.XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    dir_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  // What the pages of that directory show in a browser; empty when there is none.
  json look_at(const std::vector<std::pair<std::string, int>>& pages, bool dark) {
    std::ofstream(dir_ / "frames.html") << frames_of(pages);
    const auto out = dir_ / "dom.html";  // a child's output is appended
    std::filesystem::remove(out);
    std::vector<std::string> argv = {"chromium",
                                     "--headless",
                                     "--no-sandbox",
                                     "--disable-gpu",
                                     "--no-first-run",
                                     "--disable-background-networking",
                                     "--disable-component-update",
                                     "--disable-sync",
                                     "--virtual-time-budget=5000",
                                     "--user-data-dir=" + (dir_ / "profile").string(),
                                     "--dump-dom",
                                     "file://" + (dir_ / "frames.html").string()};
    if (dark) argv.insert(argv.begin() + 1, "--blink-settings=preferredColorScheme=0");
    auto browser = ChildProcess::start(argv, {.output = out, .errors = dir_ / "browser.log"});
    if (!browser) return {};
    const auto ended = browser->wait(60s);
    EXPECT_TRUE(ended && *ended) << "the browser does not end";
    const std::string dom = read(out);
    const size_t begin = dom.find("<pre id=\"seen\">") + 15;
    EXPECT_NE(begin, 14u) << read(dir_ / "browser.log");
    const json seen = json::parse(
        percent_decoded(dom.substr(begin, dom.find("</pre>", begin) - begin)), nullptr, false);
    EXPECT_FALSE(seen.is_discarded()) << "the pages sent nothing: " << read(dir_ / "browser.log");
    return seen;
  }

  void page(const std::string& name, const RunReport& report) {
    std::ofstream(dir_ / (name + ".html")) << with_probe(render_html(report));
  }

  std::filesystem::path dir_;
};

void expect_no_trouble(const json& seen) {
  EXPECT_THAT(seen.at("errors"), IsEmpty());
  EXPECT_EQ(seen.at("alerts"), 0);
  EXPECT_EQ(seen.at("images"), 0);
  EXPECT_EQ(seen.at("scripts"), 4);  // data, page, and the two of the probe
  EXPECT_EQ(seen.at("badPaths"), 0);
  EXPECT_LE(seen.at("scrollWidth"), seen.at("width"));
  EXPECT_THAT(seen.at("outside"), IsEmpty());
}

// See sample_report.h for the samples.
void expect_the_numbers_of_the_sample(const json& seen) {
  EXPECT_EQ(seen.at("rows"), json::parse(R"([
      ["6.1-rt", "arm64", "140p99.9 140", "208*+p99.9 208"],
      ["6.1-rt", "armhf", "65+p99.9 65", "INVALID"],
      ["6.12-rt", "arm64", "90+p99.9 90", "ERROR"],
      ["6.12-rt", "armhf", "unfinished", "n/a"],
      ["6.1", "arm64", "3,368+p99.9 unknown", "INVALID"]])"));
  EXPECT_THAT(seen.at("panels"), ElementsAre("idle virtual time", "hackbench virtual time"));
  EXPECT_THAT(seen.at("lines"),
              ElementsAre("6.1-rt arm64max 140, n 200 in 2 trials", "6.1-rt armhfmax 65, n 100",
                          "6.12-rt arm64max 90, n 100", "6.1 arm64max 3,368, 2 past 1,000, n 100",
                          "6.1-rt arm64max 208, n 100"));
  EXPECT_EQ(seen.at("paths"), 11);  // five lines in two plots, and one past its histogram
  EXPECT_THAT(seen.at("limits"), Contains("limit 150"));
  EXPECT_THAT(seen.at("squares"), SizeIs(10));
  EXPECT_THAT(seen.at("squares"),
              Contains("#2 6.1-rt arm64, hackbench, repetition 1: FAIL, max 208 µs"));
  EXPECT_THAT(seen.at("squares"), Contains("#4 6.1-rt armhf, hackbench, repetition 1: INVALID"));
}

// One step right of the first sample (37): of #1 and #9 together 50 are at 38 us, and
// all 200 but that one at 37 are at or above it.
void expect_the_cursor_to_read(const json& seen) {
  EXPECT_EQ(seen.at("tip").at(0).at(0), "38 µs");
  EXPECT_EQ(seen.at("tip").at(1), json::parse(R"(["6.1-rt arm64", "50", "199", "99.5 %"])"));
  // #7 has two samples past 1000 us: how many of them reach its maximum is not known.
  EXPECT_EQ(seen.at("tipAtEnd").at(0).at(0), "3,368 µs");
  EXPECT_EQ(seen.at("tipAtEnd").at(4),
            json::parse(R"(["6.1 arm64", "unknown", "≤ 2", "≤ 2.00 %"])"));
}

void expect_filters_to_work(const json& seen) {
  EXPECT_THAT(seen.at("filtered").at("trials"), ElementsAre(1, 9));
  EXPECT_THAT(seen.at("filtered").at("lines"),
              ElementsAre("6.1-rt arm64max 140, n 200 in 2 trials"));
  EXPECT_EQ(seen.at("filtered").at("squares"), 2);
  EXPECT_THAT(seen.at("again").at("trials"), SizeIs(10));
  EXPECT_THAT(seen.at("failed").at("trials"), ElementsAre(2));
  EXPECT_THAT(seen.at("unfailed").at("trials"), SizeIs(10));
  EXPECT_THAT(seen.at("chosen").at("trials"), ElementsAre(2, 4, 6, 8));  // load = hackbench
  EXPECT_EQ(seen.at("chosen").at("focus"), "load");
}

TEST_F(HtmlPage, ShowsTheRightNumbersWideAndNarrowLightAndDark) {
  page("sample", sample_report());
  page("hostile", hostile_report());

  for (const bool dark : {false, true}) {
    const json seen = look_at({{"sample", 1280}, {"sample", 400}, {"hostile", 400}}, dark);
    if (seen.is_null()) GTEST_SKIP() << "needs chromium";

    ASSERT_THAT(seen, SizeIs(3));
    for (const json& frame : seen) expect_no_trouble(frame);
    for (const char* name : {"sample1280", "sample400"}) {
      expect_the_numbers_of_the_sample(seen.at(name));
      expect_the_cursor_to_read(seen.at(name));
      expect_filters_to_work(seen.at(name));
      EXPECT_EQ(seen.at(name).at("background"), dark ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)");
    }
  }
}

// A window of 100 us with a latency of 40 us from 0 on: hog until 30, then the late thread.
RunReport report_with_timeline(const std::string& name) {
  RunReport report = sample_report();
  TimelinePicture picture{.headline = "Late because of " + name,
                          .begin_ns = -20'000,
                          .end_ns = 80'000,
                          .latency_ns = 40'000,
                          .cpu = 0};
  picture.rows = {
      {.cpu = 0,
       .blocks =
           {{.begin_ns = -20'000, .end_ns = 30'000, .name = name, .priority = "RT priority 95"},
            {.kind = BlockKind::kHardIrq, .begin_ns = 0, .end_ns = 1'000, .name = "timer"},
            {.begin_ns = 30'000, .end_ns = 60'000, .name = "late-7", .victim = true}}},
      {.cpu = 3,
       .blocks = {
           {.kind = BlockKind::kIdle, .begin_ns = -20'000, .end_ns = 80'000, .name = "idle"}}}};
  picture.segments = {{0, 40'000, "higher priority: " + name}};
  report.trials[0].outliers = {{.latency_us = 40, .cpu = 0, .cause = "cause"}};
  report.trials[0].timelines = {picture};
  return report;
}

TEST_F(HtmlPage, DrawsTimelinesThatZoomAndPan) {
  page("timeline", report_with_timeline("hog-55"));
  page("hostile", report_with_timeline(testing::kHostile));

  const json seen = look_at({{"timeline", 1280}, {"hostile", 400}}, false);
  if (seen.is_null()) GTEST_SKIP() << "needs chromium";

  for (const json& frame : seen) {
    EXPECT_THAT(frame.at("errors"), IsEmpty());
    EXPECT_EQ(frame.at("alerts"), 0);
    EXPECT_EQ(frame.at("images"), 0);
  }
  const json& timeline = seen.at("timeline1280").at("timeline");
  EXPECT_THAT(timeline.at("rows"), ElementsAre("CPU 0", "CPU 3"));
  EXPECT_THAT(timeline.at("names"), ElementsAre("hog-55", "late-7", "idle"));
  EXPECT_THAT(timeline.at("latency"), ElementsAre("latency 40.0 µs"));
  // Cut where it does not fit: what is out of sight is drawn narrow at first.
  EXPECT_THAT(timeline.at("segments"), ElementsAre(StartsWith("higher pri")));
  EXPECT_EQ(timeline.at("tip"), "hog-55task, RT priority 9550.0 µs, from -20.0 µs");
  // Zoomed in around 30 us, 5 to 55 us are shown: 25 us of the late thread in 50 us.
  EXPECT_NEAR(timeline.at("lateZoomed"), 25.0 / 50 * 100 / 30 * timeline.at("late").get<double>(),
              2);
  EXPECT_EQ(timeline.at("latePanned"), 0);
  EXPECT_EQ(timeline.at("lateAgain"), timeline.at("late"));
}

TEST_F(HtmlPage, HoldsOnlyTheWorstTimelines) {
  RunReport report = report_with_timeline("hog-55");
  TrialResult& trial = report.trials[0];
  const auto picture = trial.timelines[0];
  for (int64_t latency = 100; latency < 130; ++latency) {
    trial.outliers.push_back({.latency_us = latency, .cpu = 0});
    trial.timelines.push_back(picture);
  }

  const std::string html = render_html(report);

  size_t count = 0;
  for (size_t at = 0; (at = html.find("<div data-timeline=", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_EQ(count, 12u);
  EXPECT_THAT(html, HasSubstr("<div data-timeline=30>"));  // 129 us
  EXPECT_THAT(html, ::testing::Not(HasSubstr("<div data-timeline=0>")));
}

TEST_F(HtmlPage, OfManyTrialsOrNoneRunsWithoutErrors) {
  RunReport many = sample_report();
  const std::vector<TrialResult> ten = many.trials;
  while (many.trials.size() < 500) {
    for (TrialResult trial : ten) {
      trial.id = static_cast<int>(many.trials.size()) + 1;
      trial.repetition = trial.id;
      many.trials.push_back(trial);
    }
  }
  page("many", many);
  page("none", RunReport{});

  const json seen = look_at({{"many", 1280}, {"none", 400}}, false);
  if (seen.is_null()) GTEST_SKIP() << "needs chromium";

  for (const json& frame : seen) expect_no_trouble(frame);
  EXPECT_THAT(seen.at("many1280").at("squares"), SizeIs(500));
  EXPECT_THAT(seen.at("none400").at("squares"), IsEmpty());
}

}  // namespace
}  // namespace rtsweep
