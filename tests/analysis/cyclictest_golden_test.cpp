// SPDX-License-Identifier: GPL-2.0-or-later

// What cyclictest 1.5, 2.4, 2.6 and 2.10 really write. The numbers below are copied from
// the files by eye.

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/analysis/cyclictest_files.h"

namespace rtsweep {
namespace {

using testing::golden;
using testing::runs_in;
using testing::text_of;

// The only run in the file.
CyclictestRun run_in(const std::string& name) {
  auto runs = runs_in(golden(name));
  if (runs.size() == 1) return std::move(runs.front());
  ADD_FAILURE() << name << " has " << runs.size() << " runs";
  return {};
}

uint64_t counted(const CyclictestThread& thread) {
  uint64_t sum = 0;
  for (const auto& [latency, times] : thread.histogram) sum += times;
  return sum;
}

class GoldenFile : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenFile, IsReadAndAddsUp) {
  const CyclictestRun run = run_in(GetParam());

  ASSERT_FALSE(run.threads.empty());
  for (const CyclictestThread& thread : run.threads) {
    ASSERT_TRUE(thread.cycles);
    if (thread.overflows) {
      EXPECT_EQ(counted(thread) + *thread.overflows, *thread.cycles);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cyclictest, GoldenFile,
    ::testing::Values("1.5-histofall.txt", "1.5-summary.txt", "2.10-all-overflow.txt",
                      "2.10-histofall.json", "2.10-histofall-one-thread.txt", "2.10-histofall.txt",
                      "2.10-no-histogram.json", "2.10-no-histogram.txt", "2.4-all-overflow.json",
                      "2.4-breaktrace.txt", "2.4-live.txt", "2.4-nanoseconds-histogram.json",
                      "2.4-nanoseconds.json", "2.4-nanoseconds.txt", "2.4-never-ran.json",
                      "2.4-never-ran-summary.txt", "2.4-never-ran.txt", "2.4-spikes.txt",
                      "2.4-two-threads.json", "2.4-two-threads.txt", "2.4-verbose.txt",
                      "2.6-two-threads.json", "2.6-two-threads.txt"));

class GoldenPair : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenPair, SaysTheSameAsJsonAndAsText) {
  const CyclictestRun json = run_in(GetParam() + ".json");
  const CyclictestRun text = run_in(GetParam() + ".txt");

  ASSERT_EQ(json.threads.size(), text.threads.size());
  EXPECT_EQ(json.nanoseconds, text.nanoseconds);
  for (size_t i = 0; i < json.threads.size(); ++i) {
    EXPECT_EQ(json.threads[i].cycles, text.threads[i].cycles);
    EXPECT_EQ(json.threads[i].min, text.threads[i].min);
    EXPECT_EQ(json.threads[i].max, text.threads[i].max);
    EXPECT_EQ(json.threads[i].histogram, text.threads[i].histogram);
    EXPECT_EQ(json.threads[i].overflows, text.threads[i].overflows);
  }
}

INSTANTIATE_TEST_SUITE_P(Cyclictest, GoldenPair,
                         ::testing::Values("2.10-histofall", "2.10-no-histogram", "2.4-nanoseconds",
                                           "2.4-never-ran", "2.4-two-threads", "2.6-two-threads"));

TEST(GoldenCyclictest, JsonKeepsWhatItSaysOfTheMachine) {
  const CyclictestRun run = run_in("2.4-two-threads.json");

  EXPECT_EQ(run.format, CyclictestFormat::kJson);
  EXPECT_EQ(run.version, "2.40");
  EXPECT_EQ(run.cmdline,
            "cyclictest -q -m -t2 -p 80 -i 997 -l 400 -h 100 --json=2.4-two-threads.json");
  EXPECT_EQ(run.sysinfo.machine, "x86_64");
  EXPECT_EQ(run.sysinfo.realtime, false);
  EXPECT_EQ(run.return_code, 0);
  EXPECT_EQ(run.histogram_limit, 100);
  EXPECT_EQ(run.threads[1].cpu, 1);
  EXPECT_EQ(run.threads[1].priority, 80);
  EXPECT_EQ(run.threads[1].interval_us, 997);
}

TEST(GoldenCyclictest, LiveDisplayEndsWithItsLastRefresh) {
  const CyclictestRun run = run_in("2.4-live.txt");

  EXPECT_EQ(run.format, CyclictestFormat::kSummary);
  ASSERT_EQ(run.threads.size(), 2u);
  const std::string text = text_of(golden("2.4-live.txt"));
  EXPECT_GT(text.find("T: 0", text.find("\033[4A")), 0u) << "the file has no second refresh";
  EXPECT_EQ(run.threads[0].cycles, 60u);
  EXPECT_EQ(run.threads[1].cycles, 47u);
  EXPECT_EQ(run.threads[1].interval_us, 1500);
}

TEST(GoldenCyclictest, ThreadsThatNeverRanHaveNoLatency) {
  for (const std::string file :
       {"2.4-never-ran.json", "2.4-never-ran.txt", "2.4-never-ran-summary.txt"}) {
    const CyclictestRun run = run_in(file);

    EXPECT_EQ(run.threads.at(0).cycles, 0u) << file;
    EXPECT_EQ(run.threads.at(0).min, std::nullopt) << file;
    EXPECT_EQ(run.threads.at(0).avg, std::nullopt) << file;
    EXPECT_EQ(cpu_results(run).at(1).max_us, std::nullopt) << file;
  }
}

TEST(GoldenCyclictest, NanosecondsAreToldFromTheWidthOfAField) {
  const CyclictestRun run = run_in("2.4-nanoseconds.txt");

  EXPECT_TRUE(run.nanoseconds);
  EXPECT_EQ(cpu_results(run).at(0).max_us, *run.threads.at(0).max / 1000);
}

TEST(GoldenCyclictest, NanosecondBucketsBecomeMicroseconds) {
  const CyclictestRun run = run_in("2.4-nanoseconds-histogram.json");

  const CpuResult cpu = cpu_results(run).at(0);

  EXPECT_EQ(run.histogram_limit, 100'000);
  EXPECT_EQ(cpu.histogram.limit(), Latency(100));
  EXPECT_EQ(cpu.histogram.samples(), 300u);
  EXPECT_EQ(cpu.histogram.overflows(), *run.threads.at(0).overflows);
  EXPECT_EQ(cpu.histogram.lowest()->count(), *run.threads.at(0).min / 1000);
}

TEST(GoldenCyclictest, BreaktraceNamesTheThreadThatEndedTheRun) {
  const CyclictestRun run = run_in("2.4-breaktrace.txt");

  EXPECT_EQ(run.break_thread, 20353);
  EXPECT_EQ(run.break_value, 119);
  EXPECT_EQ(run.threads.at(1).tid, 20353);
  EXPECT_EQ(run.threads.at(1).max, 119);
}

TEST(GoldenCyclictest, SpikesKeepTheirExactSizes) {
  const CyclictestRun run = run_in("2.4-spikes.txt");

  ASSERT_EQ(run.spikes.size(), 16u);
  int64_t largest = 0;
  for (const CyclictestSpike& spike : run.spikes) largest = std::max(largest, spike.latency);
  EXPECT_EQ(largest, std::max(run.threads.at(0).max, run.threads.at(1).max));
}

TEST(GoldenCyclictest, VerboseHoldsEverySample) {
  const CyclictestRun run = run_in("2.4-verbose.txt");

  EXPECT_EQ(run.format, CyclictestFormat::kVerbose);
  EXPECT_EQ(run.threads.at(0).cycles, 40u);
  EXPECT_EQ(run.threads.at(0).overflows, 0u);
  EXPECT_EQ(run.threads.at(0).max, 8);
}

TEST(GoldenCyclictest, ReducedVerboseKnowsTheMaximumOnly) {
  const CyclictestRun run = run_in("2.4-verbose-reduced.txt");

  EXPECT_EQ(run.threads.at(0).max, 6);
  EXPECT_EQ(run.threads.at(0).cycles, std::nullopt);
  EXPECT_EQ(run.threads.at(0).min, std::nullopt);
  EXPECT_EQ(run.threads.at(0).overflows, std::nullopt);
}

TEST(GoldenCyclictest, SamplesThatAllOverflowedHaveExactExtremesAndNoQuantile) {
  const CyclictestRun run = run_in("2.10-all-overflow.txt");

  const CpuResult cpu = cpu_results(run).at(0);

  EXPECT_EQ(cpu.cycles, 50u);
  EXPECT_EQ(cpu.min_us, 4);
  EXPECT_EQ(cpu.max_us, 11);
  EXPECT_EQ(cpu.histogram.overflows(), 50u);
  EXPECT_EQ(cpu.histogram.quantile(500'000), std::nullopt);
}

TEST(GoldenCyclictest, TheSumColumnIsNotAThread) {
  EXPECT_EQ(run_in("2.10-histofall-one-thread.txt").threads.size(), 1u);
  EXPECT_EQ(run_in("2.10-histofall.txt").threads.size(), 2u);
  EXPECT_EQ(run_in("1.5-histofall.txt").threads.size(), 2u);
}

}  // namespace
}  // namespace rtsweep
