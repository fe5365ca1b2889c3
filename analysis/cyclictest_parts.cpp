// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/cyclictest_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analysis/number_list.h"
#include "runner/base/text.h"

namespace rtsweep::cyclictest {
namespace {

// "ESC [ 4 A": parameters, then one final byte.
size_t escape_length(std::string_view text) {
  if (text.size() < 2 || text[1] != '[') return 1;
  size_t end = 2;
  while (end < text.size() && (text[end] < '@' || text[end] > '~')) ++end;
  return std::min(end + 1, text.size());
}

// U+00A0, into which some mail programs turn repeated blanks.
constexpr std::string_view kHardBlank = "\xC2\xA0";

std::string without_controls(std::string_view line) {
  std::string kept;
  for (size_t i = 0; i < line.size();) {
    if (line[i] == '\033') {
      i += escape_length(line.substr(i));
      continue;
    }
    const bool hard_blank = line.substr(i).starts_with(kHardBlank);
    if (line[i] != '\r') kept += hard_blank ? ' ' : line[i];
    i += hard_blank ? kHardBlank.size() : 1;
  }
  return kept;
}

std::string_view without_quotes(std::string_view line) {
  while (true) {
    const size_t mark = line.find_first_not_of(' ');
    if (mark == std::string_view::npos || line[mark] != '>') return line;
    line.remove_prefix(mark + 1);
    if (line.starts_with(' ')) line.remove_prefix(1);
  }
}

}  // namespace

Error bad_data(std::string_view name, size_t line, std::string_view what) {
  return {Errc::kBadData, fmt::format("{}:{}: {}", name, line, what)};
}

std::optional<uint64_t> parse_count(std::string_view text) {
  const auto count = parse_whole(text);
  if (!count || *count < 0 || *count > static_cast<int64_t>(kMostCycles)) return std::nullopt;
  return static_cast<uint64_t>(*count);
}

std::vector<std::string> clean_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string plain = without_controls(text.substr(0, end));
    lines.emplace_back(without_quotes(plain));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

namespace {

// The sum of a histogram's samples, and of their latencies.
struct Sums {
  uint64_t samples = 0;
  double latency = 0;
};

Sums sums_of(const std::map<int64_t, uint64_t>& histogram) {
  Sums sums;
  for (const auto& [latency, times] : histogram) {
    sums.samples += times;
    sums.latency += static_cast<double>(latency) * static_cast<double>(times);
  }
  return sums;
}

// No clock has run for as long as this.
bool is_absurd(std::optional<int64_t> latency) {
  constexpr auto kMost = static_cast<int64_t>(kMostCycles);
  return latency && (*latency < -kMost || *latency > kMost);
}

// Text formats cut the average; a live display may be printed between the update of the
// sum and that of the number of cycles, so that one sample too many is in the average.
std::string average_contradiction(const CyclictestThread& thread, double cut) {
  const auto cycles = static_cast<double>(thread.cycles.value_or(kMostCycles));
  const double one_more = (cycles + 1) / cycles;
  const auto low = static_cast<double>(*thread.min);
  const auto high = static_cast<double>(*thread.max);
  const double slack = (one_more - 1) * std::max(std::abs(low), std::abs(high)) + cut;
  if (*thread.avg < low - slack) return "its average is below its minimum";
  if (*thread.avg > high + slack) return "its average is above its maximum";
  return {};
}

std::string histogram_contradiction(const CyclictestThread& thread, double cut) {
  const Sums sums = sums_of(thread.histogram);
  if (thread.cycles && sums.samples > *thread.cycles) {
    return "its histogram holds more samples than it has cycles";
  }
  if (!thread.max || thread.histogram.empty()) return {};
  if (thread.histogram.rbegin()->first > *thread.max) {
    return "its histogram goes past its maximum";
  }
  if (thread.overflows != 0) return {};
  if (thread.histogram.rbegin()->first != *thread.max) {
    return "its maximum is not in its histogram, although nothing overflowed";
  }
  if (thread.min && thread.histogram.begin()->first != *thread.min) {
    return "its minimum is not in its histogram, although nothing overflowed";
  }
  const double mean = sums.latency / static_cast<double>(sums.samples);
  if (thread.avg && std::abs(*thread.avg - mean) > cut) {
    return "its average does not belong to its histogram";
  }
  return {};
}

}  // namespace

std::string contradiction(const CyclictestThread& thread, const CyclictestRun& run) {
  const double cut = run.format == CyclictestFormat::kJson ? 0.02 : 1.0;
  if (is_absurd(thread.min) || is_absurd(thread.max)) return "its latencies are absurd";
  if (thread.min && thread.max && *thread.min > *thread.max) {
    return "its minimum is above its maximum";
  }
  if (thread.min && thread.max && thread.avg) {
    if (auto found = average_contradiction(thread, cut); !found.empty()) return found;
  }
  return histogram_contradiction(thread, cut);
}

}  // namespace rtsweep::cyclictest
