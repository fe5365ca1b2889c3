// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include "analysis/report/cells.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/render.h"
#include "analysis/report/wording.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// As text in the middle of a line or in a table: no markup, no link, no HTML.
std::string escaped(std::string_view text) {
  static constexpr std::string_view kMarkup = "\\`*_[]|~$";
  std::string out;
  for (const char c : printable(text)) {
    if (kMarkup.find(c) != std::string_view::npos) out += '\\';
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string row_of(const std::vector<std::string>& fields) {
  return "| " + join(fields, " | ") + " |\n";
}

std::string head(const RunReport& report) {
  std::string text =
      "## rtsweep: " + escaped(report.name.empty() ? report.run : report.name) + "\n\n";
  text += "Run " + escaped(report.run) + ", target " + escaped(report.target);
  if (!report.host.empty()) text += ", on " + escaped(report.host);
  if (!report.started.empty()) text += ", started " + escaped(report.started);
  if (!report.started.empty() && report.ended.empty()) text += ", not complete";
  return text + ".\nTrials: " + progress_text(report) + ".\n\n";
}

std::string bold_if(bool bold, const std::string& text) { return bold ? "**" + text + "**" : text; }

std::string cell_field(const CellSummary& cell) {
  return bold_if(cell.over_limit > 0, escaped(cell_text(cell))) + escaped(cell_marks(cell));
}

std::string table_of(const CellTable& table) {
  std::vector<std::string> header;
  for (const std::string& factor : table.row_factors) header.push_back(escaped(factor));
  if (header.empty()) header.emplace_back(" ");
  std::vector<std::string> rule(header.size(), "---");
  for (const std::string& load : table.loads) {
    header.push_back(load.empty() ? "(no load)" : escaped(load));
    rule.emplace_back("---:");
  }
  std::string text = row_of(header) + row_of(rule);
  for (const CellTable::Row& row : table.rows) {
    std::vector<std::string> fields;
    for (const std::string& level : row.levels) fields.push_back(escaped(level));
    if (fields.empty()) fields.emplace_back("all");
    for (const CellSummary& cell : row.cells) fields.push_back(cell_field(cell));
    text += row_of(fields);
  }
  return text;
}

std::string caption_of(const CellTable& table, const RunReport& report) {
  std::string text = fmt::format("Maximum {} in us, {} time, worst over the repetitions",
                                 measured_text(report), table.virtual_clock ? "virtual" : "real");
  if (table.max_samples > 0) {
    text +=
        fmt::format("; {} samples in each trial", range_text(table.min_samples, table.max_samples));
  }
  if (const auto limit = common_limit(report)) text += fmt::format("; limit {} us", *limit);
  return text + ":\n\n";
}

std::string tables_of(const RunReport& report, const ReportCells& cells) {
  std::string text;
  for (const CellTable& table : cells.tables()) {
    text += caption_of(table, report) + table_of(table) + "\n";
    for (const auto& [mark, meaning] : legend_of(table, report)) {
      text += fmt::format("- {} {}\n", mark == "-" ? "\\-" : "**" + escaped(mark) + "**:", meaning);
    }
    if (!text.ends_with("\n\n")) text += "\n";
  }
  for (const std::string& note : {virtual_time_text(report), vm_real_time_text(report)}) {
    if (!note.empty()) text += note + "\n\n";
  }
  return text;
}

// The kernel's tracers have several kinds of samples; the tables above show the first.
std::string kinds_of(const RunReport& report, const ReportCells& cells) {
  std::string rows;
  for (const TrialResult& trial : report.trials) {
    if (!trial.usable() || trial.other_kinds.empty()) continue;
    for (const auto& [kind, numbers] : numbers_by_kind(trial)) {
      rows += row_of({fmt::format("#{} {}", trial.id, escaped(cells.name_of(trial.cell))),
                      escaped(kind), us_text(numbers.min_us), avg_text(numbers.avg_us),
                      us_text(numbers.max_us), grouped(numbers.samples)});
    }
  }
  if (rows.empty()) return rows;
  return "Each kind of samples, in us:\n\n" +
         row_of({"trial", "kind", "min", "avg", "max", "samples"}) +
         row_of({"---", "---", "---:", "---:", "---:", "---:"}) + rows + "\n";
}

std::string trial_item(const ReportCells& cells, const TrialResult& trial) {
  std::string text = fmt::format("- **{}** #{} {}, repetition {}", verdict_name(trial.verdict),
                                 trial.id, escaped(cells.name_of(trial.cell)), trial.repetition);
  for (const Reason& reason : trial.reasons) {
    text += fmt::format("\n  - {}: {}", escaped(reason.code), escaped(reason.text));
  }
  return text + "\n";
}

std::string not_in_order(const RunReport& report, const ReportCells& cells) {
  std::string items;
  for (const TrialResult& trial : report.trials) {
    if (trial.verdict != Verdict::kPass) items += trial_item(cells, trial);
  }
  for (const auto& [cell, why] : report.impossible) {
    items += fmt::format("- **n/a** {}: {}\n", escaped(cells.name_of(cell)), escaped(why));
  }
  return items.empty() ? "" : "Not in order:\n\n" + items + "\n";
}

std::string kernels_of(const RunReport& report) {
  if (report.kernels.empty()) return "";
  std::string text = row_of({"kernel", "arch", "release", "RT", "package"}) +
                     row_of({"---", "---", "---", "---", "---"});
  for (const KernelResult& kernel : report.kernels) {
    text += row_of({escaped(kernel.name), escaped(kernel.arch), escaped(kernel.release),
                    escaped(rt_text(kernel.rt)), escaped(kernel.package)});
  }
  return text;
}

}  // namespace

std::string render_markdown(const RunReport& report) {
  const ReportCells cells(report);
  return head(report) + tables_of(report, cells) + kinds_of(report, cells) +
         not_in_order(report, cells) + kernels_of(report);
}

}  // namespace rtsweep
