// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/cyclictest_lava.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "analysis/cyclictest_parts.h"
#include "analysis/number_list.h"
#include "runner/base/text.h"

namespace rtsweep::cyclictest {
namespace {

using Which = LavaLatency::Which;

// "t0-max-latency"
std::optional<LavaLatency> parse_case(std::string_view id) {
  const size_t dash = id.find('-');
  if (!id.starts_with('t') || dash == std::string_view::npos) return std::nullopt;
  const auto thread = parse_whole(id.substr(1, dash - 1));
  if (!thread || *thread < 0 || *thread >= kMostThreads) return std::nullopt;
  LavaLatency latency{.thread = static_cast<int>(*thread)};
  const std::string_view which = id.substr(dash);
  if (which == "-min-latency") {
    latency.which = Which::kMin;
  } else if (which == "-avg-latency") {
    latency.which = Which::kAvg;
  } else if (which != "-max-latency") {
    return std::nullopt;
  }
  return latency;
}

std::optional<double> parse_real(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool sane = error == std::errc() && stop == end && std::abs(value) < 1e15;
  return sane ? std::optional(value) : std::nullopt;
}

// What stands behind `key` up to the next blank or '>'.
std::string_view attribute(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + key.size());
  return rest.substr(0, rest.find_first_of(" >"));
}

struct Parts {
  std::string id, number, unit;
  size_t used = 1;
};

// The three spellings. Without a measurement (a skipped case) `number` is empty.
std::optional<Parts> split_case(const std::vector<std::string>& lines, size_t at) {
  const std::string_view line = trim(lines[at]);
  if (const auto id = attribute(line, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID="); !id.empty()) {
    return Parts{std::string(id), std::string(attribute(line, " MEASUREMENT=")),
                 std::string(attribute(line, " UNITS="))};
  }
  const std::vector<std::string> here = words(line);
  if (line.starts_with("Test Case ") && here.size() >= 3 && here[2].ends_with(':')) {
    Parts parts{here[2].substr(0, here[2].size() - 1), "", ""};
    const auto next = at + 1 < lines.size() ? words(lines[at + 1]) : std::vector<std::string>();
    if (next.size() == 3 && next[0] == "Measurement:") {
      parts.number = next[1];
      parts.unit = next[2];
      parts.used = 2;
    }
    return parts;
  }
  if (here.size() == 4 && (here[1] == "pass" || here[1] == "fail")) {
    return Parts{here[0], here[2], here[3]};
  }
  return std::nullopt;
}

}  // namespace

bool LavaLatency::already_in(const CyclictestThread& known) const {
  switch (which) {
    case Which::kMin:
      return known.min.has_value();
    case Which::kAvg:
      return known.avg.has_value();
    case Which::kMax:
      return known.max.has_value();
  }
  return false;
}

void LavaLatency::put_into(CyclictestThread& known) const {
  const auto whole = static_cast<int64_t>(latency_us);
  switch (which) {
    case Which::kMin:
      known.min = whole;
      break;
    case Which::kAvg:
      known.avg = latency_us;
      break;
    case Which::kMax:
      known.max = whole;
      break;
  }
}

Result<std::optional<LavaLatency>> parse_lava(const std::vector<std::string>& lines, size_t at,
                                              std::string_view name) {
  const auto parts = split_case(lines, at);
  auto latency = parts ? parse_case(parts->id) : std::nullopt;
  if (!latency) return std::optional<LavaLatency>();
  const auto value = parse_real(parts->number);
  if (!value || parts->unit != "us") {
    return bad_data(name, at + 1, fmt::format("{} has no measurement in us", parts->id));
  }
  latency->latency_us = *value;
  latency->used = parts->used;
  return latency;
}

}  // namespace rtsweep::cyclictest
