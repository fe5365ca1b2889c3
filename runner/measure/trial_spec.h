// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/capture/capture_spec.h"
#include "runner/host/tuning_spec.h"

namespace rtsweep {

struct ProbeSpec {
  std::string name = "cyclictest";
  std::string program = "cyclictest";   // path, or a name to be found in PATH
  int priority = 90;                    // SCHED_FIFO
  std::vector<int> cpus;                // to be measured; empty: all
  int64_t interval_us = 997;            // of thread 0; a prime does not beat with the tick
  std::optional<int64_t> busy_us;       // of each interval that osnoise and hwlat spin
  std::optional<int64_t> threshold_us;  // osnoise, hwlat: shorter interruptions are not seen
  int64_t duration_s = 10;              // by the measured machine's clock
  int64_t histogram_us = 20'000;        // latencies from here on are overflows
  std::string memory = "default";       // numactl policy: "bind:0", "preferred:1", "interleave:all"
};

struct LoadSpec {
  std::string name;                            // in the registry of loads
  std::map<std::string, std::string> options;  // as the load declares them
  std::vector<int> cpus;                       // empty: all
  std::string memory = "default";              // numactl policy
  std::optional<double> floor_per_s;           // work per second of the measured machine's clock
};

// All that the measuring code needs to know of a trial. It is the same on this
// machine and in a guest, where it arrives as JSON in the initramfs. It holds nothing
// that differs between two runs of the same cell and repetition, so that virtual time
// repeats exactly.
struct TrialSpec {
  ProbeSpec probe;
  std::vector<LoadSpec> loads;
  std::vector<std::string> modules;    // guest only: paths, in the order to insert them
  std::string config;                  // kernel config on the measured machine, if any: path
  TuningSpec tuning;                   // for the time of the trial
  std::optional<CaptureSpec> capture;  // empty: no breakpoint
};

void to_json(nlohmann::json& json, const TrialSpec& spec);
void from_json(const nlohmann::json& json, TrialSpec& spec);

}  // namespace rtsweep
