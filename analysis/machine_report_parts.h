// SPDX-License-Identifier: GPL-2.0-or-later

// Readers of one kind of text each; they return whether they found it.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/machine_report.h"

namespace rtsweep::machine_report {

// The text by lines, without a mail's quote marks, and where it is from.
struct Lines {
  std::vector<std::string> text;
  std::string source;

  void observe(Observations& to, const std::string& name, std::string value, std::string said,
               size_t index) const {
    to[name].push_back({std::move(value), std::move(said), source, index + 1});
  }
};

// The number at the beginning of the text, after blanks.
std::optional<double> leading_number(std::string_view text);

// The text behind "key:" or "key=", without blanks; nothing when the line is another.
std::optional<std::string> value_behind(std::string_view line, std::string_view key);

bool read_throttling(const Lines& lines, Observations& observed);
bool read_board_bench(const Lines& lines, Observations& observed);
bool read_lscpu(const Lines& lines, Observations& observed);
bool read_numactl(const Lines& lines, Observations& observed);
bool read_numastat(const Lines& lines, Observations& observed);
bool read_interrupt_tables(const Lines& lines, Observations& observed);
bool read_eeprom(const Lines& lines, Observations& observed);

}  // namespace rtsweep::machine_report
