// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rtsweep {
namespace {

using Counts = std::map<int64_t, uint64_t>;
using nlohmann::json;

constexpr uint64_t kTailPpm = 990'000;
constexpr size_t kRows = 20;

struct NamedQuantile {
  const char* name;
  uint64_t ppm;
};
constexpr std::array<NamedQuantile, 5> kQuantiles = {
    {{"min", 0}, {"p50", 500'000}, {"p99", kTailPpm}, {"p99.9", 999'000}, {"max", 1'000'000}}};

uint64_t samples(const Counts& counts) {
  uint64_t sum = 0;
  for (const auto& [us, times] : counts) sum += times;
  return sum;
}

uint64_t beyond(const Counts& counts, int64_t us) {
  uint64_t sum = 0;
  for (auto it = counts.upper_bound(us); it != counts.end(); ++it) sum += it->second;
  return sum;
}

uint64_t within(const Counts& counts, int64_t from, int64_t to) {
  uint64_t sum = 0;
  for (auto it = counts.lower_bound(from); it != counts.lower_bound(to); ++it) sum += it->second;
  return sum;
}

std::string distributions(const WhatIf& what_if) {
  const int64_t highest = std::max(latency_quantile(what_if.before, 1'000'000),
                                   latency_quantile(what_if.after, 1'000'000));
  const int64_t lowest =
      std::min(latency_quantile(what_if.before, 0), latency_quantile(what_if.after, 0));
  const int64_t step = std::max<int64_t>(1, (highest - lowest) / static_cast<int64_t>(kRows) + 1);
  std::string text = fmt::format("  {:>13} {:>9} {:>9}\n", "us", "before", "after");
  for (int64_t us = lowest; us <= highest; us += step) {
    const uint64_t one = within(what_if.before, us, us + step);
    const uint64_t other = within(what_if.after, us, us + step);
    if (one + other == 0) continue;
    text +=
        fmt::format("  {:>13} {:>9} {:>9}\n", fmt::format("{}-{}", us, us + step - 1), one, other);
  }
  return text;
}

json side(const Counts& counts) {
  json j = {{"samples", samples(counts)}, {"counts", counts}};
  for (const NamedQuantile& q : kQuantiles) j[q.name] = latency_quantile(counts, q.ppm);
  return j;
}

}  // namespace

int64_t latency_quantile(const Counts& counts, uint64_t ppm) {
  const uint64_t all = samples(counts);
  const uint64_t rank = std::max<uint64_t>(1, (all * ppm + 999'999) / 1'000'000);
  uint64_t seen = 0;
  for (const auto& [us, times] : counts) {
    seen += times;
    if (seen >= rank) return us;
  }
  return 0;
}

uint64_t WhatIf::tail_before() const { return beyond(before, latency_quantile(before, kTailPpm)); }
uint64_t WhatIf::tail_after() const { return beyond(after, latency_quantile(before, kTailPpm)); }

std::string what_if_text(const WhatIf& what_if) {
  const int64_t max_before = latency_quantile(what_if.before, 1'000'000);
  const int64_t max_after = latency_quantile(what_if.after, 1'000'000);
  std::string text = fmt::format(
      "what if {}: the maximum goes from {} to {} us; {} of {} samples were beyond {} us (p99), "
      "with it "
      "{} of {}\n\n",
      what_if.parameter, max_before, max_after, what_if.tail_before(), samples(what_if.before),
      latency_quantile(what_if.before, kTailPpm), what_if.tail_after(), samples(what_if.after));
  text += fmt::format("  {:>13} {:>9} {:>9}\n", "", "before", "after");
  for (const NamedQuantile& q : kQuantiles) {
    text +=
        fmt::format("  {:>10} us {:>9} {:>9}\n", q.name, latency_quantile(what_if.before, q.ppm),
                    latency_quantile(what_if.after, q.ppm));
  }
  return text + "\n" + distributions(what_if);
}

json what_if_json(const WhatIf& what_if) {
  return {{"parameter", what_if.parameter},
          {"before", side(what_if.before)},
          {"after", side(what_if.after)},
          {"tail",
           {{"beyond_us", latency_quantile(what_if.before, kTailPpm)},
            {"before", what_if.tail_before()},
            {"after", what_if.tail_after()}}}};
}

}  // namespace rtsweep
