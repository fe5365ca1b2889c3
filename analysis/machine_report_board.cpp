// SPDX-License-Identifier: GPL-2.0-or-later

// Single-board computers: throttling bits, clocks, temperatures.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include "analysis/machine_report_parts.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace machine_report {
namespace {

constexpr double kMostDeviation = 0.1;  // of the clock asked for
constexpr size_t kMostShown = 6;
constexpr size_t kLegendDigits = 19;  // the bits for which sbc-bench's legend was drawn

bool is_binary_digits(std::string_view line) {
  return line.size() >= 16 && line.size() <= 32 &&
         line.find_first_not_of("01") == std::string_view::npos;
}

// Digits count from the right; the drawing below them was made for a fixed number.
void read_binary_digits(const Lines& lines, size_t index, Observations& observed) {
  const std::string digits(trim(lines.text[index]));
  const unsigned long bits = std::stoul(digits, nullptr, 2);
  const std::string said = fmt::format("{} = 0x{:X}, {} digits", digits, bits, digits.size());
  for (auto& [name, list] : throttled_observations(bits, said, lines.source, index + 1)) {
    observed[name] = std::move(list);
  }
  if (digits.size() == kLegendDigits) return;
  lines.observe(observed, "throttled_legend", std::to_string(digits.size()),
                fmt::format("{} digits above a legend for {}", digits.size(), kLegendDigits),
                index + 1);
}

std::optional<unsigned long> throttled_value(std::string_view line) {
  const auto text = value_behind(line, "throttled");
  if (!text) return std::nullopt;
  std::string_view digits = *text;
  if (digits.starts_with("0x")) digits.remove_prefix(2);
  unsigned long bits = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  return ec == std::errc() ? std::optional(bits) : std::nullopt;
}

// "Cpufreq OPP: 1600  ThreadX: 1600  Measured: 1185 @ 1.0200V"
std::optional<std::string> deviation_in(std::string_view line) {
  const size_t opp = line.find("Cpufreq OPP:");
  const size_t measured = line.find("Measured:");
  if (opp == std::string_view::npos || measured == std::string_view::npos) return std::nullopt;
  const size_t firmware = line.find("ThreadX:");
  const auto asked =
      leading_number(line.substr(firmware == std::string_view::npos ? opp + 12 : firmware + 8));
  const auto got = leading_number(line.substr(measured + 9));
  if (!asked || !got || *asked <= 0) return std::nullopt;
  if (std::abs(*got - *asked) <= *asked * kMostDeviation) return "";
  return fmt::format("asked for {:.0f} MHz, measured {:.0f} MHz", *asked, *got);
}

// The number before "°C", in UTF-8 or Latin-1.
std::optional<double> degrees_in(std::string_view line) {
  size_t end = line.find(
      "\xC2\xB0"
      "C");
  if (end == std::string_view::npos) {
    end = line.find(
        "\xB0"
        "C");
  }
  if (end == std::string_view::npos) return std::nullopt;
  const size_t begin = line.substr(0, end).find_last_not_of("0123456789.");
  return leading_number(line.substr(begin == std::string_view::npos ? 0 : begin + 1, 8));
}

// config.txt: what raises clock or voltage above the board's own.
void read_overclock(const Lines& lines, Observations& observed) {
  std::set<std::string> seen;
  const bool raised = std::ranges::any_of(lines.text, [](const std::string& line) {
    return leading_number(value_behind(line, "over_voltage").value_or("")).value_or(0) > 0;
  });
  if (!raised) return;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const std::string line(trim(lines.text[i]));
    const bool about = value_behind(line, "over_voltage") || value_behind(line, "arm_freq");
    if (about && seen.insert(line).second) lines.observe(observed, "overclock", "yes", line, i);
  }
}

}  // namespace

bool read_throttling(const Lines& lines, Observations& observed) {
  bool found = false;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const bool legend = i + 1 < lines.text.size() && trim(lines.text[i + 1]).starts_with("|||");
    if (is_binary_digits(trim(lines.text[i])) && legend) {
      read_binary_digits(lines, i, observed);
      found = true;
    } else if (const auto bits = throttled_value(lines.text[i])) {
      const std::string said = fmt::format("throttled=0x{:X}", *bits);
      for (auto& [name, list] : throttled_observations(*bits, said, lines.source, i + 1)) {
        observed[name] = std::move(list);
      }
      found = true;
    }
  }
  if (found) observed["throttled_legend"];
  return found;
}

bool read_board_bench(const Lines& lines, Observations& observed) {
  bool found = false;
  size_t deviations = 0;
  double hottest = -1000;
  std::vector<Observation> clocks;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const std::string& line = lines.text[i];
    if (line.starts_with("sbc-bench v")) found = true;
    if (const auto deviation = deviation_in(line)) {
      found = true;
      if (!deviation->empty() && ++deviations <= kMostShown) {
        clocks.push_back({"yes", *deviation, lines.source, i + 1});
      }
    }
    const auto degrees = degrees_in(line);
    if (!degrees || *degrees <= hottest || *degrees > 200) continue;
    hottest = *degrees;
    observed["temperature_c"] = {{fmt::format("{:.1f}", hottest),
                                  fmt::format("{:.1f} degrees C", hottest), lines.source, i + 1}};
  }
  if (!found) {
    observed.erase("temperature_c");
    return false;
  }
  if (deviations > kMostShown) {
    clocks.push_back({"yes", fmt::format("and {} more", deviations - kMostShown), "", 0});
  }
  observed["clock_deviation"] = std::move(clocks);
  observed["overclock"];
  read_overclock(lines, observed);
  return true;
}

}  // namespace machine_report

Observations throttled_observations(unsigned long bits, const std::string& said,
                                    const std::string& source, size_t line) {
  static constexpr std::array<std::string_view, 4> kNames = {"under_voltage", "frequency_capped",
                                                             "throttled", "soft_temp_limit"};
  static constexpr std::array<std::string_view, 4> kWords = {"under-voltage", "frequency capped",
                                                             "throttled", "soft temperature limit"};
  Observations observed;
  for (const auto& [name, shift] :
       {std::pair("throttled_now", 0), std::pair("throttled_since_boot", 16)}) {
    auto& list = observed[name];
    std::vector<std::string> set;
    for (int bit = 0; bit < 4; ++bit) {
      if ((bits >> (bit + shift) & 1U) == 0) continue;
      list.push_back({std::string(kNames.at(static_cast<size_t>(bit))), "", source, line});
      set.push_back(fmt::format("{} (bit {})", kWords.at(static_cast<size_t>(bit)), bit + shift));
    }
    // One line for all of them: the same words are shown once.
    for (Observation& one : list) one.said = fmt::format("{}: {}", said, join(set, ", "));
  }
  return observed;
}

}  // namespace rtsweep
