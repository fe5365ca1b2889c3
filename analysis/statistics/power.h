// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>

// How many runs it takes, before they are made. All by the noncentral t distribution.
namespace rtsweep::statistics {

// The chance that a t test of two groups of `runs` each finds a difference of `effect` standard
// deviations in one direction, at `tail` error in that direction. `runs` may be a fraction.
double two_sample_power(double runs, double effect, double tail);

// The runs per group at which two_sample_power() is `power`, as a fraction, as R's power.t.test.
// NaN outside 1.5 to 100,000 runs.
double two_sample_runs(double power, double effect, double tail);

// The fewest whole runs per cell that find the ratio (1.2: 20 %) when the logs of runs scatter by
// `log_sd`. Nothing when even 100,000 would not do.
std::optional<uint64_t> runs_per_cell(double log_sd, double ratio, double tail, double power);

// The chance that `pairs` interleaved pairs find the ratio, with differences of variance
// `log_variance` and prior_degrees + pairs - 1 degrees of freedom.
double paired_power(double pairs, double ratio, double log_variance, double prior_degrees,
                    double tail);

// The fewest pairs with paired_power() >= power. Nothing when even 100,000 would not do.
std::optional<uint64_t> pairs_needed(double ratio, double log_variance, double prior_degrees,
                                     double tail, double power);

}  // namespace rtsweep::statistics
