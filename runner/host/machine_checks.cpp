// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/machine_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "runner/base/text.h"
#include "runner/host/cpu_list.h"
#include "runner/host/machine_checks_parts.h"

namespace rtsweep {
namespace machine_checks {
namespace {

// Bits of /proc/sys/kernel/tainted (Documentation/admin-guide/tainted-kernels.rst).
constexpr std::string_view kTaintLetters = "PFSRMBUDAWCIOELKXTN";
constexpr std::array<std::string_view, 19> kTaintWords = {
    "proprietary module",   "module was forced",
    "out of specification", "module forced out",
    "machine check",        "bad page",
    "asked for by a user",  "oops or panic",
    "ACPI table replaced",  "warning",
    "staging driver",       "firmware bug worked around",
    "out-of-tree module",   "unsigned module",
    "soft lockup",          "live patch",
    "distribution's own",   "structure layout randomised",
    "in-kernel test"};

void read_taint(const HostRoot& host, Observations& observed) {
  const auto text = text_in(host, "proc/sys/kernel/tainted");
  if (!text) return;
  uint64_t mask = 0;
  std::from_chars(text->data(), text->data() + text->size(), mask);
  auto& list = observed["taint"];
  for (size_t bit = 0; bit < kTaintLetters.size(); ++bit) {
    if ((mask >> bit & 1U) == 0) continue;
    list.push_back({std::string(1, kTaintLetters[bit]),
                    fmt::format("{} ({})", kTaintLetters[bit], kTaintWords.at(bit)),
                    "/proc/sys/kernel/tainted", 0});
  }
}

// An x86 CPU says so itself; elsewhere the firmware's tables or the device tree do.
std::optional<std::string> hypervisor_of(const HostRoot& host) {
  for (const std::string& line : split(text_in(host, "proc/cpuinfo").value_or(""), '\n')) {
    if (!line.starts_with("flags")) continue;
    const std::vector<std::string> flags = words(line);
    if (std::ranges::find(flags, "hypervisor") != flags.end()) return "CPU flag hypervisor";
    break;
  }
  if (const auto type = text_in(host, "sys/hypervisor/type")) return *type;
  const std::string product = text_in(host, "sys/class/dmi/id/sys_vendor").value_or("") + " " +
                              text_in(host, "sys/class/dmi/id/product_name").value_or("");
  for (const std::string_view vendor : {"QEMU", "VMware", "VirtualBox", "Google Compute Engine",
                                        "Amazon EC2", "KVM", "Virtual Machine", "Bochs"}) {
    if (product.find(vendor) != std::string::npos) return std::string(trim(product));
  }
  if (text_in(host, "proc/device-tree/hypervisor/compatible")) return "device tree: hypervisor";
  return std::nullopt;
}

void read_hypervisor(const HostRoot& host, Observations& observed) {
  if (!text_in(host, "proc/cpuinfo")) return;
  auto& list = observed["hypervisor"];
  if (const auto found = hypervisor_of(host)) list.push_back({"yes", *found, "", 0});
}

void read_tracer(const HostRoot& host, Observations& observed) {
  for (const char* directory : {"sys/kernel/tracing", "sys/kernel/debug/tracing"}) {
    const std::string file = std::string(directory) + "/current_tracer";
    if (!text_in(host, file)) continue;
    return observe_file(host, "tracer", file, observed);
  }
}

void read_load(const HostRoot& host, Observations& observed) {
  const auto text = text_in(host, "proc/loadavg");
  const auto cpus = online_cpus(host);
  if (!text || !cpus || cpus->empty()) return;
  double load = 0;
  std::from_chars(text->data(), text->data() + text->size(), load);
  observed["load_per_cpu"] = {{fmt::format("{:.2f}", load / static_cast<double>(cpus->size())),
                               fmt::format("{} runnable tasks on {} CPUs", load, cpus->size()),
                               "/proc/loadavg", 0}};
}

}  // namespace

std::optional<std::string> text_in(const HostRoot& host, const std::string& file) {
  const auto text = host.read(file);
  return text ? std::optional(std::string(trim(*text))) : std::nullopt;
}

void observe_file(const HostRoot& host, const std::string& name, const std::string& file,
                  Observations& observed) {
  if (const auto text = text_in(host, file)) observed[name] = {{*text, *text, "/" + file, 0}};
}

void observe_by_cpu(const std::string& name, const std::string& source,
                    const std::map<std::string, std::vector<int>>& cpus_of_value,
                    Observations& observed) {
  auto& list = observed[name];
  for (const auto& [value, cpus] : cpus_of_value) {
    list.push_back({value, fmt::format("CPU {}: {}", number_ranges(cpus), value), source, 0});
  }
}

void read_kernel(const HostRoot& host, Observations& observed) {
  observe_file(host, "sched_rt_runtime_us", "proc/sys/kernel/sched_rt_runtime_us", observed);
  observe_file(host, "nmi_watchdog", "proc/sys/kernel/nmi_watchdog", observed);
  observe_file(host, "soft_watchdog", "proc/sys/kernel/soft_watchdog", observed);
  observe_file(host, "schedstats", "proc/sys/kernel/sched_schedstats", observed);
  observe_file(host, "clocksource",
               "sys/devices/system/clocksource/clocksource0/current_clocksource", observed);
  read_tracer(host, observed);
  read_taint(host, observed);
  read_load(host, observed);
  read_hypervisor(host, observed);
}

}  // namespace machine_checks

Observations read_machine_checks(const HostRoot& host) {
  Observations observed;
  machine_checks::read_cpus(host, observed);
  machine_checks::read_memory(host, observed);
  machine_checks::read_tasks(host, observed);
  machine_checks::read_interrupts(host, observed);
  machine_checks::read_heat(host, observed);
  machine_checks::read_kernel(host, observed);
  return observed;
}

}  // namespace rtsweep
