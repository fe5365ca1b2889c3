// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/bundle_parts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "loads/load.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/boot/vm_results.h"
#include "runner/measure/trial_sink.h"
#include "runner/run/outlier_causes.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kWindow = 2;  // s
constexpr size_t kLinesWithoutTime = 100;

// What a reader of the bundle misses least goes first: the greatest number.
struct DropRule {
  std::string_view name;  // "load-*": all that begin so
  int order;
};
constexpr auto kDropRules = std::to_array<DropRule>({
    {"load-*", 80},
    {"qemu.log", 80},
    {"numa_maps.txt", 80},
    {"outlier-*", 70},  // not the one that the mail is about
    {"console.log", 60},
    {"cyclictest.txt", 55},
    {"dmesg.txt", 50},
    {"tuning.json", 40},
    {"timelines.json", 40},
    {"counters.json", 35},
});
constexpr int kOutlierTraceOrder = 20;

bool matches(std::string_view name, std::string_view rule) {
  if (!rule.ends_with('*')) return name == rule;
  rule.remove_suffix(1);
  return name.starts_with(rule);
}

int drop_order(const std::string& name, const std::string& outlier_trace) {
  if (name == outlier_trace) return kOutlierTraceOrder;
  for (const DropRule& rule : kDropRules) {
    if (matches(name, rule.name)) return rule.order;
  }
  return 0;
}

std::string what_of(const std::string& name, const std::string& outlier_trace) {
  if (name == outlier_trace) return "the trace, for trace-cmd and KernelShark";
  if (name == "cyclictest.json") return "what cyclictest measured, raw";
  if (name == trial_file::kFactsAfter) return "what the machine said of itself";
  return "";
}

json json_of(const fs::path& file) {
  const auto text = read_file(file);
  return text ? json::parse(*text, nullptr, false) : json();
}

// "[   12.345678] text", "<6>[   12.345678] text".
std::optional<double> printk_time(std::string_view line) {
  const size_t open = line.find('[');
  const size_t close = line.find(']');
  if (open > 4 || close == std::string_view::npos || close < open) return std::nullopt;
  const std::string_view inside = trim(line.substr(open + 1, close - open - 1));
  double time = 0;
  const auto [end, failed] = std::from_chars(inside.begin(), inside.end(), time);
  if (failed != std::errc()) return std::nullopt;
  return time;
}

std::map<std::string, std::string> options_of(const json& spec, const Load& load) {
  std::map<std::string, std::string> options;
  for (const LoadOption& option : load.options) options[std::string(option.name)] = option.fallback;
  for (const auto& [name, value] : spec.value("options", json::object()).items()) {
    if (value.is_string()) options[name] = value.get<std::string>();
  }
  return options;
}

std::vector<std::string> load_command(const json& spec, const HostRoot& host, const json& facts) {
  const Load* load = builtin_loads().find(spec.value("name", ""));
  if (load == nullptr || load->arguments == nullptr) return {};
  const auto command = spec.value("options", json::object()).value("run", "");
  if (load->name == "command") return {"sh", "-c", command};
  auto cpus = spec.value("cpus", std::vector<int>());
  if (cpus.empty()) cpus = facts.value("online_cpus", std::vector<int>{0});
  const LoadContext context{.host = host,
                            .cpus = cpus,
                            .scratch = "/tmp/load",
                            .options = options_of(spec, *load),
                            .machine = facts.value("machine", "")};
  const auto arguments = load->arguments(context);
  return arguments ? *arguments : std::vector<std::string>();
}

}  // namespace

std::vector<BundlePart> run_parts(const RawParts& raw, const std::string& trial_name,
                                  const std::string& outlier_trace) {
  std::vector<BundlePart> parts;
  for (const BundleFile& file : raw.run) {
    parts.push_back({.name = "run/" + file.name, .content = file.content});
    if (file.name == "plan.toml") parts.back().what = "the plan";
  }
  for (const BundleFile& file : raw.trial) {
    parts.push_back({.name = "run/" + trial_name + "/" + file.name,
                     .content = file.content,
                     .what = what_of(file.name, outlier_trace),
                     .drop_order = drop_order(file.name, outlier_trace)});
  }
  return parts;
}

std::string dmesg_window(std::string_view dmesg, std::optional<double> at_s) {
  const std::vector<std::string> lines = split(dmesg, '\n');
  std::string window;
  size_t number = 0;
  for (const std::string& line : lines) {
    ++number;
    const auto time = printk_time(line);
    const bool near = at_s && time && *time >= *at_s - kWindow && *time <= *at_s + kWindow;
    const bool late = !at_s && number + kLinesWithoutTime > lines.size();
    if (near || late) window += line + "\n";
  }
  return window == "\n" ? "" : window;
}

std::vector<std::string> probe_command(const fs::path& trial) {
  const json probe = json_of(trial / trial_file::kProbe);
  if (!probe.is_object() || !probe.contains("argv")) return {};
  std::vector<std::string> argv;
  for (const json& word : probe["argv"]) {
    if (!word.is_string()) return {};
    std::string text = word.get<std::string>();
    if (text.starts_with("--json=")) text = "--json=cyclictest.json";
    argv.push_back(std::move(text));
  }
  return argv;
}

std::vector<std::vector<std::string>> load_commands(const fs::path& trial, const HostRoot& host) {
  std::vector<std::vector<std::string>> commands;
  try {
    const json asked = json_of(trial / "trial.json");
    const json facts = json_of(trial / trial_file::kFactsBefore);
    for (const json& spec : asked.at("spec").at("loads")) {
      auto command = load_command(spec, host, facts);
      if (!command.empty()) commands.push_back(std::move(command));
    }
  } catch (const json::exception&) {
    return {};  // a trial of another program, or damaged: the plan says what the loads were
  }
  return commands;
}

std::optional<double> outlier_time_s(const fs::path& trial, size_t outlier) {
  const json capture = json_of(trial / trial_file::kCapture);
  try {
    return capture.at("outliers").at(outlier).at("at_us").get<double>() / 1e6;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace rtsweep
