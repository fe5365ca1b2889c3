// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <span>

// Exceedances come in clusters: the extremal index theta is one over the mean size of a cluster,
// 1 when they come alone. Samples then count as n theta clusters.
namespace rtsweep::statistics {

// From the positions of the exceedances, ascending, by the times between them: Ferro & Segers, J.
// R. Stat. Soc. B 65 (2003), as evd::exi with r = 0. At least two exceedances.
double extremal_index_by_intervals(std::span<const uint64_t> positions);

// The share of exceedances that begin a cluster, when one ends after `run_length` positions
// without an exceedance.
double extremal_index_by_runs(std::span<const uint64_t> positions, uint64_t run_length);

// From what is stored of every trial: of `intervals` of `samples_per_interval` each,
// `intervals_above` have their maximum above the level, which a sample exceeds with
// `exceed_probability`. theta = -ln(share of intervals below) / (b p), at most 1; 0 when every
// interval is above the level, which then says nothing.
double extremal_index_from_maxima(uint64_t intervals, uint64_t intervals_above,
                                  double samples_per_interval, double exceed_probability);

}  // namespace rtsweep::statistics
