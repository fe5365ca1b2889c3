// SPDX-License-Identifier: GPL-2.0-or-later

// osnoise of kernel/trace/trace_osnoise.c (Linux 5.14): a kernel thread a CPU (SCHED_OTHER)
// reads the clock in a loop for busy_us of each period and sums up what is missing; one
// record a period, in us.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "runner/measure/tracer_probe.h"

namespace rtsweep {
namespace {

constexpr std::string_view kFields[] = {"noise",     "max_sample",    "hw_count",    "nmi_count",
                                        "irq_count", "softirq_count", "thread_count"};
constexpr std::string_view kCounts[] = {"hw", "nmi", "irq", "softirq", "thread"};
constexpr std::string_view kKinds[] = {"noise", "single"};
constexpr int64_t kThresholdUs = 5;  // the kernel's own, before 6.6

// The rest of the period is for whoever else needs the CPU.
int64_t default_busy_us(int64_t period_us) { return std::max<int64_t>(1, period_us / 100 * 95); }

std::vector<TracefsSetting> settings(const ProbeContext& context, const std::string& /*tracefs*/,
                                     TracerResult& result) {
  const int64_t period_us = context.spec.interval_us;
  result.busy_us = context.spec.busy_us.value_or(default_busy_us(period_us));
  result.threshold_us = context.spec.threshold_us.value_or(kThresholdUs);
  return {{"osnoise/options", "OSNOISE_WORKLOAD", true},  // since 6.2
          {"osnoise/cpus", fmt::format("{}", fmt::join(context.cpus, ","))},
          {"osnoise/period_us", std::to_string(period_us)},
          {"osnoise/runtime_us", std::to_string(*result.busy_us)},
          {"tracing_thresh", std::to_string(*result.threshold_us)},
          {"osnoise/stop_tracing_us", "0"},
          {"osnoise/stop_tracing_total_us", "0"}};
}

int64_t count(std::span<const int64_t> values, int64_t histogram_us, TracerCpu& cpu) {
  cpu.kinds["noise"].add(values[0] * 1000, histogram_us);
  cpu.kinds["single"].add(values[1] * 1000, histogram_us);
  for (size_t i = 0; i < std::size(kCounts); ++i) {
    cpu.interruptions[std::string(kCounts[i])] += static_cast<uint64_t>(values[i + 2]);
  }
  return values[1] * 1000;
}

double records_per_s(const ProbeSpec& spec) { return 1e6 / static_cast<double>(spec.interval_us); }

constexpr Tracer kOsnoise = {.name = "osnoise",
                             .option = "CONFIG_OSNOISE_TRACER",
                             .since = "5.17",
                             .fields = kFields,
                             .settings = settings,
                             .count = count,
                             .records_per_s = records_per_s,
                             .kinds = kKinds,
                             .keeps_all = true};

}  // namespace

std::unique_ptr<Probe> make_osnoise(const ProbeContext& context) {
  return make_tracer_probe(kOsnoise, context);
}

}  // namespace rtsweep
