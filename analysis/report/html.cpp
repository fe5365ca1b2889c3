// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/html.h"

#include <fmt/format.h>

#include "analysis/report/html_findings.h"
#include "analysis/report/html_findings.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/render.h"
#include "analysis/report/wording.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

std::string title_of(const RunReport& report) {
  return html_escaped(report.name.empty() ? report.run : report.name);
}

// default-src 'none': even if a string slipped through, nothing could be fetched or sent.
std::string head_html(const RunReport& report) {
  return "<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
         "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=color-scheme content=\"light dark\">\n"
         R"(<meta http-equiv=Content-Security-Policy content="default-src 'none'; )"
         "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
         "form-action 'none'\">\n<title>" +
         title_of(report) + " - rtsweep</title>\n<style>\n" + std::string(kReportCss) +
         "</style>\n</head>\n<body>\n";
}

// The worst usable trial of one clock, as a sentence with a link.
std::string worst_html(const RunReport& report, const ReportCells& cells, bool virtual_clock) {
  const TrialResult* worst = nullptr;
  for (const TrialResult& trial : report.trials) {
    if (trial.virtual_clock != virtual_clock || !trial.usable() || !trial.max_us()) continue;
    if (worst == nullptr || *trial.max_us() > *worst->max_us()) worst = &trial;
  }
  if (worst == nullptr) return "";
  return fmt::format(
      "<p class=lead>Worst in {} time: <b>{}</b> of {} samples in <a "
      "href=\"#trial-{}\">{}</a></p>\n",
      virtual_clock ? "virtual" : "real", html_us(worst->max_us()), grouped(worst->samples()),
      worst->id, html_escaped(cells.name_of(worst->cell)));
}

std::string count_html(std::string_view verdict, int count) {
  return fmt::format(
      R"(<li><a class="count {0}{1}" href="#trials" data-verdict={0}><b>{2}</b> {0}</a></li>)",
      verdict, count == 0 ? " zero" : "", count);
}

std::string counts_html(const RunReport& report) {
  const VerdictCounts counts = count_verdicts(report);
  const int open = report.planned - static_cast<int>(report.trials.size());
  std::string html = "<ul class=counts>" + count_html("PASS", counts.pass) +
                     count_html("FAIL", counts.fail) + count_html("INVALID", counts.invalid) +
                     count_html("ERROR", counts.error);
  if (open > 0) html += fmt::format("<li><span class=count><b>{}</b> not begun</span></li>", open);
  return html + "</ul>\n";
}

std::string term(std::string_view name, const std::string& value) {
  if (value.empty()) return "";
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, html_escaped(value));
}

std::string fixed_text(const ReportCells& cells) {
  std::vector<std::string> fixed;
  for (const std::string& factor : cells.fixed_factors()) {
    fixed.push_back(factor + " = " + cells.levels(factor).front());
  }
  return join(fixed, ", ");
}

std::string time_text(const RunReport& report) {
  if (report.started.empty()) return "";
  return report.started + (report.ended.empty() ? ", not complete" : " to " + report.ended);
}

std::string header_html(const RunReport& report, const ReportCells& cells) {
  return "<header>\n<p class=kicker>rtsweep: " + measured_text(report) + "</p>\n<h1>" +
         title_of(report) + "</h1>\n" + worst_html(report, cells, false) +
         worst_html(report, cells, true) + counts_html(report) + "<dl class=terms>" +
         term("Run", report.run) + term("Time", time_text(report)) + term("Target", report.target) +
         term("Emulator", report.emulator) + term("Host", report.host) +
         term("Fixed", fixed_text(cells)) + "</dl>\n</header>\n";
}

std::string kernels_html(const RunReport& report) {
  if (report.kernels.empty()) return "";
  std::string html =
      "<section id=kernels>\n<h2>Kernels</h2>\n<div class=scroll tabindex=0 role=region "
      "aria-label=Kernels><table><thead><tr><th scope=col>kernel</th><th scope=col class=text>arch"
      "</th><th scope=col class=text>release</th><th scope=col class=text>RT</th>"
      "<th scope=col class=text>package</th></tr></thead><tbody>";
  for (const KernelResult& kernel : report.kernels) {
    html += fmt::format(
        "<tr><th scope=row>{}</th><td class=text>{}</td><td class=text>{}</td>"
        "<td class=text>{}</td><td class=text>{}</td></tr>",
        html_escaped(kernel.name), html_escaped(kernel.arch), html_escaped(kernel.release),
        rt_text(kernel.rt), html_escaped(kernel.package));
  }
  return html + "</tbody></table></div>\n</section>\n";
}

std::string plan_html(const RunReport& report) {
  if (report.plan_text.empty()) return "";
  std::string html =
      "<section id=plan>\n<h2>Plan</h2>\n<details><summary>The plan file as given"
      "</summary><pre tabindex=0>";
  for (const std::string& line : printable_lines(report.plan_text)) {
    html += html_escaped(line) + "\n";
  }
  return html + "</pre></details>\n</section>\n";
}

// Filled by report.js; hidden where it does not run.
constexpr std::string_view kPlots =
    "<form id=filters class=toolbar aria-label=Filter hidden></form>\n"
    "<section id=distributions hidden>\n<h2>Distributions</h2>\n"
    "<form id=plot-controls class=controls></form>\n<p id=plot-note class=note></p>\n"
    "<div id=plots></div>\n</section>\n"
    "<section id=heat hidden>\n<h2>Every trial</h2>\n<form id=heat-controls "
    "class=controls></form>\n"
    "<div id=heat-map class=scroll tabindex=0 role=region aria-label=\"Heat map\"></div>\n"
    "</section>\n"
    "<noscript><p class=note>The plots and filters need JavaScript. Every number is in the tables."
    "</p></noscript>\n";

}  // namespace

std::string render_html(const RunReport& report) {
  const ReportCells cells(report);
  const ShownTimelines timelines = shown_timelines(report);
  return head_html(report) + header_html(report, cells) +
         "<main>\n<section id=cells>\n<h2>Factors and loads</h2>\n" + html_cells(report, cells) +
         "</section>\n" + html_findings(report) + std::string(kPlots) +
         "<section id=trials>\n<h2>Trials</h2>\n<p id=trial-note class=note></p>\n"
         "<div id=trial-list>\n" +
         html_trials(report, cells, timelines.keys) + "</div>\n</section>\n" +
         kernels_html(report) + plan_html(report) + "</main>\n<footer>Made by rtsweep " +
         html_escaped(report.rtsweep_version) +
         " from the run directory alone. Quantiles are by nearest rank; of n samples, those finer "
         "than 1/n are the maximum; &quot;unknown&quot; means that the rank falls among samples "
         "past the histogram&#39;s end. What a reason's code means: "
         "docs/reducing-variance.md.</footer>\n<script type=\"application/json\" id=data>" +
         html_data(report, cells, timelines.json) + "</script>\n<script>\n" +
         std::string(kPlotsJs) + std::string(kLinesJs) + std::string(kTimelineJs) +
         std::string(kReportJs) + "</script>\n</body>\n</html>\n";
}

}  // namespace rtsweep
