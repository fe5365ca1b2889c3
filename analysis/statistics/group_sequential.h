// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <functional>
#include <span>
#include <vector>

// A few planned looks at a comparison that grows, with the error rate kept over all of them.
namespace rtsweep::statistics {

enum class Sides { kOne, kTwo };

// Critical z at each of `looks` equally spaced looks, two-sided. O'Brien & Fleming: c sqrt(K / k),
// hard early and nearly the fixed test at the end. Pocock: the same at every look. Jennison &
// Turnbull, Group Sequential Methods (2000), 2.4 and 2.5.
std::vector<double> obrien_fleming_bounds(unsigned looks, double alpha);
std::vector<double> pocock_bounds(unsigned looks, double alpha);

// What O'Brien-Fleming spending has used of alpha at a share of the information: 2 - 2 Phi(z / sqrt
// t) with z the alpha / 2 quantile. Lan & DeMets, Biometrika 70 (1983).
double obrien_fleming_spent(double information, double alpha);

// Critical z at looks at these shares of the information (ascending, last 1), each spending what
// is due. Two-sided: each side spends alpha / 2. For pairs, share k / K of the planned pairs; the
// nominal one-sided p to compare with is normal_upper(z).
std::vector<double> spending_bounds(std::span<const double> information, double alpha, Sides sides);

}  // namespace rtsweep::statistics
