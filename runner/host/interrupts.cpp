// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/interrupts.h"

#include "runner/base/text.h"
#include "runner/host/read_values.h"

namespace rtsweep {
namespace {

// "CPU0 CPU1 CPU3"
std::vector<int> parse_header(std::string_view line) {
  std::vector<int> cpus;
  for (const std::string& word : words(line)) {
    if (!word.starts_with("CPU")) continue;
    if (const auto cpu = number_in(std::string_view(word).substr(3))) {
      cpus.push_back(static_cast<int>(*cpu));
    }
  }
  return cpus;
}

CountTable::Row parse_row(std::string_view text, size_t cpus) {
  CountTable::Row row;
  for (const std::string& word : words(text)) {
    const auto count = number_in(word);
    if (row.name.empty() && row.counts.size() < cpus && count) {
      row.counts.push_back(static_cast<uint64_t>(*count));
    } else {
      row.name += (row.name.empty() ? "" : " ") + word;
    }
  }
  return row;
}

std::optional<int> thread_priority(const std::string& irq, const std::vector<RtTask>& tasks) {
  const std::string prefix = "irq/" + irq + "-";
  for (const RtTask& task : tasks) {
    if (task.kernel && task.name.starts_with(prefix)) return task.priority;
  }
  return std::nullopt;
}

}  // namespace

CountTable parse_count_table(std::string_view text) {
  CountTable table;
  for (const std::string& line : split(text, '\n')) {
    if (table.cpus.empty()) {
      table.cpus = parse_header(line);
      continue;
    }
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key(trim(std::string_view(line).substr(0, colon)));
    table.rows[key] = parse_row(std::string_view(line).substr(colon + 1), table.cpus.size());
  }
  return table;
}

std::map<std::string, InterruptSetup> read_interrupt_setup(const HostRoot& host,
                                                           const std::vector<RtTask>& tasks) {
  std::map<std::string, InterruptSetup> setup;
  for (const auto& [irq, row] : parse_count_table(text_of(host, "proc/interrupts")).rows) {
    if (!number_in(irq)) continue;
    setup[irq] = {.name = row.name,
                  .affinity = text_of(host, "proc/irq/" + irq + "/smp_affinity_list"),
                  .thread_priority = thread_priority(irq, tasks)};
  }
  return setup;
}

}  // namespace rtsweep
