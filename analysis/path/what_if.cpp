// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rtsweep {
namespace {

using nlohmann::json;

constexpr uint64_t kTailPpm = 990'000;
constexpr int64_t kRows = 20;

struct NamedQuantile {
  const char* name;
  uint64_t ppm;
};
constexpr std::array<NamedQuantile, 4> kQuantiles = {
    {{"p50", 500'000}, {"p99", kTailPpm}, {"p99.9", 999'000}, {"max", 1'000'000}}};

int64_t us(std::optional<Latency> latency) { return latency ? latency->count() : 0; }

// Empty buckets, and a quantile past the histogram's end, have no number.
std::string words_of(const LatencyHistogram& histogram, uint64_t ppm) {
  if (const auto latency = histogram.quantile(ppm)) return fmt::format("{}", latency->count());
  return histogram.samples() == 0 ? "-" : fmt::format(">{}", histogram.limit().count());
}

uint64_t beyond(const LatencyHistogram& histogram, std::optional<Latency> limit) {
  if (!limit) return 0;
  uint64_t sum = histogram.overflows();
  const auto& counts = histogram.counts();
  for (auto it = counts.upper_bound(*limit); it != counts.end(); ++it) sum += it->second;
  return sum;
}

uint64_t within(const LatencyHistogram& histogram, int64_t from, int64_t to) {
  uint64_t sum = 0;
  const auto& counts = histogram.counts();
  const auto end = counts.lower_bound(Latency(to));
  for (auto it = counts.lower_bound(Latency(from)); it != end; ++it) sum += it->second;
  return sum;
}

int64_t last_bucket(const LatencyHistogram& histogram) {
  return histogram.counts().empty() ? 0 : histogram.counts().rbegin()->first.count();
}

std::string row(std::string_view name, const std::string& before, const std::string& after) {
  return fmt::format("  {:>13} {:>9} {:>9}\n", name, before, after);
}

std::string row(std::string_view name, uint64_t before, uint64_t after) {
  return row(name, std::to_string(before), std::to_string(after));
}

std::string distributions(const WhatIf& what_if) {
  const int64_t highest = std::max(last_bucket(what_if.before), last_bucket(what_if.after));
  const int64_t lowest = std::min(us(what_if.before.lowest()), us(what_if.after.lowest()));
  const int64_t step = std::max<int64_t>(1, (highest - lowest) / kRows + 1);
  std::string text = row("us", "before", "after");
  for (int64_t from = lowest; from <= highest; from += step) {
    const uint64_t before = within(what_if.before, from, from + step);
    const uint64_t after = within(what_if.after, from, from + step);
    if (before + after > 0) text += row(fmt::format("{}-{}", from, from + step - 1), before, after);
  }
  if (what_if.before.overflows() + what_if.after.overflows() == 0) return text;
  return text + row("past the end", what_if.before.overflows(), what_if.after.overflows());
}

json side(const LatencyHistogram& histogram) {
  json j = {{"samples", histogram.samples()},
            {"overflows", histogram.overflows()},
            {"counts", json::array()},
            {"min", us(histogram.lowest())}};
  for (const auto& [latency, times] : histogram.counts()) {
    j["counts"].push_back({latency.count(), times});
  }
  for (const NamedQuantile& q : kQuantiles) {
    const auto latency = histogram.quantile(q.ppm);
    j[q.name] = latency ? json(latency->count()) : json();
  }
  return j;
}

}  // namespace

uint64_t WhatIf::tail_before() const { return beyond(before, before.quantile(kTailPpm)); }
uint64_t WhatIf::tail_after() const { return beyond(after, before.quantile(kTailPpm)); }

std::string what_if_text(const WhatIf& what_if) {
  const LatencyHistogram& before = what_if.before;
  const LatencyHistogram& after = what_if.after;
  constexpr uint64_t kMaximum = 1'000'000;
  std::string text = fmt::format(
      "what if {}: the maximum goes from {} to {} us; {} of {} samples were beyond {} us (p99), "
      "with it {} of {}\n\n",
      what_if.parameter, words_of(before, kMaximum), words_of(after, kMaximum),
      what_if.tail_before(), before.samples(), words_of(before, kTailPpm), what_if.tail_after(),
      after.samples());
  text += row("", "before", "after");
  text += row("min us", us(before.lowest()), us(after.lowest()));
  for (const NamedQuantile& q : kQuantiles) {
    text += row(fmt::format("{} us", q.name), words_of(before, q.ppm), words_of(after, q.ppm));
  }
  return text + "\n" + distributions(what_if);
}

json what_if_json(const WhatIf& what_if) {
  const auto limit = what_if.before.quantile(kTailPpm);
  return {{"parameter", what_if.parameter},
          {"before", side(what_if.before)},
          {"after", side(what_if.after)},
          {"tail",
           {{"beyond_us", limit ? json(limit->count()) : json()},
            {"before", what_if.tail_before()},
            {"after", what_if.tail_after()}}}};
}

}  // namespace rtsweep
