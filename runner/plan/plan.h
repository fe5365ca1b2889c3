// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_report.h"
#include "analysis/verdict.h"
#include "runner/base/result.h"
#include "runner/capture/capture_spec.h"
#include "runner/host/tuning_spec.h"

namespace rtsweep {

// One thing that is varied, with its levels in the plan's order.
struct Factor {
  std::string name;
  std::vector<std::string> levels;

  bool operator==(const Factor&) const = default;
};

// A kernel that the plan brings itself, instead of one from kernels.toml.
struct KernelByPath {
  std::filesystem::path image;    // what the boot loader loads
  std::filesystem::path modules;  // .../lib/modules/RELEASE; may be empty
  std::filesystem::path config;   // may be empty
  std::string arch;               // Debian's name: "arm64"

  bool operator==(const KernelByPath&) const = default;
};

struct LoadSettings {
  std::map<std::string, std::string> options;
  std::vector<int> cpus;              // empty: all
  std::optional<double> floor_per_s;  // empty: the load's own

  bool operator==(const LoadSettings&) const = default;
};

// What a plan file says: plain values, every default filled in.
struct Plan {
  std::filesystem::path file;  // for messages
  std::string text;            // as given
  std::string name;
  std::string target = "vm";  // "vm", "local"
  bool virtual_clock = false;
  uint64_t seed = 1;
  int repetitions = 1;
  std::optional<std::chrono::seconds> budget;

  std::string probe = "cyclictest";
  int priority = 90;
  std::vector<int> cpus;                // to be measured, ascending; empty: all
  int64_t interval_us = 997;            // or the probe's own
  std::optional<int64_t> busy_us;       // of each interval: osnoise, hwlat
  std::optional<int64_t> threshold_us;  // of osnoise, hwlat
  int64_t duration_s = 10;
  int64_t histogram_us = 20'000;
  std::optional<int64_t> limit_us;
  bool expect_rt = true;
  std::string rt_tests = "bookworm";  // Debian release whose rt-tests package measures

  std::vector<Factor> factors;  // in the plan's order; always has "load"
  std::vector<Cell> exclude;    // a trial matching all of an entry's levels is left out
  std::map<std::string, LoadSettings> loads;
  std::map<std::string, KernelByPath> kernels;
  CaptureSpec capture;  // breakpoint_us 0: no traces
  TuningSpec tuning;    // of every trial; levels of "tuning." factors come on top
  std::map<std::string, Severity> severities;  // by reason code, where not the catalogue's

  int vm_memory_mib = 768;
  int vm_cpus = 1;
  bool vm_cpufreq = false;  // ARM: a CPU with a frequency governor
  int vm_jobs = 0;          // VMs at once; 0: one per host CPU (virtual clock), else 1
  std::chrono::seconds boot_timeout{180};    // host time, until the measuring code runs
  std::chrono::seconds trial_timeout{1800};  // host time, for a whole trial

  bool operator==(const Plan&) const = default;
};

// Reads a plan. The error (kInvalidPlan) has one line for each mistake, in the order
// of the file, at most ten: "file:line:column: message", with the wrong word and the
// nearest right one. Paths of kernels are taken from the plan file's directory.
//
// Names of kernels are not looked up here: see check_kernels in kernel_names.h.
Result<Plan> parse_plan(std::string_view text, const std::filesystem::path& file);

// Every key that a plan may have, for documentation and its test.
struct PlanKeyName {
  std::string_view section;  // "" is the top of the file; "[measure]", "[loads.NAME]", ...
  std::string_view name;
  std::string_view fallback;  // as one would write it in TOML; "" when there is none
};
std::vector<PlanKeyName> plan_keys();

struct PlannedTrial {
  int id = 0;  // from 1, in the order of measurement
  Cell cell;
  int repetition = 1;  // from 1: a block
  uint64_t seed = 0;   // of a virtual clock's guest: a function of plan seed and repetition
};

// The trials in the order in which they are measured: repetition by repetition (a
// block), each block shuffled by the plan's seed (std::mt19937_64), excluded cells
// left out. The same plan gives the same order on every machine.
std::vector<PlannedTrial> order_trials(const Plan& plan);

// What a cell's levels mean, for a factor that the plan leaves out too.

// The loads that run together: "cpu+sd-write" is {"cpu", "sd-write"}.
std::vector<std::string> load_names(const Cell& cell);

// Debian's architecture of the cell's kernel: its level of "arch", else that of the
// kernel given by path; empty on a target that boots nothing.
std::string kernel_arch(const Plan& plan, const Cell& cell);

// Debian's architecture of the programs that measure: "armhf" for a 32-bit userland
// on an arm64 kernel, else the kernel's own.
std::string userland_arch(const Plan& plan, const Cell& cell);

// The 32-bit companion of a 64-bit architecture: "armhf" of "arm64"; empty for others.
std::string_view companion_32bit(std::string_view arch);

// What the trials of a cell tune: the plan's [tuning] with the cell's levels.
TuningSpec tuning_of(const Plan& plan, const Cell& cell);

// Whether any trial of the plan tunes anything.
bool tunes(const Plan& plan);

// The level of a factor, or what holds when the plan does not vary it ("" for a
// factor without such a level, such as "kernel").
std::string level_of(const Cell& cell, std::string_view factor);

}  // namespace rtsweep
