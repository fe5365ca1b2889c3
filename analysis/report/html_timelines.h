// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <set>
#include <string>
#include <utility>

#include "analysis/run_report.h"

namespace rtsweep {

// A trial's id and the index of its outlier.
using TimelineKey = std::pair<int, size_t>;

// The timelines that a page shows: the worst outliers' ones, a bounded number of them
// and of bytes.
struct ShownTimelines {
  std::set<TimelineKey> keys;
  std::string json = "[]";  // for timeline.js: [{"trial", "outlier", "picture"}, ...]
};
ShownTimelines shown_timelines(const RunReport& report);

// Where timeline.js draws those of one trial; empty when none of them is shown.
std::string timelines_html(const TrialResult& trial, const std::set<TimelineKey>& shown);

}  // namespace rtsweep
