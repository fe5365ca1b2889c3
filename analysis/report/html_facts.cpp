// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/html_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "analysis/report/html.h"
#include "analysis/report/json_measurement.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

using Json = nlohmann::ordered_json;

// A fold begins here: about three lines of a page.
constexpr size_t kLongFact = 300;
constexpr size_t kBusiest = 12;

// "0-3" for {0, 1, 2, 3}, as the kernel prints CPU lists.
std::string cpu_list(const nlohmann::json& cpus) {
  std::string text;
  for (size_t i = 0; i < cpus.size(); ++i) {
    size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last].get<int>() + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i].get<int>());
    if (last > i) text += '-' + std::to_string(cpus[last].get<int>());
    i = last;
  }
  return text.empty() ? "none" : text;
}

std::string value_text(const nlohmann::json& value);

std::string joined(const nlohmann::json& values, bool named) {
  std::vector<std::string> parts;
  for (const auto& [name, part] : values.items()) {
    const bool nested = part.is_structured();
    const std::string text = nested ? "(" + value_text(part) + ")" : value_text(part);
    parts.push_back(named ? name + ": " + text : text);
  }
  return join(parts, ", ");
}

std::string value_text(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_structured()) return joined(value, value.is_object());
  return value.dump();
}

std::string fact_html(const std::string& name, const nlohmann::json& value) {
  const std::string text = name.ends_with("_cpus") ? cpu_list(value) : value_text(value);
  if (text.empty()) return "";
  const std::string shown = text.size() <= kLongFact
                                ? html_escaped(text)
                                : fmt::format("<details><summary>{} entries</summary>{}</details>",
                                              value.size(), html_escaped(text));
  return fmt::format("<dt>{}</dt><dd>{}</dd>", html_escaped(name), shown);
}

struct Row {
  std::string name;
  uint64_t total = 0;
  Json counts;
};

// Names of interrupts are those of the machine's own table.
std::string interrupt_name(const TrialResult& trial, const std::string& irq) {
  if (!trial.facts) return irq;
  const auto setup = trial.facts->interrupts.find(irq);
  return setup == trial.facts->interrupts.end() ? irq : irq + " " + setup->second.name;
}

std::vector<Row> busiest(const TrialResult& trial, const Json& measurement) {
  std::vector<Row> rows;
  for (const char* table : {"interrupts", "softirqs"}) {
    for (const auto& [name, counts] : measurement.at(table).items()) {
      uint64_t total = 0;
      for (const Json& count : counts) total += count.get<uint64_t>();
      const bool softirq = std::string_view(table) == "softirqs";
      rows.push_back({softirq ? "softirq " + name : interrupt_name(trial, name), total, counts});
    }
  }
  std::ranges::stable_sort(rows, std::greater(), &Row::total);
  if (rows.size() > kBusiest) rows.resize(kBusiest);
  return rows;
}

std::string observer_html(const MeasurementCounters& counters) {
  if (!counters.observer) return "";
  const ObserverCost& cost = *counters.observer;
  return fmt::format(
      "<p>rtsweep itself used {:.1f} ms of CPU time and {} context switches in these {:.1f} s.</p>",
      cost.cpu_s * 1000, cost.switches + cost.preemptions, cost.wall_s);
}

}  // namespace

std::string facts_html(const TrialResult& trial) {
  if (!trial.facts) return "";
  std::string html;
  const nlohmann::json facts = *trial.facts;
  for (const auto& [name, value] : facts.items()) html += fact_html(name, value);
  return html;
}

std::string measurement_html(const TrialResult& trial) {
  if (!trial.counters) return "";
  const Json measurement = json_of_measurement(trial.counters);
  const std::vector<Row> rows = busiest(trial, measurement);
  if (rows.empty()) return observer_html(*trial.counters);
  std::string html =
      "<table><caption>Interrupts during the measurement, the busiest first</caption>"
      "<thead><tr><th scope=col class=text>interrupt</th>";
  for (const Json& cpu : measurement.at("interrupt_cpus")) {
    html += fmt::format("<th scope=col>CPU {}</th>", cpu.get<int>());
  }
  html += "</tr></thead><tbody>";
  for (const Row& row : rows) {
    html += fmt::format("<tr><td class=text>{}</td>", html_escaped(row.name));
    for (const Json& count : row.counts) html += fmt::format("<td>{}</td>", count.get<uint64_t>());
    html += "</tr>";
  }
  return html_scrolling(html + "</tbody></table>") + observer_html(*trial.counters);
}

}  // namespace rtsweep
