// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace rtsweep {

// A period that moments keep to.
struct Period {
  double period_s = 0;
  double statistic = 0;  // Rayleigh's z = n R^2, R the length of the mean phase vector
  double p_value = 1;    // of so great a z anywhere among the periods looked at
  size_t moments = 0;    // n: moments nearer than a quarter of the period count once
  size_t fitting = 0;    // of these, within a tenth of the period of the mean phase
};

// The period that the moments (seconds, ascending) keep to, if they keep to one more
// closely than chance explains at `p_value`. Looks at periods from `least_s` to a sixth of
// the time between the first and the last moment; of a period and its fractions, which fit as
// well, the longest. Some moments may be missing, others be there by chance.
//
// Rayleigh's test (Mardia and Jupp, Directional Statistics, 2000, section 6.3.1). For the
// greatest z over a range of frequencies W wide: P <= exp(-z) (1 + W T sqrt(z)),
// T = sqrt(4 pi var(t)), as Baluev (MNRAS 385, 2008, 1279) derives for periodograms of two
// degrees of freedom. Moments at random times have a period reported in at most a `p_value`
// of cases.
std::optional<Period> find_period(std::span<const double> moments_s, double least_s,
                                  double p_value);

}  // namespace rtsweep
