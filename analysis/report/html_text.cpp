// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include "analysis/report/html.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/wording.h"
#include "runner/base/text.h"

namespace rtsweep {

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_scrolling(const std::string& table) {
  return "<div class=scroll tabindex=0 role=region aria-label=table>" + table + "</div>\n";
}

std::string html_number(const std::optional<int64_t>& us) {
  if (!us) return "<span class=unknown>unknown</span>";
  return *us < 0 ? std::to_string(*us) : grouped(static_cast<uint64_t>(*us));
}

std::string html_us(const std::optional<int64_t>& us) {
  return html_number(us) + (us ? "<small> µs</small>" : "");
}

std::string html_verdict(const TrialResult& trial) {
  const std::string_view name = verdict_name(trial.verdict);
  return fmt::format("<span class=\"verdict {}\">{}</span>", name,
                     is_unfinished(trial) ? "unfinished" : name);
}

std::string html_filter(const ReportCells& cells, const Cell& cell, std::string_view only) {
  std::vector<std::string> parts;
  for (size_t f = 0; f < cells.factors().size(); ++f) {
    const std::string& factor = cells.factors()[f];
    if (!cell.contains(factor) || (!only.empty() && factor != only)) continue;
    if (only.empty() && cells.levels(factor).size() < 2) continue;
    parts.push_back(fmt::format("{}:{}", f, cells.level_index(cell, factor)));
  }
  return join(parts, ",");
}

}  // namespace rtsweep
