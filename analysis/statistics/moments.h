// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <vector>

namespace rtsweep::statistics {

double mean(std::span<const double> values);                 // NaN without values
double variance(std::span<const double> values);             // over n - 1; NaN below two values
double lag_one_correlation(std::span<const double> values);  // 0 when all are equal
std::vector<double> sorted(std::span<const double> values);
double median(std::span<const double> values);  // NaN without values

// Average ranks, 1-based; ties share the mean of their ranks.
std::vector<double> ranks(std::span<const double> values);

}  // namespace rtsweep::statistics
