// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/log_ratio_tests.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "analysis/statistics/distributions.h"
#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

constexpr double kMostWays = 200'000;
constexpr size_t kMostFlips = 20;

// Counts how often a relabelled difference is at least the seen one; sums of the same numbers in
// another order must count as equal.
class Tally {
 public:
  Tally(double seen, double scale) : seen_(seen), slack_(1e-12 * scale) {}

  void add(double difference) {
    ++ways_;
    if (difference >= seen_ - slack_) ++worse_;
    if (std::abs(difference) >= std::abs(seen_) - slack_) ++as_far_;
  }

  PermutationP result() const {
    return {static_cast<double>(worse_) / static_cast<double>(ways_),
            static_cast<double>(as_far_) / static_cast<double>(ways_)};
  }

 private:
  double seen_;
  double slack_;
  uint64_t ways_ = 0;
  uint64_t worse_ = 0;
  uint64_t as_far_ = 0;
};

double magnitude(std::span<const double> values) {
  double most = 1;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

double ways_to_choose(size_t n, size_t k) {
  double ways = 1;
  for (size_t i = 1; i <= k; ++i) ways *= static_cast<double>(n - k + i) / static_cast<double>(i);
  return ways;
}

}  // namespace

double LogRatio::ratio() const { return std::exp(log_ratio); }
double LogRatio::t() const { return log_ratio / standard_error; }
double LogRatio::p_worse() const { return t_upper(t(), degrees); }
double LogRatio::p_better() const { return t_cdf(t(), degrees); }

double LogRatio::p_reaches(double margin) const {
  return t_cdf((log_ratio - std::log(margin)) / standard_error, degrees);
}

Interval LogRatio::interval(double confidence) const {
  const double half = t_quantile((1 + confidence) / 2, degrees) * standard_error;
  return {std::exp(log_ratio - half), std::exp(log_ratio + half)};
}

LogRatio paired_ratio(std::span<const double> differences, VariancePrior prior, double floor) {
  const auto pairs = static_cast<double>(differences.size());
  const SampleVariance own{std::max(variance(differences), floor), pairs - 1};
  const SampleVariance moderated = moderate(own, prior);
  return {.log_ratio = mean(differences),
          .standard_error = std::sqrt(moderated.variance / pairs),
          .degrees = moderated.degrees,
          .variance = moderated};
}

LogRatio unpaired_ratio(std::span<const double> old_runs, std::span<const double> new_runs,
                        double floor) {
  const auto olds = static_cast<double>(old_runs.size());
  const auto news = static_cast<double>(new_runs.size());
  const double of_old = std::max(variance(old_runs), floor) / olds;
  const double of_new = std::max(variance(new_runs), floor) / news;
  const double sum = of_old + of_new;
  return {.log_ratio = mean(new_runs) - mean(old_runs),
          .standard_error = std::sqrt(sum),
          .degrees = sum * sum / (of_old * of_old / (olds - 1) + of_new * of_new / (news - 1)),
          .variance = {}};
}

std::optional<PermutationP> exact_permutation(std::span<const double> old_runs,
                                              std::span<const double> new_runs) {
  std::vector<double> all(new_runs.begin(), new_runs.end());
  all.insert(all.end(), old_runs.begin(), old_runs.end());
  if (ways_to_choose(all.size(), new_runs.size()) > kMostWays) return std::nullopt;
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  const auto news = static_cast<double>(new_runs.size());
  const auto olds = static_cast<double>(old_runs.size());
  Tally tally(mean(new_runs) - mean(old_runs), magnitude(all));
  std::vector<char> is_new(all.size(), 0);
  std::fill_n(is_new.begin(), new_runs.size(), 1);
  do {
    double of_new = 0;
    for (size_t i = 0; i < all.size(); ++i) of_new += is_new[i] != 0 ? all[i] : 0;
    tally.add(of_new / news - (sum - of_new) / olds);
  } while (std::prev_permutation(is_new.begin(), is_new.end()));
  return tally.result();
}

std::optional<PermutationP> exact_sign_flips(std::span<const double> differences) {
  const size_t pairs = differences.size();
  if (pairs == 0 || pairs > kMostFlips) return std::nullopt;
  Tally tally(mean(differences), magnitude(differences));
  for (uint32_t signs = 0; signs < (uint32_t{1} << pairs); ++signs) {
    double sum = 0;
    for (size_t i = 0; i < pairs; ++i)
      sum += (signs >> i & 1U) != 0 ? -differences[i] : differences[i];
    tally.add(sum / static_cast<double>(pairs));
  }
  return tally.result();
}

}  // namespace rtsweep::statistics
