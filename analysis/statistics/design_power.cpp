// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/design_power.h"

#include <cmath>

#include "analysis/statistics/moderated_variance.h"
#include "analysis/statistics/power.h"

namespace rtsweep::statistics {
namespace {

constexpr double kIntervalSd = 0.26;
constexpr double kBootSd = 0.095;
constexpr double kMostRatio = 100;

// Degrees that the other cells add to each repetition beyond the first.
double prior_degrees(const Design& design, double repetitions) {
  if (design.cells < kLeastCellsForPrior) return 0;
  return (repetitions - 1) * static_cast<double>(design.cells - 1);
}

// Holm's first step decides whether a single change among the cells is found.
double tail_of(const Design& design) {
  return design.alpha / 2 / static_cast<double>(design.cells);
}

double power_of(const Design& design, double repetitions, double ratio) {
  const double of_pairs = 2 * design.log_sd * design.log_sd;
  return paired_power(repetitions, ratio, of_pairs, prior_degrees(design, repetitions),
                      tail_of(design));
}

}  // namespace

double assumed_log_sd(double intervals) {
  return std::sqrt(kIntervalSd * kIntervalSd / intervals + kBootSd * kBootSd);
}

std::optional<uint64_t> repetitions_needed(const Design& design, double ratio) {
  constexpr uint64_t kMost = 100'000;
  uint64_t enough = 2;
  while (enough <= kMost && !(power_of(design, static_cast<double>(enough), ratio) >= design.power))
    enough *= 2;
  if (enough > kMost) return std::nullopt;
  uint64_t too_few = enough / 2;  // or one, which cannot be tested
  while (enough - too_few > 1) {
    const uint64_t middle = (enough + too_few) / 2;
    const bool does = power_of(design, static_cast<double>(middle), ratio) >= design.power;
    (does ? enough : too_few) = middle;
  }
  return enough;
}

std::optional<double> smallest_ratio_found(const Design& design, uint64_t repetitions) {
  if (repetitions < 2) return std::nullopt;
  const auto found = [&](double ratio) {
    return power_of(design, static_cast<double>(repetitions), ratio) >= design.power;
  };
  double lower = 0;  // logarithms
  double upper = std::log(kMostRatio);
  if (!found(kMostRatio)) return std::nullopt;
  for (int step = 0; step < 40; ++step) {
    const double middle = (lower + upper) / 2;
    (found(std::exp(middle)) ? upper : lower) = middle;
  }
  return std::exp(upper);
}

double rarest_seen_per_hour(double hours) { return -std::log(0.05) / hours; }

}  // namespace rtsweep::statistics
