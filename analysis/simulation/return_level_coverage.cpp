// SPDX-License-Identifier: GPL-2.0-or-later

#include <cmath>

#include "analysis/simulation/error_rates.h"
#include "analysis/simulation/latency_model.h"
#include "analysis/statistics/return_level.h"

namespace rtsweep::simulation {
namespace {

constexpr size_t kHour = 60;  // minutes
constexpr double kPublishedReplications = 300;

struct Case {
  LatencyModel model;
  size_t minutes = kHour;  // measured
  double period = kHour;   // of the level, in minutes
  double published = 0;    // coverage
};

std::string hours(double minutes) {
  const int h = static_cast<int>(minutes / kHour);
  return h == 1 ? "hour" : std::to_string(h) + " h";
}

Coverage cover(const Case& test, size_t replications, uint64_t seed) {
  Random random(seed);
  const double truth = level_exceeded_once_in(test.model, test.period);
  size_t given = 0;
  size_t covered = 0;
  for (size_t i = 0; i < replications; ++i) {
    const auto answer = statistics::return_level(
        {.runs = {minute_maxima(test.model, {}, {}, test.minutes, random)}}, test.period * 60);
    if (!answer.level) continue;
    ++given;
    covered += answer.level->interval.contains(truth);
  }
  return {.what = "once per " + hours(test.period) + ", from " +
                  std::to_string(test.minutes / kHour) + " h",
          .model = test.model.name,
          .coverage = given == 0 ? 0 : static_cast<double>(covered) / static_cast<double>(given),
          .given = static_cast<double>(given) / static_cast<double>(replications),
          .replications = given,
          .published = test.published,
          .published_replications = kPublishedReplications};
}

// Ten hours that get 40 % worse from the first minute to the last.
std::vector<double> drifting(Random& random) {
  std::vector<double> maxima;
  for (size_t minute = 0; minute < 10 * kHour; ++minute) {
    const double progress = static_cast<double>(minute) / (10 * kHour);
    const RunEffect later = {.latency = std::log(1 + 0.4 * progress)};
    maxima.push_back(minute_maxima(mixture_model(), {}, later, 1, random).front());
  }
  return maxima;
}

// Ten hours of a load with phases: the log rate of events wanders (AR(1) of 0.97, sigma 0.7).
std::vector<double> in_phases(Random& random) {
  constexpr double kMemory = 0.97;
  constexpr double kSigma = 0.7;
  std::vector<double> maxima;
  double log_rate = kSigma * random.normal();
  for (size_t minute = 0; minute < 10 * kHour; ++minute) {
    const RunEffect phase = {.rate = log_rate - kSigma * kSigma / 2};
    maxima.push_back(minute_maxima(one_tail_model(), {}, phase, 1, random).front());
    log_rate = kMemory * log_rate + std::sqrt(1 - kMemory * kMemory) * kSigma * random.normal();
  }
  return maxima;
}

template <typename Draw>
Refused refused(std::string what, double at_least, size_t replications, Draw draw) {
  Random random(77);
  size_t count = 0;
  for (size_t i = 0; i < replications; ++i) {
    count += !statistics::return_level({.runs = {draw(random)}}, 36'000).level.has_value();
  }
  return {.what = std::move(what),
          .refused = static_cast<double>(count) / static_cast<double>(replications),
          .at_least = at_least,
          .replications = replications};
}

}  // namespace

std::vector<Coverage> return_level_coverage(size_t replications) {
  const std::vector<Case> cases = {
      {one_tail_model(), kHour, kHour, 0.97},
      {one_tail_model(), kHour, 10 * kHour, 0.93},
      {one_tail_model(), 10 * kHour, 10 * kHour, 0.94},
      {one_tail_model(), 10 * kHour, 100 * kHour, 0.96},
      {bounded_tail_model(), kHour, kHour, 0.93},
      {bounded_tail_model(), kHour, 10 * kHour, 0.91},
      {bounded_tail_model(), 10 * kHour, 10 * kHour, 0.96},
      {bounded_tail_model(), 10 * kHour, 100 * kHour, 0.97},
      {mixture_model(), kHour, kHour, 0.96},
      {mixture_model(), kHour, 10 * kHour, 0.95},
      {mixture_model(), 10 * kHour, 10 * kHour, 0.88},
      {mixture_model(), 10 * kHour, 100 * kHour, 0.75},
  };
  std::vector<Coverage> rows;
  for (size_t i = 0; i < cases.size(); ++i) rows.push_back(cover(cases[i], replications, 11 + i));
  return rows;
}

std::vector<Refused> refusals(size_t replications) {
  return {refused("10 h that drift by 40 %", 0.98, replications, drifting),
          refused("10 h of a load in phases", 0.95, replications, in_phases)};
}

}  // namespace rtsweep::simulation
