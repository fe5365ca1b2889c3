// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/cells.h"

namespace rtsweep {

// How the reports spell numbers and say what must be said: once, for all formats.

std::string grouped(uint64_t number);  // 1234567 is "1,234,567"

// Work and time, which are not counted in whole units everywhere: "1,234,567", "12.3".
std::string amount(double number);

std::string us_text(const std::optional<int64_t>& us);  // "208", "unknown"
std::string avg_text(const std::optional<double>& us);  // "49.1", "unknown"

// "5,000" or "4,800 to 5,000"
std::string range_text(uint64_t least, uint64_t most);

std::string rt_text(const std::optional<bool>& rt);  // "PREEMPT_RT", "not RT", "RT unknown"

// What the numbers of the tables are, by the probe: "wakeup latency", "interruption"...
std::string measured_text(const RunReport& report);

// Of osnoise, over all CPUs: "interrupted by 3,011 irq, 12 thread"; "" when nobody counted.
std::string interruptions_text(const TrialResult& trial);

// What "virtual time" measures and what it does not; with the clock's rate where the
// trials agree on it.
std::string virtual_time_text(const RunReport& report);

// Why numbers of a VM in real time need care; empty when the run has none.
std::string vm_real_time_text(const RunReport& report);

// One limit that all trials share; empty when there is none or they differ.
std::optional<int64_t> common_limit(const RunReport& report);

// "12 of 14 trials measured: 10 PASS, ..."
std::string progress_text(const RunReport& report);

// A cell as plain text: "208", "INVALID", "-".
std::string cell_text(const CellSummary& summary);

// Footnote marks of a cell, in a fixed order: "*ie".
std::string cell_marks(const CellSummary& summary);

// What the marks and words that a table uses mean.
struct LegendEntry {
  std::string mark, meaning;
};
std::vector<LegendEntry> legend_of(const CellTable& table, const RunReport& report);

}  // namespace rtsweep
