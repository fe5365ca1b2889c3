// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/factors.h"

#include <fmt/format.h>

#include <algorithm>

#include "loads/load.h"
#include "runner/base/text.h"
#include "runner/plan/memory_policy.h"
#include "runner/plan/tuning_keys.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

using Refusal = std::optional<std::string>;

const std::vector<std::string> kArches = {"amd64", "i386", "arm64", "armhf"};
const std::vector<std::string> kUserlands = {"native", "32-bit"};

// COMMAND_LINE_SIZE of 32-bit Arm, the smallest of the four, less what the suite adds.
constexpr size_t kLongestCmdline = 700;

Refusal refuse_empty(const std::string& level) {
  if (level.empty()) return "a kernel needs a name";
  return std::nullopt;
}

Refusal refuse_arch(const std::string& level) {
  if (std::ranges::find(kArches, level) != kArches.end()) return std::nullopt;
  return unknown_word("architecture", level, kArches);
}

Refusal refuse_userland(const std::string& level) {
  if (std::ranges::find(kUserlands, level) != kUserlands.end()) return std::nullopt;
  return unknown_word("userland", level, kUserlands);
}

Refusal refuse_cmdline(const std::string& level) {
  if (level.size() <= kLongestCmdline) return std::nullopt;
  return fmt::format("boot parameters of {} characters; a kernel takes {} beside the suite's own",
                     level.size(), kLongestCmdline);
}

Refusal refuse_memory(const std::string& level) {
  const auto policy = parse_memory_policy(level);
  if (policy) return std::nullopt;
  return policy.error().message();
}

// "cpu+sd-write": each known, each once, and idle is nothing to add to.
Refusal refuse_load(const std::string& level) {
  const std::vector<std::string> names = split(level, '+');
  for (const std::string& name : names) {
    if (builtin_loads().find(name) == nullptr) {
      return unknown_word("load", name, builtin_loads().names());
    }
    if (std::ranges::count(names, name) > 1) return fmt::format("load \"{}\" stands twice", name);
    if (name == "idle" && names.size() > 1) return "\"idle\" cannot be joined with other loads";
  }
  return std::nullopt;
}

constexpr FactorKind kOwnFactors[] = {
    {.name = "kernel",
     .varies = "kernel: version and preemption model, or one given by path",
     .levels = "a name of kernels.toml (rtsweep kernel list) or of a [kernels.NAME] table",
     .fallback = "",
     .read_back = "uname -r, uname -v, the kernel's own .config",
     .boots = true,
     .refuse = refuse_empty},
    {.name = "arch",
     .varies = "architecture, and with it the kernel's bitness: the pairs are amd64/i386 and "
               "arm64/armhf",
     .levels = "amd64, i386, arm64, armhf",
     .fallback = "",
     .read_back = "uname -m",
     .refuse = refuse_arch},
    {.name = "userland",
     .varies = "bitness of the measuring programs and of the loads",
     .levels = "native, 32-bit (on a 64-bit kernel)",
     .fallback = "native",
     .read_back = "ELF class of the programs that ran",
     .boots = true,
     .refuse = refuse_userland},
    {.name = "cmdline",
     .varies = "boot parameters added to the suite's own",
     .levels = "any text; \"\" adds nothing",
     .fallback = "",
     .read_back = "/proc/cmdline, and its effect where the kernel shows it: numa=fake, isolcpus, "
                  "nohz_full, mem, cma and others (docs/reducing-variance.md)",
     .boots = true,
     .refuse = refuse_cmdline},
    {.name = "load",
     .varies = "what keeps the machine busy beside the probe",
     .levels = "a load (rtsweep list loads); + joins several",
     .fallback = "idle",
     .read_back = "processes alive at the end, work done against the floor",
     .refuse = refuse_load},
    {.name = "probe_memory",
     .varies = "memory placement of the probe",
     .levels = "default, local, bind:NODES, preferred:NODE, interleave:NODES or :all",
     .fallback = "default",
     .read_back = "/proc/PID/numa_maps of the probe",
     .refuse = refuse_memory},
    {.name = "load_memory",
     .varies = "memory placement of the loads",
     .levels = "default, local, bind:NODES, preferred:NODE, interleave:NODES or :all",
     .fallback = "default",
     .read_back = "/proc/PID/numa_maps of the loads",
     .refuse = refuse_memory},
};

// Every single value of [tuning] can be varied too.
std::vector<FactorKind> all_factors() {
  std::vector<FactorKind> all(std::begin(kOwnFactors), std::end(kOwnFactors));
  for (const TuningKey& key : tuning_keys()) {
    all.push_back({.name = key.factor,
                   .varies = key.sets,
                   .levels = key.values,
                   .fallback = "",
                   .read_back = key.file,
                   .tuning = &key});
  }
  return all;
}

constexpr TargetKind kTargets[] = {
    {.name = "vm", .measures_on = "a QEMU virtual machine, booted anew for every trial"},
    {.name = "local", .measures_on = "this machine with its running kernel; nothing is rebooted"},
};

}  // namespace

std::span<const FactorKind> factor_kinds() {
  static const std::vector<FactorKind> kFactors = all_factors();
  return kFactors;
}
std::span<const TargetKind> target_kinds() { return kTargets; }
std::span<const std::string> known_arches() { return kArches; }

const FactorKind* find_factor_kind(std::string_view name) {
  const std::span<const FactorKind> all = factor_kinds();
  const auto found = std::ranges::find(all, name, &FactorKind::name);
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::string> refuse_level(const FactorKind& kind, const std::string& level) {
  if (kind.tuning != nullptr && !level.empty()) {
    TuningSpec spec;
    return kind.tuning->set(spec, level);
  }
  return kind.refuse != nullptr ? kind.refuse(level) : std::nullopt;
}

std::vector<std::string> factor_names() { return names_of(factor_kinds()); }

}  // namespace rtsweep
