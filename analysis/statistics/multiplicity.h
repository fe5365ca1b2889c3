// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <span>
#include <vector>

// Many tests at once: p-values adjusted so that they can be compared with the error rate wanted
// for the whole family. Results stand in the order of the input.
namespace rtsweep::statistics {

// At most this share of families has any false finding: for gates. Holm, Scand. J. Stat. 6 (1979).
std::vector<double> holm(std::span<const double> p_values);

// Expected share of false findings among the findings: for exploration. Benjamini & Hochberg,
// J. R. Stat. Soc. B 57 (1995).
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

// One p-value for "at least one of these two moved": min(2 min(p, q), max(p, q)), so at most a
// when the smaller is <= a / 2 or both are <= a. Hochberg, Biometrika 75 (1988); holds for
// statistics that rise together, as the two of a run do.
double either(double p, double q);

}  // namespace rtsweep::statistics
