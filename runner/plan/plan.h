// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_report.h"
#include "runner/base/result.h"

namespace rtsweep {

// One thing that is varied, with its levels in the plan's order.
struct Factor {
  std::string name;
  std::vector<std::string> levels;
};

// A kernel that the plan brings itself, instead of one from kernels.toml.
struct KernelByPath {
  std::filesystem::path image;    // what the boot loader loads
  std::filesystem::path modules;  // .../lib/modules/RELEASE; may be empty
  std::filesystem::path config;   // may be empty
  std::string arch;               // Debian's name: "arm64"
};

struct LoadSettings {
  std::map<std::string, std::string> options;
  std::vector<int> cpus;               // empty: all
  std::optional<double> floor_per_s;   // empty: the load's own
};

// What a plan file says: plain values, every default filled in.
struct Plan {
  std::filesystem::path file;          // for messages
  std::string text;                    // as given
  std::string name;
  std::string target = "vm";           // "vm", "local"
  bool virtual_clock = false;
  uint64_t seed = 1;
  int repetitions = 1;
  std::optional<std::chrono::seconds> budget;

  std::string probe = "cyclictest";
  int priority = 90;
  int64_t interval_us = 997;
  int64_t duration_s = 10;
  int64_t histogram_us = 20'000;
  std::optional<int64_t> limit_us;
  std::optional<int64_t> breakpoint_us;
  bool expect_rt = true;
  std::string rt_tests = "bookworm";   // Debian release whose rt-tests package measures

  std::vector<Factor> factors;         // in the plan's order; always has "load"
  std::vector<Cell> exclude;           // a trial matching all of an entry's levels is left out
  std::map<std::string, LoadSettings> loads;
  std::map<std::string, KernelByPath> kernels;

  int vm_memory_mib = 768;
  int vm_cpus = 1;
  int vm_jobs = 0;                     // VMs at once; 0: one per host CPU (virtual clock), else 1
  std::chrono::seconds boot_timeout{180};     // host time, until the measuring code runs
  std::chrono::seconds trial_timeout{1800};   // host time, for a whole trial
};

// Reads a plan. The error names file:line:column, the wrong word and the nearest
// right one (kInvalidPlan).
Result<Plan> parse_plan(std::string_view text, const std::filesystem::path& file);

struct PlannedTrial {
  int id = 0;                // from 1, in the order of measurement
  Cell cell;
  int repetition = 1;        // from 1: a block
  uint64_t seed = 0;         // of a virtual clock's guest: a function of plan seed and repetition
};

// The trials in the order in which they are measured: repetition by repetition (a
// block), each block shuffled by the plan's seed (std::mt19937_64), excluded cells
// left out. The same plan gives the same order on every machine.
std::vector<PlannedTrial> order_trials(const Plan& plan);

}  // namespace rtsweep
