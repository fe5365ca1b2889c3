// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/machine_report.h"

#include <array>
#include <charconv>

#include "analysis/machine_report_parts.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace machine_report {
namespace {

struct Kind {
  std::string_view name;
  bool (*read)(const Lines& lines, Observations& observed);
};

constexpr std::array<Kind, 7> kKinds = {{{"get_throttled", read_throttling},
                                         {"sbc-bench", read_board_bench},
                                         {"lscpu", read_lscpu},
                                         {"numactl", read_numactl},
                                         {"numastat", read_numastat},
                                         {"/proc/interrupts", read_interrupt_tables},
                                         {"rpi-eeprom", read_eeprom}}};

std::string without_quote_marks(std::string_view line) {
  while (line.starts_with('>')) {
    line.remove_prefix(1);
    if (line.starts_with(' ')) line.remove_prefix(1);
  }
  return std::string(line);
}

Lines lines_of(std::string_view text, const std::string& source) {
  Lines lines{.source = source};
  for (std::string& line : split(text, '\n')) {
    if (line.ends_with('\r')) line.pop_back();
    lines.text.push_back(without_quote_marks(line));
  }
  return lines;
}

}  // namespace

std::optional<double> leading_number(std::string_view text) {
  text = trim(text);
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  return ec == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<std::string> value_behind(std::string_view line, std::string_view key) {
  line = trim(line);
  if (!line.starts_with(key)) return std::nullopt;
  line = trim(line.substr(key.size()));
  if (!line.starts_with(':') && !line.starts_with('=')) return std::nullopt;
  return std::string(trim(line.substr(1)));
}

}  // namespace machine_report

Result<MachineReport> read_machine_report(std::string_view text, const std::string& source) {
  MachineReport report;
  if (text.find('\0') != std::string_view::npos) {
    return Error(Errc::kBadData, "not a machine report: holds binary data");
  }
  const auto lines = machine_report::lines_of(text, source);
  for (const auto& kind : machine_report::kKinds) {
    if (kind.read(lines, report.observed)) report.kinds.emplace_back(kind.name);
  }
  if (!report.kinds.empty()) return report;
  return Error(Errc::kBadData,
               "not recognised: none of vcgencmd get_throttled, sbc-bench, lscpu, numactl -H, "
               "numastat, /proc/interrupts, rpi-eeprom-config");
}

}  // namespace rtsweep
