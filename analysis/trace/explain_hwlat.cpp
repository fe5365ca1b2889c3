// SPDX-License-Identifier: GPL-2.0-or-later

// hwlat spins with interrupts off and looks at the clock: a gap is nobody's but the
// firmware's (SMI), a hypervisor's or an NMI's.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/trace/event_line.h"
#include "analysis/trace/explain_parts.h"
#include "analysis/trace/scan.h"

namespace rtsweep {
namespace {

// "#1     inner/outer(us):   12/14    ts:1499801089.066141940 nmi-total:4 nmi-count:1"
struct HwlatLine {
  int64_t gap_us = 0;
  bool nmi = false;
};

std::optional<HwlatLine> hwlat_line(const TraceEvent& event) {
  const size_t at = event.text.find("inner/outer(us):");
  if (event.name != "hwlat" || at == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(event.text).substr(at + 16);
  scan::blanks(rest);
  const auto inner = scan::natural(rest);
  if (!inner || !scan::literal(rest, "/")) return std::nullopt;
  const auto outer = scan::natural(rest);
  if (!outer || *inner > 1'000'000'000 || *outer > 1'000'000'000) return std::nullopt;
  return HwlatLine{static_cast<int64_t>(std::max(*inner, *outer)),
                   event.text.find("nmi-count:") != std::string::npos};
}

}  // namespace

Explanation explain_hwlat(const Trace& trace) {
  Explanation result{.source = trace.source, .subject = "hwlat trace"};
  size_t count = 0;
  HwlatLine worst;
  const TraceEvent* where = nullptr;
  for (const TraceEvent& event : trace.events) {
    const auto line = hwlat_line(event);
    if (!line) continue;
    ++count;
    result.evidence.push_back({event.line, event_text(event)});
    if (where != nullptr && line->gap_us <= worst.gap_us) continue;
    worst = *line;
    where = &event;
  }
  if (where == nullptr) {
    result.headline = "hwlat found no gap.";
    return result;
  }
  result.conclusion = Conclusion::kExplained;
  result.cause = SegmentKind::kMachineSilent;
  result.latency_ns = worst.gap_us * 1'000;
  result.latency_of = "longest gap";
  result.headline =
      fmt::format("CPU {} was away from the kernel for {}: {}; {} such gap{} in the trace.",
                  where->cpu, us_text(*result.latency_ns),
                  worst.nmi ? "an NMI came in that time, otherwise firmware (SMI) or a hypervisor"
                            : "firmware (SMI) or a hypervisor",
                  count, count == 1 ? "" : "s");
  result.segments.push_back({.kind = SegmentKind::kMachineSilent,
                             .begin_ns = where->time_ns,
                             .length_ns = *result.latency_ns,
                             .cpu = where->cpu,
                             .line = where->line});
  return result;
}

}  // namespace rtsweep
