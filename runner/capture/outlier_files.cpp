// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/outlier_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "runner/capture/kernel_symbols.h"

namespace rtsweep {
namespace {

constexpr int64_t kCut_us = 2;

// Behind all that was recorded: the time of the last event is known to the microsecond.
void add_marker(std::vector<CpuPages>& cpus, const LateWakeup& wakeup, const std::string& page) {
  const auto cpu = std::ranges::find(cpus, wakeup.cpu, &CpuPages::cpu);
  if (cpu != cpus.end()) cpu->bytes += page;
}

}  // namespace

const CaptureHit* hit_of(const LateWakeup& wakeup, std::span<const CaptureHit> hits) {
  const auto hit = std::ranges::find_if(hits, [&](const CaptureHit& one) {
    const int64_t expiry_us = one.at_us - one.latency_us;
    return one.cpu == wakeup.cpu && std::abs(wakeup.expiry_ns / 1000 - expiry_us) <= kCut_us;
  });
  return hit == hits.end() ? nullptr : &*hit;
}

Result<std::string> outlier_trace_dat(const SavedTrace& trace, const CaptureHit& hit,
                                      int64_t breakpoint_us, TraceDescription description,
                                      const std::string& kallsyms) {
  RTSWEEP_TRY(const PrintLayout print, print_layout(description));
  std::vector<CpuPages> cpus = trace.cpus;
  description.kallsyms = mentioned_symbols(kallsyms, cpus, description.layout.long_bytes);
  const std::string text = fmt::format(
      "rtsweep: hit latency threshold ({} > {}) pid={} at_ns={} latency_ns={}", hit.latency_us,
      breakpoint_us, trace.wakeup.pid, hit.at_us * 1000, hit.latency_us * 1000);
  add_marker(cpus, trace.wakeup,
             marker_page(description.layout, print, trace.wakeup.pid,
                         static_cast<uint64_t>(trace.wakeup.at_ns + 1000), text));
  return make_trace_dat(description, cpus);
}

}  // namespace rtsweep
