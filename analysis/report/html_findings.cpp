// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/html_findings.h"

#include "analysis/report/forest_svg.h"
#include "analysis/report/html.h"
#include "analysis/run_findings.h"

namespace rtsweep {
namespace {

std::string effects_html(const statistics::Effects& effects) {
  std::string html;
  if (!effects.findings.empty()) {
    html += "<ul>";
    for (const auto& finding : effects.findings) {
      html += "<li>" + html_escaped(finding.sentence()) + ".</li>";
    }
    html +=
        "</ul>\n<div class=scroll tabindex=0 role=region aria-label=\"Effects with intervals\">" +
        forest_svg(effects.findings) + "</div>\n";
  }
  for (const std::string& warning : effects.warnings) {
    html += "<p class=note>Note: " + html_escaped(warning) + ".</p>\n";
  }
  return html;
}

}  // namespace

std::string html_findings(const RunReport& report) {
  const auto all = find_in(report);
  if (all.empty()) return "";
  std::string html = "<section id=findings>\n<h2>Findings</h2>\n";
  for (const RunFindings& findings : all) {
    html += "<p>" + html_escaped(findings.summary()) + "</p>\n";
    if (findings.effects) html += effects_html(*findings.effects);
  }
  return html + "</section>\n";
}

}  // namespace rtsweep
