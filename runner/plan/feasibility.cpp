// SPDX-License-Identifier: GPL-2.0-or-later

// Each reason is a function of its own: a row of the table below. The first that holds
// is told, so the rows stand from what nobody can change to what apt-get can.

#include "runner/plan/feasibility.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "runner/base/text.h"
#include "runner/plan/kernel_names.h"
#include "runner/plan/memory_policy.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

using Why = std::optional<std::string>;

struct Question {
  const Plan& plan;
  const Cell& cell;
  const PlanHost& host;
  std::string kernel;  // the level; empty: the running one
  std::string arch;    // of the kernel; empty: the running one's

  bool vm() const { return plan.target == "vm"; }
  bool bits_32() const { return arch == "i386" || arch == "armhf"; }
};

// What a .config says of a symbol: "y", "m", a value, or "n" when it is not set.
std::string config_value(std::string_view config, std::string_view symbol) {
  const std::string start = fmt::format("{}=", symbol);
  for (const std::string& line : split(config, '\n')) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return "n";
}

// Of the cell's kernel; nothing when its .config is not at hand.
std::optional<std::string> config_value(const Question& ask, std::string_view symbol) {
  const auto config = ask.host.configs.find({ask.kernel, ask.arch});
  if (config == ask.host.configs.end()) return std::nullopt;
  return config_value(config->second, symbol);
}

// BCM2712's Cortex-A76 runs AArch32 at EL0 only, so no 32-bit kernel, whatever the
// boot loader says; the boards of the Pi 5 family all have it.
bool has_no_aarch32_kernel(const std::string& board) {
  return board.starts_with("Raspberry Pi 5") || board.starts_with("Raspberry Pi Compute Module 5");
}

Why wrong_kernel_for_board(const Question& ask) {
  if (ask.vm() || ask.arch != "armhf" || !has_no_aarch32_kernel(ask.host.board)) return {};
  return fmt::format(
      "a {} cannot run a 32-bit kernel: its Cortex-A76 cores run 32-bit programs only; use "
      "userland = \"32-bit\" on an arm64 kernel, a Pi 4, or target \"vm\"",
      ask.host.board);
}

Why not_the_running_arch(const Question& ask) {
  if (ask.vm() || ask.arch.empty()) return {};
  const bool same_bits = (ask.host.kernel_bits == 32) == ask.bits_32();
  const std::string_view companion = companion_32bit(ask.arch);
  const bool same_family = ask.host.arch == ask.arch || ask.host.arch == companion ||
                           companion_32bit(ask.host.arch) == ask.arch;
  if (same_bits && same_family) return {};
  return fmt::format(
      "target \"local\" measures the running kernel, which is {}-bit on {}, not {}; boot an {} "
      "kernel first, or use target \"vm\"",
      ask.host.kernel_bits, ask.host.arch, ask.arch, ask.arch);
}

Why not_published(const Question& ask) {
  if (ask.kernel.empty() || ask.plan.kernels.contains(ask.kernel)) return {};
  const auto arches = published_arches(ask.kernel, ask.host.kernels);
  if (std::ranges::find(arches, ask.arch) != arches.end()) return {};
  return fmt::format(
      "kernel {} is not published for {}, only for {}; leave it out with [[exclude]]", ask.kernel,
      ask.arch, arches.empty() ? "no architecture" : join(arches, ", "));
}

Why own_kernel_of_other_arch(const Question& ask) {
  const auto kernel = ask.plan.kernels.find(ask.kernel);
  if (kernel == ask.plan.kernels.end() || kernel->second.arch == ask.arch) return {};
  return fmt::format(
      "kernel {} is given for {} by [kernels.{}], not for {}; leave it out with "
      "[[exclude]]",
      ask.kernel, kernel->second.arch, ask.kernel, ask.arch);
}

Why own_kernel_missing(const Question& ask) {
  const auto kernel = ask.plan.kernels.find(ask.kernel);
  if (kernel == ask.plan.kernels.end()) return {};
  for (const auto& file : {kernel->second.image, kernel->second.modules, kernel->second.config}) {
    if (!ask.host.missing_files.contains(file)) continue;
    return fmt::format("there is no {}; correct its path in [kernels.{}]", file.string(),
                       ask.kernel);
  }
  return {};
}

Why same_as_native(const Question& ask) {
  if (level_of(ask.cell, "userland") == "native" || !ask.bits_32()) return {};
  return fmt::format(
      "a 32-bit userland on a 32-bit {} kernel is the native one, measured already; "
      "leave it out with [[exclude]]",
      ask.arch);
}

// CONFIG_COMPAT is arm64's name, and x86 has it through CONFIG_IA32_EMULATION.
Why no_compat(const Question& ask) {
  if (level_of(ask.cell, "userland") == "native" || ask.bits_32()) return {};
  const std::string_view symbol = ask.arch == "amd64" ? "CONFIG_IA32_EMULATION" : "CONFIG_COMPAT";
  if (config_value(ask, symbol).value_or("y") == "y") return {};
  return fmt::format(
      "kernel {} for {} has no {}, so it runs no 32-bit programs; build it with, or "
      "leave userland \"32-bit\" out",
      ask.kernel, ask.arch, symbol);
}

// The last of its kind counts, as in the kernel.
std::optional<std::string> fake_nodes(const Cell& cell) {
  constexpr std::string_view kStart = "numa=fake=";
  std::optional<std::string> value;
  for (const std::string& word : words(level_of(cell, "cmdline"))) {
    if (word.starts_with(kStart)) value = word.substr(kStart.size());
  }
  return value;
}

// Before 6.12 only x86 had NUMA emulation; since then arm64 may, but Debian's kernels
// do not set CONFIG_NUMA_EMU there.
Why no_numa_emulation(const Question& ask) {
  if (!fake_nodes(ask.cell)) return {};
  if (ask.bits_32()) {
    return fmt::format(
        "a 32-bit {} kernel has no NUMA emulation (numa=fake=); measure it on "
        "{} only",
        ask.arch, ask.arch == "i386" ? "amd64" : "arm64");
  }
  const auto set = config_value(ask, "CONFIG_NUMA_EMU");
  const bool debian = !ask.plan.kernels.contains(ask.kernel);
  if (set.value_or(debian && ask.arch != "amd64" ? "n" : "y") == "y") return {};
  return fmt::format(
      "kernel {} for {} is built without CONFIG_NUMA_EMU, so numa=fake= does "
      "nothing; use an amd64 kernel, or build one with it and give it by path",
      ask.kernel, ask.arch);
}

// How many nodes the cell's kernel will have. Unknown for sizes ("64M"), which make as
// many as the memory allows.
std::optional<int> node_count(const Question& ask) {
  if (!ask.vm()) {
    return ask.host.nodes.empty() ? 0 : ask.host.nodes.back() + 1;
  }
  const auto fake = fake_nodes(ask.cell);
  if (!fake) return 1;
  int count = 0;
  const auto [end, error] = std::from_chars(fake->data(), fake->data() + fake->size(), count);
  if (error != std::errc() || end != fake->data() + fake->size()) return std::nullopt;
  return std::max(1, count);
}

Why no_such_node(const Question& ask, std::string_view factor) {
  const std::string level = level_of(ask.cell, factor);
  const auto policy = parse_memory_policy(level);
  if (!policy || policy->mode == MemoryPolicy::Mode::kDefault) return {};
  if (ask.bits_32() || (!ask.vm() && ask.host.nodes.empty())) {
    return fmt::format(
        "{} \"{}\" needs a kernel with NUMA, and {} has none; leave it out with "
        "[[exclude]]",
        factor, level, ask.bits_32() ? "a 32-bit " + ask.arch + " kernel" : "the running one");
  }
  const auto count = node_count(ask);
  if (policy->nodes.empty() || !count || policy->nodes.back() < *count) return {};
  return fmt::format(
      "{} \"{}\" names memory node {}, and there will be {} only; {}", factor, level,
      policy->nodes.back(), *count == 1 ? "node 0" : fmt::format("nodes 0-{}", *count - 1),
      ask.vm() ? fmt::format("boot with cmdline \"numa=fake={}\"", policy->nodes.back() + 1)
               : "choose one that exists (numactl --hardware)");
}

Why no_node_for_probe(const Question& ask) { return no_such_node(ask, "probe_memory"); }
Why no_node_for_load(const Question& ask) { return no_such_node(ask, "load_memory"); }

Why load_refuses(const Question& ask) {
  for (const std::string& load : load_names(ask.cell)) {
    const auto refusal = ask.host.load_refusals.find(load);
    if (refusal == ask.host.load_refusals.end()) continue;
    return fmt::format("load {}: {}", load, refusal->second);
  }
  return {};
}

Why guest_not_built(const Question& ask) {
  if (!ask.vm()) return {};
  const std::string arch = userland_arch(ask.plan, ask.cell);
  if (ask.host.guests.contains(arch)) return {};
  return fmt::format(
      "the measuring program for {0} guests is not built; configure rtsweep with "
      "{0} in -DRTSWEEP_GUESTS and build it",
      arch);
}

Why missing_program(const Question& ask) {
  for (const auto& [name, package] : needed_programs(ask.plan, ask.cell)) {
    if (ask.host.programs.contains(name)) continue;
    return fmt::format("{} is not installed; apt-get install {}", name, package);
  }
  return {};
}

Why no_rt_priority(const Question& ask) {
  if (ask.vm() || ask.host.highest_rt_priority >= ask.plan.priority) return {};
  return fmt::format(
      "this user may not run threads at real-time priority {} (at most {}); run as "
      "root, or raise rtprio in /etc/security/limits.conf",
      ask.plan.priority, ask.host.highest_rt_priority);
}

constexpr Why (*kReasons[])(const Question&) = {
    wrong_kernel_for_board, not_the_running_arch, not_published,   own_kernel_of_other_arch,
    own_kernel_missing,     same_as_native,       no_compat,       no_numa_emulation,
    no_node_for_probe,      no_node_for_load,     guest_not_built, missing_program,
    load_refuses,           no_rt_priority,
};

}  // namespace

std::optional<std::string> impossible_reason(const Plan& plan, const PlannedTrial& trial,
                                             const PlanHost& host) {
  const Question ask{plan, trial.cell, host, level_of(trial.cell, "kernel"),
                     kernel_arch(plan, trial.cell)};
  for (const auto reason : kReasons) {
    if (Why why = reason(ask)) return why;
  }
  return std::nullopt;
}

}  // namespace rtsweep
