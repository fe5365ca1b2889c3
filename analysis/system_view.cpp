// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/system_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "analysis/isolation_facts.h"
#include "analysis/kernel_arch.h"
#include "analysis/kernel_log_facts.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// What a config says of the flavour, and the option that says so. Nothing for a file that
// says neither yes nor no.
std::optional<Observation> flavour_of_config(const KernelConfig& config,
                                             const std::string& source) {
  struct Mark {
    std::string_view option;
    KernelFlavour flavour;
  };
  // A co-kernel goes first: its kernels leave PREEMPT_RT off on purpose.
  static constexpr Mark kMarks[] = {{"EVL", KernelFlavour::kEvl},
                                    {"XENOMAI", KernelFlavour::kCobalt},
                                    {"IPIPE", KernelFlavour::kCobalt},
                                    {"PREEMPT_RT", KernelFlavour::kRt},
                                    {"PREEMPT_RT_FULL", KernelFlavour::kRt}};
  for (const Mark& mark : kMarks) {
    if (!config.is_on(mark.option)) continue;
    const ConfigSetting& setting = *config.find(mark.option);
    return Observation{std::string(flavour_name(mark.flavour)), setting.text, source, setting.line};
  }
  const ConfigSetting* off = config.find("PREEMPT_RT");
  if (off != nullptr) return Observation{"plain", off->text, source, off->line};
  if (config.kind != ConfigKind::kFull) return std::nullopt;
  return Observation{"plain", "CONFIG_PREEMPT_RT is not in the file", source, 0};
}

void add_remarks(Observations& observed, const std::string& name,
                 const std::vector<ConfigRemark>& remarks, const std::string& source) {
  auto& list = observed[name];
  for (const ConfigRemark& remark : remarks)
    list.push_back({"yes", remark.text, source, remark.line});
}

void observe_config(SystemView& view) {
  if (!view.config) return;
  const KernelConfig& config = *view.config;
  view.observed["config_kind"] = {{std::string(config_kind_name(config.kind)), "", "", 0}};
  add_remarks(view.observed, "config_duplicate", config.duplicates, view.config_source);
  add_remarks(view.observed, "config_conflict", config.conflicts, view.config_source);
  add_remarks(view.observed, "config_ignored", config.ignored, view.config_source);
}

std::optional<Observation> flavour_of_machine(const SystemView& view) {
  if (!view.machine) return std::nullopt;
  const MachineFacts& machine = *view.machine;
  if (machine.preempt_rt) {
    return Observation{*machine.preempt_rt ? "rt" : "plain", "uname -v: " + machine.kernel_version,
                       "", 0};
  }
  return std::nullopt;
}

// What runs is the machine's own word or its log's; the config may be another kernel's.
void observe_flavour(SystemView& view, const KernelLogFacts& log) {
  auto running = flavour_of_machine(view);
  if (!running && log.flavour) {
    running = Observation{std::string(flavour_name(*log.flavour)),
                          fmt::format("Linux {} {}", log.kernel_version, log.flavour_said),
                          view.log_source, log.flavour_line};
  }
  std::optional<Observation> configured;
  if (view.config) configured = flavour_of_config(*view.config, view.config_source);
  // uname does not tell a co-kernel from a plain kernel; the config does.
  const bool cokernel = configured && (configured->value == "evl" || configured->value == "cobalt");
  if (running && running->value == "plain" && cokernel) running.reset();
  if (running && configured) {
    auto& mismatch = view.observed["flavour_mismatch"];
    if (running->value != configured->value) {
      mismatch.push_back({"yes",
                          fmt::format("running: {} ({}); config: {} ({})", running->value,
                                      running->said, configured->value, configured->said),
                          view.config_source, configured->line});
    }
  }
  const auto& known = running ? running : configured;
  if (known && !view.observed.contains("flavour")) view.observed["flavour"] = {*known};
}

void observe_machine(SystemView& view) {
  if (!view.machine) return;
  const MachineFacts& machine = *view.machine;
  if (machine.numa_nodes && !view.observed.contains("numa_nodes")) {
    view.observed["numa_nodes"] = {{std::to_string(*machine.numa_nodes),
                                    fmt::format("NUMA nodes: {}", *machine.numa_nodes),
                                    "/sys/devices/system/node/online", 0}};
  }
}

void fill_in(SystemView& view, const KernelLogFacts& log) {
  if (view.machine && view.kernel_version.empty())
    view.kernel_version = view.machine->kernel_release;
  if (view.machine && view.arch.empty()) view.arch = known_arch(view.machine->machine);
  if (view.kernel_version.empty()) view.kernel_version = log.kernel_version;
  if (view.config && view.kernel_version.empty()) view.kernel_version = view.config->kernel_version;
  if (view.config && view.arch.empty()) {
    view.arch = view.config->arch;
    if (view.arch == "x86") view.arch = view.config->is_on("64BIT") ? "x86_64" : "i386";
  }
  if (!view.cmdline && log.cmdline) {
    if (auto parsed = parse_kernel_cmdline(*log.cmdline)) {
      view.cmdline = std::move(parsed).value();
      view.cmdline_source = view.log_source;
    }
  }
}

}  // namespace

void add_observations(Observations& to, Observations more) {
  for (auto& [name, list] : more) {
    auto& own = to[name];
    std::move(list.begin(), list.end(), std::back_inserter(own));
  }
}

bool observed_value(const Observations& observed, std::string_view name, std::string_view value) {
  const auto it = observed.find(name);
  return it != observed.end() && std::ranges::any_of(it->second, [&](const Observation& one) {
           return one.value == value;
         });
}

SystemView completed(SystemView view) {
  KernelLogFacts log;
  if (view.log) log = read_kernel_log_facts(*view.log, view.log_source);
  fill_in(view, log);
  observe_config(view);
  observe_flavour(view, log);
  observe_machine(view);
  for (auto& [name, list] : log.observed) view.observed.try_emplace(name, std::move(list));
  if (view.cmdline) add_observations(view.observed, isolation_facts(view));
  return view;
}

}  // namespace rtsweep
