// SPDX-License-Identifier: GPL-2.0-or-later

// Outliers of real kernels: seen, kept, exact, and explained.

#include "runner/base/command.h"

#include <algorithm>
#include "tests/integration/vm/vm_run.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::VmRun;

json capture_of(const std::filesystem::path& run, const json& trial) {
  return json::parse(
      read_file(run / trial.at("directory").get<std::string>() / "capture.json").value());
}

uint64_t samples_past(const json& trial, int64_t breakpoint_us) {
  uint64_t samples = 0;
  for (const json& histogram : trial.at("histograms")) {
    for (const json& bucket : histogram.at("counts")) {
      if (bucket.at(0).get<int64_t>() > breakpoint_us) samples += bucket.at(1).get<uint64_t>();
    }
  }
  return samples;
}

double sum_of_segments(const json& explanation) {
  double sum_us = 0;
  for (const json& segment : explanation.at("segments")) {
    sum_us += segment.at("length_us").get<double>();
  }
  return sum_us;
}

// 10 s at 997 us are 10,030 cycles. The histogram ends at 280 us: what is beyond is
// exact all the same, as each such sample is a hit.
TEST_F(VmRun, KeepsTheTraceOfOutliersAndMeasuresOn) {
  ASSERT_EQ(run(R"(
name = "outliers"
target = "vm"
clock = "virtual"
[measure]
duration = "10s"
histogram_us = 280
breakpoint_us = 250
[factors]
kernel = ["6.1-rt", "6.12-rt"]
arch = ["arm64"]
load = ["hackbench"]
[capture]
keep_first = 10
keep_worst = 40
)",
                "outliers"),
            0)
      << log();

  for (const json& trial : report("outliers").at("trials")) {
    const json capture = capture_of(path("outliers"), trial);
    EXPECT_EQ(capture.at("method"), "trigger");
    EXPECT_TRUE(capture.at("proved").get<bool>());
    EXPECT_GE(trial.at("samples").get<int>(), 10'025) << "the planned cycles";
    // Each sample past the breakpoint is a hit, and the tail is whole.
    EXPECT_EQ(samples_past(trial, 250), capture.at("hits").size());
    EXPECT_GE(capture.at("hits").size(), 50u);
    EXPECT_GE(trial.at("outliers").size(), 10u);
    for (const json& outlier : trial.at("outliers")) {
      EXPECT_GT(outlier.at("latency_us").get<int>(), 250);
      EXPECT_FALSE(outlier.at("cause").is_null());
      const auto opened = SystemCommands().run(
          {"trace-cmd", "report", "-i", path("outliers") / outlier.at("trace").get<std::string>()});
      ASSERT_TRUE(opened) << opened.error().message();
      EXPECT_THAT(*opened, HasSubstr("rtsweep: hit latency threshold"));
    }
  }
}

// The segments of each explanation add up to what cyclictest printed, within 2 us or 1 %.
TEST_F(VmRun, ExplainsOutliersWithSegmentsThatAddUp) {
  ASSERT_EQ(run(R"(
name = "explained"
target = "vm"
clock = "virtual"
[measure]
duration = "3s"
breakpoint_us = 200
[factors]
kernel = ["6.12-rt"]
arch = ["armhf", "amd64"]
load = ["hackbench"]
)",
                "explained"),
            0)
      << log();

  for (const json& trial : report("explained").at("trials")) {
    const auto directory = path("explained") / trial.at("directory").get<std::string>();
    const json file = json::parse(read_file(directory / "explanations.json").value());
    const json& explanations = file.at("explanations");
    ASSERT_FALSE(explanations.empty());
    ASSERT_EQ(explanations.size(), trial.at("outliers").size());
    for (size_t i = 0; i < explanations.size(); ++i) {
      const double latency_us = trial.at("outliers").at(i).at("latency_us").get<double>();
      EXPECT_NEAR(sum_of_segments(explanations[i]), latency_us, std::max(2.0, latency_us / 100));
    }
  }
}

// Where the kernel cannot see outliers itself, as on 32-bit 6.1, cyclictest ends at each and
// is started again until it has measured its time.
TEST_F(VmRun, MeasuresItsTimeInPartsWhereTheProbeEndsAtOutliers) {
  ASSERT_EQ(run(R"(
name = "parts"
target = "vm"
clock = "virtual"
[measure]
duration = "2s"
breakpoint_us = 190
[factors]
kernel = ["6.1-rt"]
arch = ["armhf"]
load = ["hackbench"]
[capture]
stacks = false
)",
                "parts"),
            0)
      << log();

  const json trial = report("parts").at("trials").at(0);
  const json capture = capture_of(path("parts"), trial);
  EXPECT_EQ(capture.at("method"), "break");
  EXPECT_THAT(capture.at("why").get<std::string>(), HasSubstr("32 bits"));
  EXPECT_GE(trial.at("samples").get<int>(), 2'001);
  EXPECT_EQ(samples_past(trial, 190), capture.value("hits", json::array()).size());
}

}  // namespace
}  // namespace rtsweep
