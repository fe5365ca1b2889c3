// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/isolation_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

using Cpus = std::set<int>;

// The CPUs of a parameter: none without it, nothing when its list needs the machine.
std::optional<Cpus> cpus_of(const KernelCmdline& cmdline, std::string_view name) {
  const CmdlineParameter* parameter = cmdline.find(name);
  if (parameter == nullptr || !parameter->value) return Cpus();
  const std::string list =
      name == "isolcpus" ? parse_isolcpus(*parameter->value).cpus : *parameter->value;
  return parse_boot_cpu_list(list);
}

std::string list_text(const Cpus& cpus) {
  return number_ranges(std::vector<int>(cpus.begin(), cpus.end()));
}

Cpus without(const Cpus& all, const Cpus& others) {
  Cpus left;
  std::ranges::set_difference(all, others, std::inserter(left, left.end()));
  return left;
}

class IsolationReader {
 public:
  IsolationReader(const SystemView& view, Observations& observed)
      : cmdline_(*view.cmdline), source_(view.cmdline_source), observed_(observed) {}

  void read() {
    auto& overridden = observed_["cmdline_overridden"];
    for (const CmdlineParameter* one : cmdline_.overridden()) {
      overridden.push_back({one->name,
                            fmt::format("{}, then {}", one->text, cmdline_.find(one->name)->text),
                            source_, 0});
    }
    const auto isolated = cpus_of(cmdline_, "isolcpus");
    const auto nohz = cpus_of(cmdline_, "nohz_full");
    const auto nocbs = cpus_of(cmdline_, "rcu_nocbs");
    if (!isolated || !nohz || !nocbs) return;  // such as "all": the machine is not known
    auto& list = observed_["isolated_cpus"];
    if (!isolated->empty())
      list.push_back({list_text(*isolated), text_of("isolcpus"), source_, 0});
    observed_["isolation"];
    compare(*isolated, *nohz, *nocbs);
  }

 private:
  void compare(const Cpus& isolated, const Cpus& nohz, const Cpus& nocbs) {
    add("tick_on_isolated", without(isolated, nohz), {"isolcpus", "nohz_full"});
    add("nohz_not_isolated", without(nohz, isolated), {"isolcpus", "nohz_full"});
    // The kernel offloads the callbacks of nohz_full CPUs by itself.
    add("callbacks_on_isolated", without(without(isolated, nohz), nocbs),
        {"isolcpus", "nohz_full", "rcu_nocbs"});
    if (isolated.empty()) return;
    const auto flags = parse_isolcpus(*cmdline_.find("isolcpus")->value).flags;
    const auto has = [&](std::string_view flag) {
      return std::ranges::find(flags, flag) != flags.end();
    };
    if (!has("nohz") && !has("managed_irq") && nohz.empty() && nocbs.empty() &&
        cmdline_.find("irqaffinity") == nullptr) {
      add("domain_only", isolated, {"isolcpus"});
    }
    if (cmdline_.find("irqaffinity") != nullptr) {
      const auto irqs = cpus_of(cmdline_, "irqaffinity");
      Cpus both;
      if (irqs) std::ranges::set_intersection(*irqs, isolated, std::inserter(both, both.end()));
      return add("irqs_on_isolated", both, {"isolcpus", "irqaffinity"});
    }
    if (!has("managed_irq")) add("irqs_on_isolated", isolated, {"isolcpus"});
  }

  void add(const std::string& value, const Cpus& cpus, std::initializer_list<const char*> words) {
    if (cpus.empty()) return;
    std::string said = fmt::format("CPU {}:", list_text(cpus));
    for (const char* word : words) said += " " + text_of(word);
    observed_["isolation"].push_back({value, said, source_, 0});
  }

  std::string text_of(std::string_view name) const {
    const CmdlineParameter* parameter = cmdline_.find(name);
    return parameter == nullptr ? fmt::format("(no {}=)", name) : parameter->text;
  }

  const KernelCmdline& cmdline_;
  const std::string& source_;
  Observations& observed_;
};

// The last numa=fake=N; the kernel keeps the last one it reads.
std::optional<std::pair<int, std::string>> fake_nodes(const KernelCmdline& cmdline) {
  std::optional<std::pair<int, std::string>> asked;
  for (const CmdlineParameter& one : cmdline.parameters) {
    if (one.name != "numa" || !one.value) continue;
    if (*one.value == "off") asked.reset();
    if (!one.value->starts_with("fake=")) continue;
    int nodes = 0;
    const std::string number = one.value->substr(5);
    std::from_chars(number.data(), number.data() + number.size(), nodes);
    asked = {nodes, one.text};
  }
  return asked;
}

void observe_fake_nodes(const SystemView& view, Observations& observed) {
  const auto asked = fake_nodes(*view.cmdline);
  auto& requested = observed["numa_fake_requested"];
  if (asked && asked->first > 1) {
    requested.push_back({std::to_string(asked->first), asked->second, view.cmdline_source, 0});
  }
  if (!asked || asked->first <= 1) {
    observed["numa_fake"];
    return;
  }
  const auto nodes = view.observed.find("numa_nodes");
  if (nodes == view.observed.end()) return;
  auto& list = observed["numa_fake"];
  if (observed_value(view.observed, "numa_nodes", "1")) {
    list.push_back(
        {"not_effective", asked->second + ", and one node came up", view.cmdline_source, 0});
  }
}

}  // namespace

Observations isolation_facts(const SystemView& view) {
  Observations observed;
  IsolationReader(view, observed).read();
  observe_fake_nodes(view, observed);
  return observed;
}

}  // namespace rtsweep
