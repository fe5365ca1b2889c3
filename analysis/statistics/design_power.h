// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>

// What a design of so many cells and repetitions will find, before it is measured: by the t test of
// compare_cells() on the typical worst interval (T1), at half of alpha, as one of two statistics.
namespace rtsweep::statistics {

struct Design {
  double log_sd = 0.1;  // of T1 from run to run: what is not shared by a pair
  double alpha = 0.05;  // of a false regression, in the whole matrix
  double power = 0.9;   // wanted
  uint64_t cells = 1;   // compared together; from ten on their variances are moderated
};

// The scatter of T1 that runs of this many intervals have in the simulations of stats.md: 26 % of
// an interval, 9.5 % from boot to boot. Gives 15, 13, 10, 10 % for 5, 10, 60, 600 minutes.
double assumed_log_sd(double intervals);

// The fewest repetitions (pairs of a cell) that find a tail longer by this ratio (1.2: 20 %).
// Nothing when even 100,000 would not do.
std::optional<uint64_t> repetitions_needed(const Design& design, double ratio);

// The smallest ratio that so many repetitions find. Nothing below two, and above a ratio of 100.
std::optional<double> smallest_ratio_found(const Design& design, uint64_t repetitions);

// The events per hour below which a path is not seen at all in this time, with a chance of 5 %:
// the rule of three. 2.996 / hours.
double rarest_seen_per_hour(double hours);

}  // namespace rtsweep::statistics
