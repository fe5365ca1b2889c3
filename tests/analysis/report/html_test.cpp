// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/report/render.h"
#include "tests/analysis/report/sample_report.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using testing::cpu_with;
using ::testing::HasSubstr;
using testing::hostile_report;
using ::testing::Not;
using testing::sample_report;
using testing::trial_with;

// The histograms that the page's scripts draw.
json data_of(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=data>";
  const size_t from = html.find(begin) + begin.size();
  return json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(HtmlReport, HasEveryNumberInItsMarkup) {
  const std::string html = render_html(sample_report());

  // #1, by CPU: samples, min, avg, p50, p90, p99, p99.9 ... max, overflows.
  EXPECT_THAT(html, HasSubstr("<tr><th scope=row>0</th><td>100</td><td>37</td><td>42.6</td>"
                              "<td>40</td><td>40</td><td>60</td><td class=coarse>140</td>"));
  // #8: a thread that never ran has no numbers, not zeros.
  EXPECT_THAT(html, HasSubstr("<tr><th scope=row>1</th><td>0</td>"
                              "<td><span class=unknown>unknown</span></td>"));
  EXPECT_THAT(html, HasSubstr("<th scope=row>hackbench</th><td>1,200,002</td>"
                              "<td class=text>messages</td><td>100,000</td><td>4.9</td>"));
  EXPECT_THAT(html, HasSubstr("Kernel panic - not syncing: VFS"));
  EXPECT_THAT(html, HasSubstr("trials/2/outlier/trace.dat"));
}

TEST(HtmlReport, KeepsTheBucketsOfUsableTrialsOnly) {
  const json data = data_of(render_html(sample_report()));

  // 37x1 40x90 60x8 140x1, each latency as the distance from the one before.
  EXPECT_EQ(data.at("trials").at(0).at("cpus").at(0).at("counts"),
            json::parse("[37, 1, 3, 90, 20, 8, 80, 1]"));
  EXPECT_TRUE(data.at("trials").at(3).at("cpus").empty());  // INVALID
}

TEST(HtmlReport, SmallDifferencesHaveSimilarColours) {
  RunReport report;
  report.trials = {trial_with(1, {{"load", "idle"}}, {cpu_with(0, {{100, 1}})}),
                   trial_with(2, {{"load", "cpu"}}, {cpu_with(0, {{200, 1}})})};

  // A factor of 2 on a scale whose ends are at least a factor of 4 apart.
  EXPECT_THAT(render_html(report), HasSubstr("<td class=\"cell measured\" style=\"--heat:50%\">"));
}

TEST(HtmlReport, AsksNothingOfTheNetwork) {
  const std::string html = render_html(sample_report());

  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("https://")));
  EXPECT_THAT(html, Not(HasSubstr("src=")));
  EXPECT_THAT(html, Not(HasSubstr("url(")));
  EXPECT_THAT(html, Not(HasSubstr("@import")));
}

TEST(HtmlReport, HostileTextIsNoMarkup) {
  const std::string html = render_html(hostile_report());

  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("&lt;/script&gt;&lt;script&gt;alert(1)"));
  EXPECT_THAT(data_of(html).at("factors").back().at("name").get<std::string>(),
              ::testing::StartsWith("</script><script>alert(1)"));
}

TEST(HtmlReport, OfFiveHundredTrialsStaysUsable) {
  RunReport report;
  for (int id = 1; id <= 500; ++id) {
    std::vector<CpuResult> cpus;
    for (int cpu = 0; cpu < 4; ++cpu) {
      cpus.push_back(cpu_with(cpu, {}, 20'000));
      for (int64_t us = 10; us < 160; ++us) cpus.back().histogram.add(Latency(us), 1000 / us);
    }
    report.trials.push_back(trial_with(id, {{"load", "idle"}}, cpus));
  }

  // 150 buckets x 4 CPUs x 500 trials at some five bytes each, and the markup.
  EXPECT_LT(render_html(report).size(), 4'000'000u);
}

}  // namespace
}  // namespace rtsweep
