// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <vector>

// May a tail model be fitted to these interval maxima at all? Tests of independence and drift.
namespace rtsweep::statistics {

struct LjungBox {
  double q = 0;
  double p_value = 1;
};

// Are the autocorrelations up to `lags` together more than chance? Ljung & Box, Biometrika 65
// (1978). More than `lags` values, not all equal (then q is 0).
LjungBox ljung_box(std::span<const double> values, unsigned lags);

// Values replaced by normal scores of their ranks, (rank - 1/2) / n: heavy tails then cannot hide
// a dependence.
std::vector<double> normal_scores(std::span<const double> values);

// Is the level stationary? Kwiatkowski, Phillips, Schmidt & Shin, J. Econometrics 54 (1992), with
// Bartlett weights over `lags`. 0 when all values are equal.
double kpss_level(std::span<const double> values, unsigned lags);
inline constexpr double kKpssOnePercent = 0.739;  // their Table 1

// The lags usual for n values: 4 (n / 100)^(1/4), rounded down.
unsigned kpss_lags(size_t n);

struct RunsTest {
  size_t ones = 0;
  size_t zeros = 0;
  size_t runs = 0;
  double expected = 0;
  double variance = 0;
  double z = 0;
  double p_two_sided = 1;
};

// Do the signs about the median come in too few or too many runs? Wald & Wolfowitz, as NIST/
// SEMATECH e-Handbook 1.3.5.13, without correction. Both signs must occur, else p is 1.
RunsTest runs_test(const std::vector<bool>& signs);

}  // namespace rtsweep::statistics
