// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/hit_times.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

LateWakeup late(int64_t expiry_us, int64_t until_sleep_us, int cpu = 0) {
  return {.cpu = cpu, .expiry_ns = expiry_us * 1000, .until_sleep_ns = until_sleep_us * 1000};
}

// From reading the clock to sleeping it takes 20 us or a little more: the second wakeup, of
// 112 us, was one of 92 us, which is no hit.
TEST(HitTimes, AreThoseOfTheWakeupsInOrder) {
  std::vector<CaptureHit> hits = {
      {.cpu = 0, .latency_us = 110}, {.cpu = 0, .latency_us = 105}, {.cpu = 0, .latency_us = 300}};
  const std::vector<LateWakeup> wakeups = {late(1'000, 130), late(2'000, 112), late(3'000, 126),
                                           late(4'000, 320)};

  complete_times(hits, wakeups);

  EXPECT_EQ(hits[0].at_us, 1'110);
  EXPECT_EQ(hits[1].at_us, 3'105);
  EXPECT_EQ(hits[2].at_us, 4'300);
}

TEST(HitTimes, OfEachCpuAreItsOwn) {
  std::vector<CaptureHit> hits = {{.cpu = 1, .latency_us = 110}, {.cpu = 0, .latency_us = 110}};
  complete_times(hits, std::vector{late(1'000, 130, 0), late(1'000, 140, 1)});

  EXPECT_EQ(hits[0].at_us, 1'110);
  EXPECT_EQ(hits[1].at_us, 1'110);
}

TEST(HitTimes, ThatCyclictestPrintedStay) {
  std::vector<CaptureHit> hits = {{.latency_us = 110, .at_us = 77}};
  complete_times(hits, std::vector{late(1'000, 130)});

  EXPECT_EQ(hits[0].at_us, 77);
}

TEST(HitTimes, AreNotGuessedWhereWakeupsAreMissing) {
  std::vector<CaptureHit> hits = {{.latency_us = 110}, {.latency_us = 120}};
  complete_times(hits, std::vector{late(1'000, 130)});

  EXPECT_EQ(hits[0].at_us, 0);
  EXPECT_EQ(hits[1].at_us, 0);
}

}  // namespace
}  // namespace rtsweep
