// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "analysis/run_report.h"
#include "runner/base/result.h"

namespace rtsweep {

// The raw files of a trial as a good measurement leaves them, to be spoiled one by one.
// Two CPUs, ten seconds at an interval of 1000 us, two NUMA nodes asked for.
struct DoctoredTrial {
  nlohmann::json before;      // facts-before.json
  nlohmann::json after;       // facts-after.json
  nlohmann::json counters;    // counters.json
  nlohmann::json probe;       // probe.json
  nlohmann::json cyclictest;  // cyclictest.json
  nlohmann::json loads;       // loads.json
  nlohmann::json tuning;      // tuning.json; null: nothing was tuned
  nlohmann::json capture;     // capture.json
  nlohmann::json tracer;      // timerlat.json; null: cyclictest measured
  nlohmann::json end;         // end.json
  nlohmann::json error;       // error.json; null: there was none
  std::string text;           // cyclictest.txt
  std::string console;        // console.log
  std::string kernel_log;     // dmesg.txt
  std::string numa_maps;      // of the probe
  size_t cut_at = 0;          // bytes of cyclictest.json that were written; 0: all
  bool complete = true;       // complete.json was written
};

DoctoredTrial good_doctored_trial();

// Writes the trial into a run directory of its own and judges it as any run is judged.
Result<TrialResult> judge_doctored(const DoctoredTrial& trial,
                                   const std::filesystem::path& directory);

// A fault that is made by changing what a good trial left behind.
struct DoctoredFault {
  std::string_view name;
  std::string_view what;
  std::string_view code;
  void (*doctor)(DoctoredTrial& trial);
};
std::span<const DoctoredFault> doctored_faults();

}  // namespace rtsweep
