// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "analysis/statistics/interval.h"
#include "analysis/statistics/moderated_variance.h"

// Is the new one worse, and by which factor? On logarithms, so that differences are ratios.
namespace rtsweep::statistics {

// A ratio new / old on the log scale, with what is known of its error.
struct LogRatio {
  double log_ratio = 0;
  double standard_error = 0;
  double degrees = std::numeric_limits<double>::infinity();  // of Student's t
  SampleVariance variance;  // between pairs, floored and moderated; unused by Welch's test

  double ratio() const;
  double t() const;
  double p_worse() const;   // one-sided: the ratio is above 1
  double p_better() const;  // one-sided: the ratio is below 1

  // One-sided: how surprising this ratio would be, were the true one `margin` (1.2: 20 %) or more.
  double p_reaches(double margin) const;

  // Two one-sided limits at (1 + confidence) / 2 each, as ratios.
  Interval interval(double confidence = 0.9) const;
};

// Interleaved pairs: d = new - old of each, with the variance moderated, and not believed below
// `floor`. At least two pairs. Smyth (2004).
LogRatio paired_ratio(std::span<const double> differences, VariancePrior prior = {},
                      double floor = 0);

// Two groups that were not interleaved: Welch's t with Satterthwaite's degrees. At least two runs
// of each. Shifts between sessions pass for differences: label the result so.
// No variance of a group is believed below `floor`.
LogRatio unpaired_ratio(std::span<const double> old_runs, std::span<const double> new_runs,
                        double floor = 0);

struct PermutationP {
  double worse = 0;  // one-sided: a mean difference at least this large
  double two_sided = 0;
};

// All ways to call the pooled runs old and new, counted exactly. Nothing above 200,000 ways. The
// least p is 1 / ways: three unpaired runs each can never reach 5 % two-sided.
std::optional<PermutationP> exact_permutation(std::span<const double> old_runs,
                                              std::span<const double> new_runs);

// All signs of the differences of pairs, counted exactly; the least p is 2^-pairs. Nothing above
// 20 pairs.
std::optional<PermutationP> exact_sign_flips(std::span<const double> differences);

}  // namespace rtsweep::statistics
