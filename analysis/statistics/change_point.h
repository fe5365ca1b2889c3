// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <span>

// Where in a finished series did its level change, if it did? For looking back; nights as they
// come are watched by SelfStartingCusum. An index is the number of values before the change.
namespace rtsweep::statistics {

struct PettittTest {
  size_t index = 0;
  double k = 0;        // largest |U|
  double p_value = 1;  // 2 exp(-6 K^2 / (n^3 + n^2)), at most 1
};

// By ranks: Pettitt, Appl. Statist. 28 (1979). O(n log n). Two values at least.
PettittTest pettitt(std::span<const double> series);

// The split into two means with the least squares left; each part has two values at least, so
// the series four.
size_t least_squares_change(std::span<const double> series);

struct EnergyChange {
  size_t index = 0;
  double q = 0;
};

// E-divisive's statistic Q with alpha = 1: sees changes of shape as well as of level. Matteson &
// James, J. Am. Stat. Assoc. 109 (2014). Each part has `least` values or more. O(n^2).
EnergyChange energy_change(std::span<const double> series, size_t least);

}  // namespace rtsweep::statistics
