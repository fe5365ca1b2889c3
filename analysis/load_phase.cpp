// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/load_phase.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kMostPhases = 10'000;
constexpr size_t kLongestName = 80;
constexpr double kLongestUptime = 1e10;  // s

std::optional<LoadPhase> phase_of(std::string_view line) {
  double seconds = 0;
  const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), seconds);
  if (failed != std::errc() || !(seconds >= 0 && seconds < kLongestUptime)) return std::nullopt;
  const std::string_view name = trim(line.substr(static_cast<size_t>(end - line.data())));
  if (name.empty()) return std::nullopt;
  return LoadPhase{.name = std::string(name.substr(0, kLongestName)),
                   .begin_us = std::llround(seconds * 1e6)};
}

}  // namespace

std::vector<LoadPhase> parse_load_phases(std::string_view text, int64_t end_us) {
  std::vector<LoadPhase> phases;
  while (!text.empty() && phases.size() < kMostPhases) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (auto phase = phase_of(text.substr(0, end))) {
      if (!phases.empty()) phases.back().end_us = phase->begin_us;
      phases.push_back(std::move(*phase));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!phases.empty()) phases.back().end_us = std::max(end_us, phases.back().begin_us);
  return phases;
}

}  // namespace rtsweep
