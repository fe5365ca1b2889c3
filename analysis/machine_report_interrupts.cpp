// SPDX-License-Identifier: GPL-2.0-or-later

// /proc/interrupts, also several tables in one text and wrapped by a mail program.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/machine_report_parts.h"
#include "runner/base/text.h"

namespace rtsweep::machine_report {
namespace {

constexpr uint64_t kBusy = 100;  // interrupts: fewer may be chance

struct InterruptRow {
  std::string irq;     // "204"; "IPI0" and the like are not devices
  std::string device;  // "PCIe PME, ath9k"
  std::vector<uint64_t> counts;

  uint64_t total() const {
    uint64_t sum = 0;
    for (const uint64_t count : counts) sum += count;
    return sum;
  }
};

struct InterruptTable {
  size_t line = 0;  // of its heading, from 1
  std::vector<InterruptRow> rows;
};

bool is_heading(const std::vector<std::string>& word) {
  return !word.empty() && std::ranges::all_of(word, [](const std::string& one) {
    return one.starts_with("CPU") && one.size() > 3 &&
           one.find_first_not_of("0123456789", 3) == std::string::npos;
  });
}

bool is_count(const std::string& word) {
  return !word.empty() && word.size() < 19 &&
         word.find_first_not_of("0123456789") == std::string::npos;
}

bool begins_row(const std::vector<std::string>& word) {
  return word.size() >= 2 && word[0].size() > 1 && word[0].ends_with(':') && is_count(word[1]);
}

// What stands behind the trigger: "GICv3 157 Level     ath9k", "IO-APIC 2-edge timer".
std::string device_of(const std::vector<std::string>& word, size_t begin) {
  static constexpr std::array<std::string_view, 4> kTriggers = {"Level", "Edge", "-edge",
                                                                "-fasteoi"};
  for (size_t i = begin; i < word.size(); ++i) {
    const bool trigger = std::ranges::any_of(
        kTriggers, [&](std::string_view one) { return word[i].ends_with(one); });
    if (trigger) return join(std::span(word).subspan(i + 1), " ");
  }
  return word.size() > begin ? word.back() : "";
}

InterruptRow row_from(const std::vector<std::string>& word, size_t cpus) {
  InterruptRow row{.irq = word[0].substr(0, word[0].size() - 1)};
  size_t at = 1;
  for (; at < word.size() && row.counts.size() < cpus && is_count(word[at]); ++at) {
    row.counts.push_back(std::stoull(word[at]));
  }
  row.device = device_of(word, at);
  return row;
}

// Joins rows that were wrapped: what follows a row and begins none belongs to it.
InterruptTable read_table(const Lines& lines, size_t heading) {
  InterruptTable table{.line = heading + 1};
  const size_t cpus = words(lines.text[heading]).size();
  std::vector<std::string> open;
  const auto close = [&] {
    if (!open.empty()) table.rows.push_back(row_from(open, cpus));
    open.clear();
  };
  for (size_t i = heading + 1; i < lines.text.size(); ++i) {
    const std::vector<std::string> word = words(lines.text[i]);
    const bool ends = word.empty() || word[0].starts_with('#') || word[0].starts_with('^');
    if (ends || is_heading(word)) break;
    if (begins_row(word)) {
      close();
      open = word;
    } else {
      open.insert(open.end(), word.begin(), word.end());
    }
    if (word[0] == "Err:" || word[0] == "ERR:" || word[0] == "MIS:") break;
  }
  close();
  return table;
}

bool is_device(const InterruptRow& row) {
  return is_count(row.irq) && row.device.find("timer") == std::string::npos;
}

void observe_busiest(const Lines& lines, const InterruptTable& table, Observations& observed) {
  const InterruptRow* busiest = nullptr;
  for (const InterruptRow& row : table.rows) {
    if (is_device(row) && (busiest == nullptr || row.total() > busiest->total())) busiest = &row;
  }
  if (busiest == nullptr || busiest->total() == 0) return;
  lines.observe(
      observed, "busiest_interrupt", busiest->device,
      fmt::format("{}: {} interrupts (IRQ {})", busiest->device, busiest->total(), busiest->irq),
      table.line - 1);
}

// The only CPU that has served a device; nothing when there are several or none.
std::optional<size_t> only_cpu(const InterruptTable& table) {
  std::optional<size_t> only;
  for (const InterruptRow& row : table.rows) {
    for (size_t cpu = 0; is_device(row) && cpu < row.counts.size(); ++cpu) {
      if (row.counts[cpu] == 0) continue;
      if (only && *only != cpu) return std::nullopt;
      only = cpu;
    }
  }
  return only;
}

// Devices by their own name, of shared lines each.
std::map<std::string, uint64_t> counts_by_device(const InterruptTable& table) {
  std::map<std::string, uint64_t> counts;
  for (const InterruptRow& row : table.rows) {
    if (!is_device(row)) continue;
    for (const std::string& device : split(row.device, ',')) {
      counts[std::string(trim(device))] += row.total();
    }
  }
  return counts;
}

// A device that has interrupts under one setting and none under another.
void observe_silent(const Lines& lines, const std::vector<InterruptTable>& tables,
                    Observations& observed) {
  std::map<std::string, std::vector<std::pair<uint64_t, size_t>>> by_device;
  for (const InterruptTable& table : tables) {
    for (const auto& [device, count] : counts_by_device(table)) {
      by_device[device].emplace_back(count, table.line);
    }
  }
  for (const auto& [device, counts] : by_device) {
    const auto is_zero = [](const auto& one) { return one.first == 0; };
    const bool busy =
        std::ranges::any_of(counts, [](const auto& one) { return one.first >= kBusy; });
    if (!busy || std::ranges::none_of(counts, is_zero)) continue;
    std::vector<std::string> numbers;
    std::vector<std::string> places;
    for (const auto& [count, line] : counts) {
      numbers.push_back(std::to_string(count));
      places.push_back(std::to_string(line));
    }
    lines.observe(observed, "interrupt_missing", device,
                  fmt::format("{}: {} in the tables at lines {}", device, join(numbers, ", "),
                              join(places, ", ")),
                  counts.front().second - 1);
  }
}

}  // namespace

bool read_interrupt_tables(const Lines& lines, Observations& observed) {
  std::vector<InterruptTable> tables;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    if (is_heading(words(lines.text[i]))) tables.push_back(read_table(lines, i));
  }
  std::erase_if(tables, [](const InterruptTable& table) { return table.rows.empty(); });
  for (const InterruptTable& table : tables) {
    observe_busiest(lines, table, observed);
    const auto cpu = only_cpu(table);
    const bool one_only = table.rows.front().counts.size() < 2;
    if (!cpu || one_only) continue;
    lines.observe(observed, "irqs_on_one_cpu", std::to_string(*cpu),
                  fmt::format("all device interrupts on CPU {}", *cpu), table.line - 1);
  }
  if (!tables.empty()) observe_silent(lines, tables, observed);
  return !tables.empty();
}

}  // namespace rtsweep::machine_report
