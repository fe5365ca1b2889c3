// SPDX-License-Identifier: GPL-2.0-or-later

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/simulation/error_rates.h"
#include "analysis/simulation/latency_model.h"
#include "analysis/statistics/quantiles.h"
#include "analysis/statistics/rates.h"

namespace rtsweep::simulation {
namespace {

constexpr size_t kMinutes = 60;
constexpr double kLevel = 40;  // us, of the shares
constexpr double kConfidence = 0.95;
constexpr double kPublishedReplications = 4'000;

// One minute's wakeups of the mixture, each by itself.
constexpr size_t kWakeups = 60'000;
constexpr std::array<double, 3> kOrders = {0.99, 0.999, 0.9999};

// P(a wakeup is later than `latency`).
double share_above(const LatencyModel& model, double latency) {
  return std::min(1.0, rate_above(model, latency) / kWakeupsPerMinute);
}

// The bucket of the quantile.
double true_quantile(const LatencyModel& model, double order) {
  double floor = 0;
  while (share_above(model, floor + 1) > 1 - order) ++floor;
  return floor;
}

// A histogram of independent wakeups, drawn by the inverse of the law in buckets.
statistics::Buckets histogram_of(const std::vector<double>& above, Random& random) {
  std::map<size_t, uint64_t> counts;
  for (size_t i = 0; i < kWakeups; ++i) {
    const double u = random.uniform();
    // The first bucket whose end fewer than u exceed.
    const auto bucket = std::lower_bound(above.begin(), above.end(), u, std::greater<>());
    ++counts[static_cast<size_t>(bucket - above.begin())];
  }
  statistics::Buckets buckets;
  for (const auto& [lower, count] : counts) {
    buckets.push_back({static_cast<double>(lower), count});
  }
  return buckets;
}

std::vector<Coverage> of_one_histogram(size_t replications) {
  const LatencyModel model = mixture_model();
  std::vector<double> above;  // of the end of each bucket
  for (double end = 1; above.empty() || above.back() > 1e-12; ++end) {
    above.push_back(share_above(model, end));
  }
  Random random(1);
  std::array<size_t, kOrders.size()> covered{};
  for (size_t i = 0; i < replications; ++i) {
    const auto buckets = histogram_of(above, random);
    for (size_t q = 0; q < kOrders.size(); ++q) {
      const auto estimate = statistics::bucket_quantile(buckets, 0, kOrders[q], kConfidence);
      const double truth = true_quantile(model, kOrders[q]);
      covered[q] += estimate.lower.value_or(0) <= truth && truth <= estimate.upper.value_or(1e9);
    }
  }
  constexpr std::array<const char*, kOrders.size()> kNames = {"p99", "p99.9", "p99.99"};
  std::vector<Coverage> result;
  for (size_t q = 0; q < kOrders.size(); ++q) {
    result.push_back(
        {.what = std::string(kNames[q]) + ", one run",
         .model = "independent wakeups",
         .coverage = static_cast<double>(covered[q]) / static_cast<double>(replications),
         .replications = replications});
  }
  return result;
}

// Wakeups above kLevel come in bursts of this mean size, by class; the later ones of a burst are
// above it, too, with 0.7.
using BurstSizes = std::array<double, 3>;

struct BurstModel {
  LatencyModel latency = mixture_model();
  BurstSizes bursts = {1, 1, 1};
  double run_scatter = 0;
  double rate_scatter = 0;

  double extra(size_t i) const { return (bursts[i] - 1) * 0.7; }

  // Events of this class per minute whose peak is above the level, in a run with these effects.
  double peaks(size_t i, const RunEffect& effect) const {
    const EventClass& events = latency.classes[i];
    const double rate = events.per_minute * (events.varies ? std::exp(effect.rate) : 1);
    return rate * pareto_survival(events, kLevel / std::exp(effect.latency) - events.offset);
  }

  std::vector<double> counts(Random& random) const {
    const RunEffect effect = {run_scatter * random.normal(), rate_scatter * random.normal()};
    std::vector<double> minutes;
    for (size_t minute = 0; minute < kMinutes; ++minute) {
      uint64_t count = 0;
      for (size_t i = 0; i < bursts.size(); ++i) {
        const uint64_t peaks_here = random.poisson(peaks(i, effect));
        count += peaks_here;
        for (uint64_t p = 0; p < peaks_here; ++p) count += random.geometric(1 / (1 + extra(i)));
      }
      minutes.push_back(static_cast<double>(count));
    }
    return minutes;
  }

  // Expected count per minute, over all runs.
  double truth() const {
    constexpr int kPoints = 400;
    double sum = 0;
    double weights = 0;
    for (int point = 0; point <= kPoints; ++point) {
      const double z = -6 + 12.0 * point / kPoints;
      const double weight = std::exp(-z * z / 2);
      // The mean of a lognormal rate does not depend on the latency's effect.
      const RunEffect effect = {run_scatter * z, rate_scatter * rate_scatter / 2};
      for (size_t i = 0; i < bursts.size(); ++i) {
        sum += weight * peaks(i, effect) * (1 + extra(i));
      }
      weights += weight;
    }
    return sum / weights;
  }
};

double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

struct Ways {
  double exact = 0;     // the exact binomial interval of all samples together
  double adjusted = 0;  // with the dispersion over the minutes, one run
  double over_runs = 0;
};

// How often each interval of the share above the level holds the truth.
Ways covered(const BurstModel& model, size_t runs, size_t replications, uint64_t seed) {
  Random random(seed);
  const double truth = model.truth() / kWakeupsPerMinute;
  const double samples = static_cast<double>(runs * kMinutes) * kWakeupsPerMinute;
  Ways ways;
  for (size_t i = 0; i < replications; ++i) {
    std::vector<double> minutes, shares;
    for (size_t run = 0; run < runs; ++run) {
      const auto counts = model.counts(random);
      minutes.insert(minutes.end(), counts.begin(), counts.end());
      shares.push_back(sum_of(counts) / (kMinutes * kWakeupsPerMinute));
    }
    const double count = sum_of(minutes);
    ways.exact += statistics::share_interval(count, samples, kConfidence).contains(truth);
    const double phi = statistics::dispersion(minutes);
    ways.adjusted +=
        statistics::bursty_share_interval(count, samples, phi, kConfidence).contains(truth);
    ways.over_runs += statistics::mean_interval(shares, kConfidence).contains(truth);
  }
  const auto n = static_cast<double>(replications);
  return {ways.exact / n, ways.adjusted / n, ways.over_runs / n};
}

// One way to make the interval beside the way that is used, and what the study found of both.
struct Comparison {
  const char* model;
  BurstModel bursts;
  size_t runs;
  double Ways::*used;
  const char* used_name;
  double exact_published;
  double used_published;
};

std::vector<Comparison> comparisons() {
  const BurstModel bursts = {.bursts = {2, 1.5, 3}};
  const BurstModel long_bursts = {.bursts = {4, 4, 8}};
  const BurstModel differing = {.bursts = {2, 1.5, 3}, .run_scatter = 0.08, .rate_scatter = 0.4};
  constexpr const char* kEffect = "share, design effect";
  constexpr const char* kOverRuns = "share, t over runs";
  return {{"bursts, one run", bursts, 1, &Ways::adjusted, kEffect, 0.835, 0.942},
          {"long bursts, one run", long_bursts, 1, &Ways::adjusted, kEffect, 0.560, 0.930},
          {"5 runs that differ", differing, 5, &Ways::over_runs, kOverRuns, 0.505, 0.921},
          {"10 runs that differ", differing, 10, &Ways::over_runs, kOverRuns, 0.499, 0.932}};
}

}  // namespace

std::vector<Coverage> quantile_coverage(size_t replications) {
  std::vector<Coverage> rows = of_one_histogram(std::min<size_t>(replications, 500));
  uint64_t seed = 2;
  for (const Comparison& one : comparisons()) {
    const Ways ways = covered(one.bursts, one.runs, replications, seed++);
    const auto add = [&](const char* what, double coverage, double published) {
      rows.push_back({.what = what,
                      .model = one.model,
                      .coverage = coverage,
                      .replications = replications,
                      .published = published,
                      .published_replications = kPublishedReplications});
    };
    add("share, exact binomial", ways.exact, one.exact_published);
    add(one.used_name, ways.*one.used, one.used_published);
  }
  return rows;
}

}  // namespace rtsweep::simulation
