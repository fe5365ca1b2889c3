// SPDX-License-Identifier: GPL-2.0-or-later

// Samples past the breakpoint: cyclictest's lines of them, exact values in place of
// overflows, several runs as one.

#include <gmock/gmock.h>

#include "analysis/cyclictest_merge.h"
#include "analysis/cyclictest_spike.h"
#include "analysis/exact_tail.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Printed by cyclictest of rt-tests 2.4 with --spike=60.
TEST(Spikes, AreReadFromCyclictestsOutput) {
  const auto spikes = spikes_in(
      "# Max Latencies: 00275\n"
      "T: 0 Spike:     201: TS:     14826051\n"
      "T:11 Spike:     275: TS:     14828119\n"
      "spikes = 2\n\n");

  EXPECT_THAT(spikes, ElementsAre(CyclictestSpike{0, 201, 14'826'051},
                                  CyclictestSpike{11, 275, 14'828'119}));
}

TEST(Spikes, AreNotMadeOfBrokenLines) {
  EXPECT_FALSE(parse_spike("T: 0 Spike:     201: TS:"));
  EXPECT_FALSE(parse_spike("T: 0 Spike:     201: TS:  14826051 more"));
  EXPECT_FALSE(parse_spike("T:-1 Spike:     201: TS:  14826051"));
}

TEST(BreakThread, IsTheOneThatEndedTheRun) {
  EXPECT_EQ(break_thread("# Break thread: 129\n# Break value: 201\n"), 129);
  EXPECT_EQ(break_thread("# Total: 000005015\n"), -1);
  EXPECT_EQ(total_cycles("# Total: 000005015 000005014\n"), 5'015U);
  EXPECT_EQ(total_cycles("# Break thread: 129\n"), 0U);
}

CyclictestRun run_with(std::map<int64_t, uint64_t> histogram, uint64_t overflows, int64_t max) {
  CyclictestThread thread{.cycles = overflows, .min = 10, .max = max, .avg = 20};
  for (const auto& [latency, count] : histogram) *thread.cycles += count;
  thread.histogram = std::move(histogram);
  thread.overflows = overflows;
  return {.histogram_limit = 100, .threads = {thread}};
}

TEST(ExactTail, TakesThePlaceOfOverflows) {
  CaptureResult capture{.breakpoint_us = 50};
  for (const int64_t us : {60, 150, 2'000, 150}) {
    capture.hits.push_back({.thread = 0, .latency_us = us});
  }

  const CyclictestRun exact = with_exact_tail(run_with({{10, 5}, {60, 1}}, 3, 2'000), capture);

  EXPECT_THAT(exact.threads[0].histogram,
              ElementsAre(Pair(10, 5), Pair(60, 1), Pair(150, 2), Pair(2'000, 1)));
  EXPECT_EQ(exact.threads[0].overflows, 0U);
  EXPECT_EQ(exact.histogram_limit, 2'001);
}

// A breakpoint beyond the histogram's end does not see all overflows.
TEST(ExactTail, IsLeftAloneWhereHitsAreMissing) {
  const CaptureResult capture{.breakpoint_us = 500, .hits = {{.latency_us = 2'000}}};

  const CyclictestRun same = with_exact_tail(run_with({{10, 5}}, 3, 2'000), capture);

  EXPECT_EQ(same.threads[0].overflows, 3U);
  EXPECT_EQ(same.histogram_limit, 100);
}

TEST(MergedRuns, AddUpSamplesAndKeepExtremes) {
  CyclictestRun a = run_with({{10, 4}, {90, 1}}, 0, 90);
  CyclictestRun b = run_with({{5, 14}, {10, 1}}, 2, 700);
  a.threads[0].avg = 26;  // (4 x 10 + 90) / 5
  b.threads[0].min = 5;
  b.threads[0].avg = 52;  // of 17

  const CyclictestRun sum = merge_cyclictest(std::vector{a, b});

  EXPECT_THAT(sum.threads[0].histogram, ElementsAre(Pair(5, 14), Pair(10, 5), Pair(90, 1)));
  EXPECT_EQ(sum.threads[0].cycles, 22U);
  EXPECT_EQ(sum.threads[0].overflows, 2U);
  EXPECT_EQ(sum.threads[0].min, 5);
  EXPECT_EQ(sum.threads[0].max, 700);
  EXPECT_NEAR(*sum.threads[0].avg, (5 * 26.0 + 17 * 52.0) / 22, 1e-9);
}

}  // namespace
}  // namespace rtsweep
