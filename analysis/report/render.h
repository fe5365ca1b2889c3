// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_report.h"
#include "runner/base/result.h"

namespace rtsweep {

// The renderers: pure functions of a RunReport, one file per format. All of them
//  - say the unit of every number and how many samples stand behind it;
//  - say "unknown" (JSON: null) where nothing is known, never 0;
//  - leave the numbers of INVALID and ERROR trials out of every table's maxima;
//  - never put real and virtual time into one statistic;
//  - treat every string of the report as hostile.

// For a mail: at most 72 columns, no control characters; plain ASCII unless the
// plan, a kernel or a machine brought other characters with it.
std::string render_text(const RunReport& report);

// One object, as results/schema/report-1.schema.json describes it.
std::string render_json(const RunReport& report);

// GitHub Markdown: the table of the text report, and what is not in order.
std::string render_markdown(const RunReport& report);

// One self-contained page that asks nothing of the network. Its tables are readable
// without JavaScript; filters and plots need it.
std::string render_html(const RunReport& report);

// The formats that CI systems read; docs/gating-in-ci.md says how verdicts map to each.
std::string render_junit(const RunReport& report);        // JUnit XML, for both common schemas
std::string render_tap(const RunReport& report);          // Test Anything Protocol 13
std::string render_kcidb(const RunReport& report);        // KCIDB JSON 5.3, origin "rtsweep"
std::string render_lava(const RunReport& report);         // signals for LAVA's dispatcher
std::string render_github(const RunReport& report);       // annotations of GitHub Actions
std::string render_openmetrics(const RunReport& report);  // OpenMetrics and Prometheus text
std::string render_csv(const RunReport& report);          // long form, for R and pandas

// The same in the name of a CI system that KCIDB knows: lower-case letters, digits and '_'.
std::string render_kcidb(const RunReport& report, const std::string& origin);
bool is_kcidb_origin(std::string_view text);

// What `rtsweep report --format` can name.
std::vector<std::string> report_formats();

// Renders in the format of that name. kInvalidPlan: the error names the wrong word,
// the nearest right one, and all of them.
Result<std::string> render(const RunReport& report, std::string_view format);

}  // namespace rtsweep
