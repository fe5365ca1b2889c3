// SPDX-License-Identifier: GPL-2.0-or-later

// timerlat of kernel/trace/trace_osnoise.c (Linux 5.14): a kernel thread a CPU (FIFO 95)
// sleeps until a timer; one record when the timer's interrupt handler runs, one when the
// thread does, each with its distance from the programmed expiry.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/measure/tracer_probe.h"

namespace rtsweep {
namespace {

constexpr std::string_view kFields[] = {"context", "timer_latency"};
constexpr std::string_view kKinds[] = {"irq", "thread"};
constexpr int64_t kIrqContext = 0;

std::vector<TracefsSetting> settings(const ProbeContext& context, TracerResult& /*result*/) {
  return {{"osnoise/cpus", fmt::format("{}", fmt::join(context.cpus, ","))},
          {"osnoise/timerlat_period_us", std::to_string(context.spec.interval_us)},
          {"osnoise/stop_tracing_us", "0"},
          {"osnoise/stop_tracing_total_us", "0"},
          {"osnoise/print_stack", "0"}};
}

int64_t count(std::span<const int64_t> values, int64_t histogram_us, TracerCpu& cpu) {
  cpu.kinds[values[0] == kIrqContext ? "irq" : "thread"].add(values[1], histogram_us);
  return values[1];
}

double records_per_s(const ProbeSpec& spec) { return 2e6 / static_cast<double>(spec.interval_us); }

constexpr Tracer kTimerlat = {.name = "timerlat",
                              .option = "CONFIG_TIMERLAT_TRACER",
                              .since = "5.17",
                              .fields = kFields,
                              .settings = settings,
                              .count = count,
                              .records_per_s = records_per_s,
                              .kinds = kKinds};

}  // namespace

std::unique_ptr<Probe> make_timerlat(const ProbeContext& context) {
  return make_tracer_probe(kTimerlat, context);
}

}  // namespace rtsweep
