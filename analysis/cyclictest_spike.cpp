// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/cyclictest_spike.h"

#include <algorithm>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <string>

namespace rtsweep {

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
  constexpr std::string_view kWords = "# Break thread: ";
  const size_t at = output.find(kWords);
  if (at == std::string_view::npos) return -1;
  int thread = -1;
  std::from_chars(output.data() + at + kWords.size(), output.data() + output.size(), thread);
  return thread;
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
