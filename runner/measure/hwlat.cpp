// SPDX-License-Identifier: GPL-2.0-or-later

// hwlat of kernel/trace/trace_hwlat.c (Linux 4.9): the thread hwlatd reads the clock in a
// loop with interrupts disabled for `width` of each `window`, on one CPU after the other. A
// record for each window with a gap past the threshold, in us: the largest between two
// reads (inner) and between two rounds of the loop (outer).

#include <algorithm>

#include "runner/measure/tracer_probe.h"

namespace rtsweep {
namespace {

constexpr std::string_view kFields[] = {"duration", "outer_duration", "nmi_count", "count"};
constexpr std::string_view kKinds[] = {"gap", "inner", "outer"};
constexpr int64_t kThresholdUs = 10;  // the kernel's own

std::vector<TracefsSetting> settings(const ProbeContext& context, const std::string& /*tracefs*/,
                                     TracerResult& result) {
  const int64_t window_us = context.spec.interval_us;
  result.busy_us = context.spec.busy_us.value_or(std::max<int64_t>(1, window_us / 2));
  result.threshold_us = context.spec.threshold_us.value_or(kThresholdUs);
  return {{"hwlat_detector/window", std::to_string(window_us)},
          {"hwlat_detector/width", std::to_string(*result.busy_us)},
          {"hwlat_detector/mode", "round-robin", true},  // since 5.15
          {"tracing_thresh", std::to_string(*result.threshold_us)}};
}

int64_t count(std::span<const int64_t> values, int64_t histogram_us, TracerCpu& cpu) {
  const int64_t gap_us = std::max(values[0], values[1]);
  cpu.kinds["inner"].add(values[0] * 1000, histogram_us);
  cpu.kinds["outer"].add(values[1] * 1000, histogram_us);
  cpu.kinds["gap"].add(gap_us * 1000, histogram_us);
  cpu.interruptions["nmi"] += static_cast<uint64_t>(values[2]);
  return gap_us * 1000;
}

double records_per_s(const ProbeSpec& spec) { return 1e6 / static_cast<double>(spec.interval_us); }

constexpr Tracer kHwlat = {.name = "hwlat",
                           .option = "CONFIG_HWLAT_TRACER",
                           .since = "4.9",
                           .fields = kFields,
                           .settings = settings,
                           .count = count,
                           .records_per_s = records_per_s,
                           .kinds = kKinds,
                           .keeps_all = true,
                           .thread = "hwlatd"};

}  // namespace

std::unique_ptr<Probe> make_hwlat(const ProbeContext& context) {
  return make_tracer_probe(kHwlat, context);
}

}  // namespace rtsweep
