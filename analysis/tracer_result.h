// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// Samples of one kind on one CPU, counted in buckets of 1 us: a sample of 1,999 ns is in
// bucket 1, as cyclictest cuts them. Smallest, largest and sum are exact.
struct TracerSamples {
  uint64_t samples = 0;  // overflows included
  int64_t min_ns = 0;    // meaningless without samples
  int64_t max_ns = 0;
  int64_t sum_ns = 0;
  uint64_t overflows = 0;              // past the histogram, or negative
  std::map<int64_t, uint64_t> counts;  // us -> samples

  void add(int64_t ns, int64_t histogram_us);

  bool operator==(const TracerSamples&) const = default;
};

struct TracerCpu {
  int cpu = 0;
  std::map<std::string, TracerSamples> kinds;     // "irq", "thread"; "noise", "single"; "gap"
  std::map<std::string, uint64_t> interruptions;  // osnoise: by "hw", "nmi", "irq", ...

  bool operator==(const TracerCpu&) const = default;
};

// What one of the kernel's latency tracers measured in a trial: PROBE.json in its directory.
struct TracerResult {
  std::string probe;                    // the tracer: "timerlat", "osnoise", "hwlat"
  int64_t interval_us = 0;              // period of timerlat and osnoise, window of hwlat
  std::optional<int64_t> busy_us;       // of each interval that osnoise and hwlat spin
  std::optional<int64_t> threshold_us;  // shorter interruptions are not seen
  int64_t histogram_us = 0;             // samples from here on are overflows
  std::string clock;                    // of the time stamps in PROBE.txt
  uint64_t lost_events = 0;             // that the ring buffer had no room for
  std::optional<double> spun_s;         // CPU time of hwlat's thread: its proof of work
  std::vector<TracerCpu> cpus;          // in ascending order

  bool operator==(const TracerResult&) const = default;
};

void to_json(nlohmann::json& json, const TracerResult& result);
// Throws nlohmann::json::exception on what is not such a file.
void from_json(const nlohmann::json& json, TracerResult& result);

// The kind of samples that a limit speaks of: timerlat's "thread", osnoise's "single"
// (longest interruption of a period), hwlat's "gap"; "" for probes that are no tracers.
std::string_view main_kind(std::string_view probe);

}  // namespace rtsweep
