// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"

namespace rtsweep::checks {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
// hwlatd also moves from CPU to CPU and starts late.
constexpr double kLeastSpunShare = 0.8;

void check_kind(const TracerCpu& cpu, const std::string& name, const TracerSamples& kind,
                int64_t duration_s, Reasons& reasons) {
  if (kind.samples == 0) return;
  if (kind.min_ns < 0) {
    reasons.push_back(
        make_reason("negative_latency",
                    fmt::format("CPU {} has a sample ({}) of {} ns", cpu.cpu, name, kind.min_ns)));
  }
  if (duration_s > 0 && kind.max_ns / kNsPerSecond >= duration_s) {
    reasons.push_back(make_reason(
        "absurd_latency",
        fmt::format("CPU {} has a sample ({}) of {} us", cpu.cpu, name, kind.max_ns / 1000)));
  }
}

void check_spinning(const TracerResult& result, const PlannedProbe& planned, Reasons& reasons) {
  if (result.probe != "hwlat" || !result.busy_us || result.interval_us <= 0) return;
  const double wanted_s = static_cast<double>(planned.duration_s) *
                          static_cast<double>(*result.busy_us) /
                          static_cast<double>(result.interval_us);
  if (result.spun_s.value_or(0) >= kLeastSpunShare * wanted_s - 1) return;
  reasons.push_back(make_reason("too_few_cycles",
                                fmt::format("hwlat looked for gaps for {:.1f} s instead of {:.1f}",
                                            result.spun_s.value_or(0), wanted_s)));
}

}  // namespace

void check_tracer(const TracerResult& result, const PlannedProbe& planned, Reasons& reasons) {
  if (result.lost_events > 0) {
    reasons.push_back(make_reason(
        "probe_lost_samples", fmt::format("{} lost {} records", result.probe, result.lost_events)));
  }
  const std::string main(main_kind(result.probe));
  for (const TracerCpu& cpu : result.cpus) {
    const auto kind = cpu.kinds.find(main);
    const bool silent = kind == cpu.kinds.end() || kind->second.samples == 0;
    if (silent && !is_without_cycles(planned)) {
      reasons.push_back(
          make_reason("thread_never_ran", fmt::format("CPU {} has no samples", cpu.cpu)));
    }
    for (const auto& [name, samples] : cpu.kinds) {
      check_kind(cpu, name, samples, planned.duration_s, reasons);
    }
  }
  check_spinning(result, planned, reasons);
}

}  // namespace rtsweep::checks
