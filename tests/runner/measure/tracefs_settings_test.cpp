// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/tracefs_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FakeHost;
using testing::IsOk;

TEST(TracefsSettings, PutsBackWhatWasThereAndOnlyTheWordThatWasChosen) {
  FakeHost host;
  host.file("sys/kernel/tracing/tracing_thresh", "0\n");
  host.file("sys/kernel/tracing/hwlat_detector/mode", "none [round-robin] per-cpu\n");
  {
    TracefsSettings settings(host.root(), "sys/kernel/tracing");
    ASSERT_THAT(settings.apply({{"tracing_thresh", "10"},
                                {"hwlat_detector/mode", "per-cpu"},
                                {"hwlat_detector/new_knob", "1", true}},
                               nullptr),
                IsOk());
    EXPECT_EQ(host.root().read("sys/kernel/tracing/tracing_thresh").value(), "10");
    EXPECT_EQ(host.root().read("sys/kernel/tracing/hwlat_detector/mode").value(), "per-cpu");
  }
  EXPECT_EQ(host.root().read("sys/kernel/tracing/tracing_thresh").value(), "0");
  EXPECT_EQ(host.root().read("sys/kernel/tracing/hwlat_detector/mode").value(), "round-robin");
}

// osnoise/options of Linux 6.12: written one by one.
TEST(TracefsSettings, TurnsASwitchOfAListOverAndBack) {
  const std::string options = "sys/kernel/tracing/osnoise/options";
  FakeHost host;
  host.file(options, "NO_DEFAULTS OSNOISE_WORKLOAD NO_PANIC_ON_STOP\n");
  {
    TracefsSettings settings(host.root(), "sys/kernel/tracing");
    ASSERT_THAT(settings.apply({{"osnoise/options", "OSNOISE_WORKLOAD"}}, nullptr), IsOk());
    EXPECT_THAT(host.root().read(options).value(), ::testing::HasSubstr("NO_DEFAULTS"));
    ASSERT_THAT(settings.apply({{"osnoise/options", "NO_OSNOISE_WORKLOAD"}}, nullptr), IsOk());
    EXPECT_EQ(host.root().read(options).value(), "NO_OSNOISE_WORKLOAD");
  }
  EXPECT_EQ(host.root().read(options).value(), "OSNOISE_WORKLOAD");
}

TEST(TracefsSettings, SaysWhichKnobIsNotThere) {
  FakeHost host;
  TracefsSettings settings(host.root(), "sys/kernel/tracing");
  const auto applied = settings.apply({{"osnoise/period_us", "1000"}}, nullptr);
  ASSERT_FALSE(applied);
  EXPECT_THAT(applied.error().message(), ::testing::HasSubstr("osnoise/period_us"));
}

}  // namespace
}  // namespace rtsweep
