// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "analysis/report/cells.h"
#include "analysis/report/html_timelines.h"

namespace rtsweep {

// The parts of the HTML report. Everything that is read as text is in the markup, so
// that it is there without JavaScript; report.js adds filters and draws the plots
// from the histograms in html_data().

// Safe as text and in a quoted attribute.
std::string html_escaped(std::string_view text);

// A table that may be wider than the page.
std::string html_scrolling(const std::string& table);

// "208 µs" with the unit set smaller; "unknown" where it is.
std::string html_us(const std::optional<int64_t>& us);

// The same in a table whose heading says the unit.
std::string html_number(const std::optional<int64_t>& us);

// A verdict as a coloured word; "unfinished" where the trial never ended.
std::string html_verdict(const TrialResult& trial);

// The factors x loads tables, one for each clock, with their legends.
std::string html_cells(const RunReport& report, const ReportCells& cells);

// One <details> for each trial.
std::string html_trials(const RunReport& report, const ReportCells& cells,
                        const std::set<TimelineKey>& timelines);

// What report.js draws: a JSON document that is safe inside <script>. `timelines` is the
// JSON of those that the page shows.
std::string html_data(const RunReport& report, const ReportCells& cells,
                      std::string_view timelines);

// "0:2,3:1" for the levels of a cell: indices of factor and level, as in html_data().
// `only` names one factor; empty: all that vary.
std::string html_filter(const ReportCells& cells, const Cell& cell, std::string_view only = "");

// report.css and the scripts, put in by the build.
extern const std::string_view kReportCss;
extern const std::string_view kPlotsJs;
extern const std::string_view kLinesJs;
extern const std::string_view kTimelineJs;
extern const std::string_view kReportJs;

}  // namespace rtsweep
