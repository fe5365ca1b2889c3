// SPDX-License-Identifier: GPL-2.0-or-later

#include <algorithm>

#include "loads/load.h"
#include "runner/measure/probe.h"
#include "runner/plan/factors.h"
#include "runner/plan/feasibility.h"

namespace rtsweep {
namespace {

struct Packaged {
  std::string_view program;
  std::string_view package;
};

// Where the name of Debian's package is not the program's own.
constexpr Packaged kPackages[] = {
    {"cyclictest", "rt-tests"},
    {"find", "findutils"},
    {"hackbench", "rt-tests"},
    {"qemu-system-aarch64", "qemu-system-arm"},
    {"qemu-system-arm", "qemu-system-arm"},
    {"qemu-system-i386", "qemu-system-x86"},
    {"qemu-system-x86_64", "qemu-system-x86"},
    {"sh", "dash"},
};

std::string package_of(std::string_view program) {
  const auto* found = std::ranges::find(kPackages, program, &Packaged::program);
  return std::string(found == std::end(kPackages) ? program : found->package);
}

std::string emulator_of(std::string_view arch) {
  if (arch == "amd64") return "qemu-system-x86_64";
  if (arch == "i386") return "qemu-system-i386";
  if (arch == "arm64") return "qemu-system-aarch64";
  return "qemu-system-arm";
}

// What a VM measures with comes from Debian packages of the guest's architecture.
std::vector<std::string> program_names(const Plan& plan, const Cell& cell) {
  if (plan.target == "vm") return {emulator_of(kernel_arch(plan, cell))};
  std::vector<std::string> names;
  const ProbeKind* probe = find_probe_kind(plan.probe);
  if (probe != nullptr && !probe->program.empty()) names.emplace_back(probe->program);
  for (const std::string& name : load_names(cell)) {
    const Load* load = builtin_loads().find(name);
    if (load == nullptr) continue;
    for (const std::string_view program : load->programs) names.emplace_back(program);
  }
  const bool placed =
      level_of(cell, "probe_memory") != "default" || level_of(cell, "load_memory") != "default";
  if (placed) names.emplace_back("numactl");
  return names;
}

}  // namespace

std::vector<NeededProgram> needed_programs(const Plan& plan, const Cell& cell) {
  std::vector<NeededProgram> programs;
  for (std::string& name : program_names(plan, cell)) {
    std::string package = package_of(name);
    programs.push_back({std::move(name), std::move(package)});
  }
  return programs;
}

}  // namespace rtsweep
