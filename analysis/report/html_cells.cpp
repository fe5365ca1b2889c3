// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/html.h"
#include "analysis/report/wording.h"

namespace rtsweep {
namespace {

// The full range of colours stands for a factor of at least this much: cells that
// hardly differ shall not look as if they did.
constexpr double kLeastHeatRange = 4;

// Where a cell stands between the best and the worst of its table, 0 to 1 on a
// logarithmic scale.
double heat_of(const CellTable& table, int64_t us) {
  const auto log_of = [](int64_t value) {
    return std::log(static_cast<double>(std::max<int64_t>(value, 1)));
  };
  const double least = log_of(*table.min_max_us);
  const double range = std::max(log_of(*table.max_max_us) - least, std::log(kLeastHeatRange));
  return (log_of(us) - least) / range;
}

std::string_view class_of(CellState state) {
  switch (state) {
    case CellState::kMeasured:
      return "measured";
    case CellState::kInvalid:
      return "invalid";
    case CellState::kError:
      return "error";
    case CellState::kUnfinished:
      return "unfinished";
    case CellState::kImpossible:
      return "impossible";
    case CellState::kAbsent:
      return "absent";
  }
  return "";
}

std::string link_to_trials(const std::string& filter, const std::string& inner) {
  return fmt::format(R"(<a href="#trials" data-filter="{}">{}</a>)", filter, inner);
}

std::string cell_html(const CellTable& table, const CellSummary& cell, const std::string& filter) {
  if (cell.state != CellState::kMeasured || !cell.max_us) {
    const bool has_trials = cell.invalid + cell.errors + cell.unfinished > 0;
    const std::string word = html_escaped(cell_text(cell));
    return fmt::format(R"(<td class="cell {}">{}</td>)", class_of(cell.state),
                       has_trials ? link_to_trials(filter, word) : word);
  }
  const std::string marks = cell_marks(cell);
  return fmt::format(
      R"(<td class="cell measured{}" style="--heat:{:.0f}%">{}</td>)",
      cell.over_limit > 0 ? " over" : "", 100 * heat_of(table, *cell.max_us),
      link_to_trials(filter,
                     fmt::format("<b>{}{}</b><small>p99.9 {}</small>", html_number(cell.max_us),
                                 marks.empty() ? "" : "<sup>" + html_escaped(marks) + "</sup>",
                                 html_number(cell.p999_us))));
}

std::string header_html(const CellTable& table, const ReportCells& cells) {
  std::string html = "<thead><tr>";
  for (const std::string& factor : table.row_factors) {
    html += fmt::format("<th scope=col>{}</th>", html_escaped(factor));
  }
  if (table.row_factors.empty()) html += "<th scope=col></th>";
  for (const std::string& load : table.loads) {
    const Cell cell = {{"load", load}};
    html += fmt::format("<th scope=col class=load>{}</th>",
                        load.empty()
                            ? "(no load)"
                            : link_to_trials(html_filter(cells, cell, "load"), html_escaped(load)));
  }
  return html + "</tr></thead>";
}

// A level that is the same as in the row above is set back, so that groups show.
std::string row_html(const CellTable& table, const ReportCells& cells, size_t r) {
  const CellTable::Row& row = table.rows[r];
  Cell cell;
  std::string html = "<tr>";
  bool same = r > 0;
  for (size_t i = 0; i < row.levels.size(); ++i) {
    const std::string& factor = table.row_factors[i];
    cell[factor] = row.levels[i];
    same = same && table.rows[r - 1].levels[i] == row.levels[i];
    html +=
        fmt::format("<th scope=row{}>{}</th>", same ? " class=same" : "",
                    link_to_trials(html_filter(cells, cell, factor), html_escaped(row.levels[i])));
  }
  if (row.levels.empty()) html += "<th scope=row>all</th>";
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (table.loads[i].empty()) {
      cell.erase("load");
    } else {
      cell["load"] = table.loads[i];
    }
    html += cell_html(table, row.cells[i], html_filter(cells, cell));
  }
  return html + "</tr>\n";
}

std::string caption_html(const CellTable& table, const RunReport& report) {
  std::string html = fmt::format(
      R"(<caption><b>Maximum in µs</b>, worst over the repetitions <span class="clock {0}">{0} )"
      "time</span>",
      table.virtual_clock ? "virtual" : "real");
  if (table.max_samples > 0) {
    html += fmt::format("<br>{} samples in each trial",
                        range_text(table.min_samples, table.max_samples));
  }
  if (const auto limit = common_limit(report)) html += fmt::format(" · limit {} µs", *limit);
  return html + "</caption>";
}

std::string legend_html(const CellTable& table, const RunReport& report) {
  std::string html = "<dl class=legend>";
  if (table.min_max_us && *table.min_max_us < *table.max_max_us) {
    html += fmt::format(R"(<div><dt class=scale>{} <i style="--heat:{:.0f}%"></i> {} µs</dt>)"
                        "<dd>colour, logarithmic</dd></div>",
                        html_number(table.min_max_us), 100 * heat_of(table, *table.max_max_us),
                        html_number(table.max_max_us));
  }
  for (const auto& [mark, meaning] : legend_of(table, report)) {
    html +=
        fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", html_escaped(mark), html_escaped(meaning));
  }
  return html + "</dl>\n";
}

std::string table_html(const CellTable& table, const RunReport& report, const ReportCells& cells) {
  std::string html =
      R"(<div class=cells-row><div class=scroll tabindex=0 role=region aria-label="Maximum by )"
      R"(load">)"
      "<table class=cells>" +
      caption_html(table, report) + header_html(table, cells) + "<tbody>\n";
  for (size_t r = 0; r < table.rows.size(); ++r) html += row_html(table, cells, r);
  return html + "</tbody></table></div>\n" + legend_html(table, report) + "</div>\n";
}

std::string impossible_html(const RunReport& report, const ReportCells& cells) {
  if (report.impossible.empty()) return "";
  std::string html = "<details><summary>Impossible here</summary><ul>";
  for (const auto& [cell, why] : report.impossible) {
    html +=
        fmt::format("<li><b>{}</b>: {}</li>", html_escaped(cells.name_of(cell)), html_escaped(why));
  }
  return html + "</ul></details>\n";
}

}  // namespace

std::string html_cells(const RunReport& report, const ReportCells& cells) {
  std::string html;
  for (const CellTable& table : cells.tables()) html += table_html(table, report, cells);
  html += impossible_html(report, cells);
  for (const std::string& note : {virtual_time_text(report), vm_real_time_text(report)}) {
    if (!note.empty()) html += "<p class=note>" + html_escaped(note) + "</p>\n";
  }
  return html;
}

}  // namespace rtsweep
