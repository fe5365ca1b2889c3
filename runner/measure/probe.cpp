// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/probe.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/measure/cyclictest.h"
#include "runner/measure/tracer_probe.h"

namespace rtsweep {
namespace {

using nlohmann::json;

constexpr ProbeKind kProbes[] = {
    {.name = "cyclictest",
     .measures = "wakeup latency: programmed timer expiry to thread running, on every CPU",
     .program = "cyclictest",
     .interval_us = 997,
     .make = make_cyclictest},
    {.name = "timerlat",
     .measures =
         "wakeup latency in its parts: timer expiry to its interrupt handler, to the thread "
         "running and, from Linux 6.5 on, to its return from user space, on every CPU",
     .program = "",
     .interval_us = 997,
     .make = make_timerlat},
    {.name = "osnoise",
     .measures = "how long a busy thread is interrupted, and by what: hardware, NMI, interrupts, "
                 "softirqs, other threads, on every CPU",
     .program = "",
     .interval_us = 1'000'000,
     .make = make_osnoise},
    {.name = "hwlat",
     .measures = "gaps that hardware or firmware (SMIs) tear into a loop with interrupts "
                 "disabled, on one CPU after the other",
     .program = "",
     .interval_us = 1'000'000,
     .make = make_hwlat},
};

}  // namespace

std::span<const ProbeKind> probe_kinds() { return kProbes; }

const ProbeKind* find_probe_kind(std::string_view name) {
  const auto* found = std::ranges::find(kProbes, name, &ProbeKind::name);
  return found == std::end(kProbes) ? nullptr : found;
}

void to_json(json& j, const ProbeEnd& end) {
  j = {{"argv", end.argv},           {"exit_code", end.exit_code}, {"signal", end.signal},
       {"timed_out", end.timed_out}, {"disk_full", end.disk_full}, {"wall_s", end.wall_s}};
}

void from_json(const json& j, ProbeEnd& end) {
  j.at("argv").get_to(end.argv);
  j.at("exit_code").get_to(end.exit_code);
  j.at("signal").get_to(end.signal);
  j.at("timed_out").get_to(end.timed_out);
  end.disk_full = j.value("disk_full", false);
  j.at("wall_s").get_to(end.wall_s);
}

}  // namespace rtsweep
