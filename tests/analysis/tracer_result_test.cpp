// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/tracer_result.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "analysis/tracer_samples.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TracerSamples samples_of(std::initializer_list<int64_t> all_ns) {
  TracerSamples samples;
  for (const int64_t ns : all_ns) samples.add(ns, 100);
  return samples;
}

// CPU 0: irq 1.2, 1.8 us; thread 4.0, 6.5 us. CPU 1 never woke up.
TracerResult timerlat() {
  TracerResult result{.probe = "timerlat", .interval_us = 1000, .histogram_us = 100};
  result.clock = "mono";
  result.cpus = {
      {.cpu = 0,
       .kinds = {{"irq", samples_of({1200, 1800})}, {"thread", samples_of({4000, 6500})}}},
      {.cpu = 1, .kinds = {{"irq", {}}, {"thread", {}}}}};
  return result;
}

TEST(TracerSamples, AreCountedInWholeMicrosecondsAndSummedExactly) {
  const TracerSamples samples = samples_of({1999, 1000, 0, 99'999});

  EXPECT_THAT(samples.counts, ElementsAre(Pair(0, 1), Pair(1, 2), Pair(99, 1)));
  EXPECT_EQ(samples.samples, 4u);
  EXPECT_EQ(samples.min_ns, 0);
  EXPECT_EQ(samples.max_ns, 99'999);
  EXPECT_EQ(samples.sum_ns, 1999 + 1000 + 99'999);
  EXPECT_EQ(samples.overflows, 0u);
}

TEST(TracerSamples, PastTheHistogramOrBeforeTheirTimeAreOverflows) {
  const TracerSamples samples = samples_of({100'000, -1});

  EXPECT_THAT(samples.counts, ElementsAre());
  EXPECT_EQ(samples.overflows, 2u);
  EXPECT_EQ(samples.min_ns, -1);
  EXPECT_EQ(samples.max_ns, 100'000);
}

TEST(TracerResult, ComesBackFromItsFileAsItWas) {
  TracerResult result = timerlat();
  result.busy_us = 950;
  result.threshold_us = 5;
  result.lost_events = 3;
  result.spun_s = 1.25;
  result.cpus[0].interruptions = {{"irq", 12}};

  EXPECT_EQ(nlohmann::json::parse(nlohmann::json(result).dump()).get<TracerResult>(), result);
}

TEST(TracerSamples, OfTheMainKindAreTheTrialsOwn) {
  TrialResult trial;
  add_samples(timerlat(), trial);

  ASSERT_EQ(trial.cpus.size(), 2u);
  EXPECT_EQ(trial.cpus[0].kind, "thread");
  EXPECT_EQ(trial.cpus[0].cycles, 2u);
  EXPECT_EQ(trial.cpus[0].min_us, 4);
  EXPECT_EQ(trial.cpus[0].max_us, 6);             // 6500 ns: as the histogram cuts it
  EXPECT_DOUBLE_EQ(*trial.cpus[0].avg_us, 5.25);  // 10,500 ns / 2
  EXPECT_EQ(trial.cpus[1].max_us, std::nullopt);  // never ran
  ASSERT_EQ(trial.other_kinds.size(), 2u);
  EXPECT_EQ(trial.other_kinds[0].kind, "irq");
  EXPECT_DOUBLE_EQ(*trial.other_kinds[0].avg_us, 1.5);
}

TEST(TracerSamples, KeepWhoInterruptedEachCpu) {
  TracerResult result = timerlat();
  result.cpus[1].interruptions = {{"irq", 12}, {"thread", 3}};
  TrialResult trial;
  add_samples(result, trial);

  EXPECT_THAT(trial.cpus[0].interruptions, ElementsAre());
  EXPECT_THAT(trial.cpus[1].interruptions, ElementsAre(Pair("irq", 12), Pair("thread", 3)));
}

}  // namespace
}  // namespace rtsweep
