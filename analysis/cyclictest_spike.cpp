// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/cyclictest_spike.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <string>

namespace rtsweep {
namespace {

std::optional<int64_t> number_behind(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t number = 0;
  const char* begin = text.data() + at + words.size();
  const auto [end, failed] = std::from_chars(begin, text.data() + text.size(), number);
  if (failed != std::errc() || end == begin) return std::nullopt;
  return number;
}

}  // namespace

std::optional<CyclictestSpike> parse_spike(std::string_view line) {
  constexpr int kMostThreads = 1 << 16;
  const std::string text(line.substr(0, 200));
  CyclictestSpike spike;
  int used = 0;
  const int read = std::sscanf(text.c_str(), " T:%d Spike:%" SCNd64 ": TS:%" SCNd64 " %n",
                               &spike.thread, &spike.latency, &spike.timestamp_us, &used);
  const bool whole = read == 3 && static_cast<size_t>(used) == line.size();
  if (!whole || spike.thread < 0 || spike.thread >= kMostThreads) return std::nullopt;
  return spike;
}

int break_thread(std::string_view output) {
  return static_cast<int>(number_behind(output, "# Break thread: ").value_or(-1));
}

uint64_t total_cycles(std::string_view output) {
  return static_cast<uint64_t>(number_behind(output, "# Total: ").value_or(0));
}

std::vector<CyclictestSpike> spikes_in(std::string_view output) {
  std::vector<CyclictestSpike> spikes;
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    if (const auto spike = parse_spike(output.substr(begin, end - begin))) spikes.push_back(*spike);
    begin = end + 1;
  }
  return spikes;
}

}  // namespace rtsweep
