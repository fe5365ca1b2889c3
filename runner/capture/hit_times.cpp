// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/hit_times.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <set>

namespace rtsweep {
namespace {

// Steps of one pairing: more is a breakpoint that nearly everything is past.
constexpr size_t kMostSteps = 2'000'000;
// How many guesses of the time from reading the clock to sleeping are tried.
constexpr size_t kMostGuesses = 24;

struct Pairing {
  std::vector<size_t> wakeup_of_hit;
  int64_t cost = std::numeric_limits<int64_t>::max();
};

// For each hit the wakeup that it is, where `after` is the time from reading the clock to
// sleeping: dynamic programming over how many wakeups before a hit are none.
Pairing pair_in_order(std::span<const int64_t> wakeups, std::span<const int64_t> hits,
                      int64_t after) {
  const size_t more = wakeups.size() - hits.size();
  std::vector<int64_t> cost(more + 1, 0);
  std::vector<std::vector<uint32_t>> came_from(hits.size(), std::vector<uint32_t>(more + 1, 0));
  for (size_t i = 0; i < hits.size(); ++i) {
    int64_t best = std::numeric_limits<int64_t>::max();
    uint32_t best_skipped = 0;
    for (size_t skipped = 0; skipped <= more; ++skipped) {
      if (cost[skipped] < best) {
        best = cost[skipped];
        best_skipped = static_cast<uint32_t>(skipped);
      }
      came_from[i][skipped] = best_skipped;
      cost[skipped] = best + std::abs(wakeups[i + skipped] - hits[i] - after);
    }
  }
  const auto least = std::ranges::min_element(cost);
  auto skipped = static_cast<size_t>(least - cost.begin());
  Pairing pairing{.wakeup_of_hit = std::vector<size_t>(hits.size()), .cost = *least};
  for (size_t i = hits.size(); i-- > 0;) {
    pairing.wakeup_of_hit[i] = i + skipped;
    skipped = came_from[i][skipped];
  }
  return pairing;
}

// That time is nearly the same for all, so it is what one hit and one of its possible wakeups
// have: the guess is the best that leaves the least over for all others.
std::vector<size_t> best_pairing(std::span<const int64_t> wakeups, std::span<const int64_t> hits) {
  const size_t more = wakeups.size() - hits.size();
  Pairing best;
  for (const size_t i : {size_t{0}, hits.size() / 2, hits.size() - 1}) {
    for (size_t skipped = 0; skipped <= std::min(more, kMostGuesses / 3 - 1); ++skipped) {
      const int64_t after = wakeups[i + skipped] - hits[i];
      if (after < 0) continue;
      Pairing pairing = pair_in_order(wakeups, hits, after);
      if (pairing.cost < best.cost) best = std::move(pairing);
    }
  }
  return best.wakeup_of_hit;
}

void complete_cpu(std::vector<CaptureHit*> hits, std::span<const LateWakeup* const> late) {
  if (late.size() < hits.size() || hits.size() * (late.size() - hits.size() + 1) > kMostSteps) {
    return;
  }
  std::vector<int64_t> latencies, until_sleep;
  for (const CaptureHit* hit : hits) latencies.push_back(hit->latency_us * 1000);
  for (const LateWakeup* wakeup : late) until_sleep.push_back(wakeup->until_sleep_ns);
  const std::vector<size_t> pairs = best_pairing(until_sleep, latencies);
  for (size_t i = 0; i < pairs.size(); ++i) {
    hits[i]->at_us = late[pairs[i]]->expiry_ns / 1000 + hits[i]->latency_us;
  }
}

}  // namespace

void complete_times(std::vector<CaptureHit>& hits, std::span<const LateWakeup> late) {
  std::set<int> cpus;
  for (const CaptureHit& hit : hits) {
    if (hit.at_us == 0) cpus.insert(hit.cpu);
  }
  for (const int cpu : cpus) {
    std::vector<CaptureHit*> of_cpu;
    for (CaptureHit& hit : hits) {
      if (hit.cpu == cpu) of_cpu.push_back(&hit);
    }
    std::vector<const LateWakeup*> wakeups;
    for (const LateWakeup& wakeup : late) {
      if (wakeup.cpu == cpu) wakeups.push_back(&wakeup);
    }
    complete_cpu(std::move(of_cpu), wakeups);
  }
}

}  // namespace rtsweep
