// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/report/cells.h"
#include "analysis/report/render.h"
#include "analysis/report/text_page.h"
#include "analysis/report/text_table.h"
#include "analysis/report/wording.h"
#include "analysis/run_findings.h"

namespace rtsweep {
namespace {

constexpr size_t kWidestHeading = 48;

std::string time_text(const RunReport& report) {
  if (report.started.empty()) return "";
  return report.started + (report.ended.empty() ? ", not complete" : " to " + report.ended);
}

// Every program that measured; one is the rule, several are worth knowing.
std::string probe_text(const RunReport& report) {
  std::set<std::string> probes;
  for (const TrialResult& trial : report.trials) {
    if (trial.probe.empty()) continue;
    probes.insert(
        trial.probe + (trial.probe_version.empty() ? "" : " " + trial.probe_version) +
        (trial.probe_sha256.empty() ? "" : ", sha256 " + trial.probe_sha256.substr(0, 12)));
  }
  return join(std::vector<std::string>(probes.begin(), probes.end()), "; ");
}

std::string fixed_text(const ReportCells& cells) {
  std::vector<std::string> fixed;
  for (const std::string& factor : cells.fixed_factors()) {
    fixed.push_back(factor + " = " + cells.levels(factor).front());
  }
  return join(fixed, ", ");
}

void write_head(TextPage& page, const RunReport& report, const ReportCells& cells) {
  page.heading("rtsweep: " + (report.name.empty() ? report.run : report.name), '=');
  page.line();
  page.field("Run", report.run);
  page.field("Time", time_text(report));
  page.field("Target", report.target + (report.emulator.empty() ? "" : ", " + report.emulator));
  page.field("Host", report.host);
  page.field("Probe", probe_text(report));
  page.field("Fixed", fixed_text(cells));
  page.field("Trials", progress_text(report));
  page.field("rtsweep", report.rtsweep_version);
  page.line();
}

void write_kernels(TextPage& page, const RunReport& report) {
  if (report.kernels.empty()) return;
  page.line("Kernels");
  for (const KernelResult& kernel : report.kernels) {
    page.lines(
        wrap(fmt::format("{} {}: {}, {}{}", kernel.name, kernel.arch,
                         kernel.release.empty() ? "release unknown" : kernel.release,
                         rt_text(kernel.rt), kernel.package.empty() ? "" : ", " + kernel.package),
             TextPage::kWidth, 4, "  "));
  }
  page.line();
}

// Digits stay in their column when marks hang behind them.
std::vector<std::string> column_texts(const CellTable& table, size_t column) {
  size_t marks = 0;
  for (const auto& row : table.rows) {
    marks = std::max(marks, cell_marks(row.cells[column]).size());
  }
  std::vector<std::string> texts;
  for (const auto& row : table.rows) {
    const CellSummary& cell = row.cells[column];
    const bool number = cell.state == CellState::kMeasured;
    texts.push_back(cell_text(cell) +
                    (number ? fmt::format("{:<{}}", cell_marks(cell), marks) : ""));
  }
  return texts;
}

std::vector<std::vector<std::string>> value_columns(const CellTable& table) {
  std::vector<std::vector<std::string>> columns;
  for (size_t i = 0; i < table.loads.size(); ++i) columns.push_back(column_texts(table, i));
  return columns;
}

std::string load_heading(const std::string& load) {
  return load.empty() ? "(no load)" : clip(printable(load), kWidestHeading);
}

TextTable table_with(const CellTable& table, const std::vector<std::string>& labels,
                     const std::vector<std::vector<std::string>>& row_labels) {
  std::vector<std::string> header = labels;
  for (const std::string& load : table.loads) header.push_back(load_heading(load));
  TextTable text(header, labels.size());
  const auto columns = value_columns(table);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string> fields = row_labels[r];
    for (const auto& column : columns) fields.push_back(column[r]);
    text.add(std::move(fields));
  }
  return text;
}

// Rows are labelled by their levels or, where those leave no room for numbers, by a
// number that is explained below the table.
void write_rows(TextPage& page, const CellTable& table) {
  std::vector<std::string> labels;
  for (const std::string& factor : table.row_factors) labels.push_back(printable(factor));
  if (labels.empty()) labels.emplace_back();
  std::vector<std::vector<std::string>> by_level;
  std::vector<std::vector<std::string>> by_number;
  for (const auto& row : table.rows) {
    by_level.emplace_back();
    for (const std::string& level : row.levels) by_level.back().push_back(printable(level));
    if (by_level.back().empty()) by_level.back().emplace_back("all");
    by_number.push_back({fmt::format("row {}", by_number.size() + 1)});
  }
  const TextTable named = table_with(table, labels, by_level);
  if (named.least_width() + 2 <= TextPage::kWidth)
    return page.lines(named.lines(TextPage::kWidth, 2));

  page.lines(table_with(table, {""}, by_number).lines(TextPage::kWidth, 2));
  for (size_t r = 0; r < by_level.size(); ++r) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < table.row_factors.size(); ++i) {
      parts.push_back(labels[i] + " = " + by_level[r][i]);
    }
    page.wrapped(join(parts, ", "), 10, fmt::format("  row {}: ", r + 1));
  }
}

std::string table_caption(const CellTable& table, const RunReport& report) {
  std::string caption = fmt::format("Maximum {} in us, {} time", measured_text(report),
                                    table.virtual_clock ? "virtual" : "real");
  caption += ", worst over the repetitions.";
  if (table.max_samples > 0) {
    caption +=
        fmt::format(" {} samples in each trial.", range_text(table.min_samples, table.max_samples));
  }
  if (const auto limit = common_limit(report)) caption += fmt::format(" Limit: {} us.", *limit);
  return caption;
}

void write_legend(TextPage& page, const CellTable& table, const RunReport& report) {
  const auto legend = legend_of(table, report);
  if (legend.empty()) return;
  size_t width = 0;
  for (const LegendEntry& entry : legend) width = std::max(width, entry.mark.size());
  for (const auto& [mark, meaning] : legend) {
    page.wrapped(meaning, width + 4, fmt::format("  {:<{}}  ", mark, width));
  }
  page.line();
}

void write_impossible(TextPage& page, const RunReport& report, const ReportCells& cells) {
  if (report.impossible.empty()) return;
  page.line("Impossible here");
  for (const auto& [cell, why] : report.impossible) {
    page.wrapped(cells.name_of(cell) + ": " + why, 4, "  ");
  }
  page.line();
}

void write_tables(TextPage& page, const RunReport& report, const ReportCells& cells) {
  for (const CellTable& table : cells.tables()) {
    page.wrapped(table_caption(table, report));
    page.line();
    write_rows(page, table);
    page.line();
    write_legend(page, table, report);
  }
  write_impossible(page, report, cells);
  for (const std::string& text : {virtual_time_text(report), vm_real_time_text(report)}) {
    if (text.empty()) continue;
    page.wrapped(text);
    page.line();
  }
}

void write_findings(TextPage& page, const RunReport& report) {
  const auto all = find_in(report);
  if (all.empty()) return;
  page.heading("Findings", '-');
  for (const RunFindings& findings : all) {
    page.wrapped(findings.summary());
    if (!findings.effects) continue;
    for (const auto& finding : findings.effects->findings) {
      page.wrapped(printable(finding.sentence()) + ".", 4, "  - ");
    }
    for (const std::string& warning : findings.effects->warnings) {
      page.wrapped("Note: " + printable(warning) + ".", 4, "  ");
    }
  }
  page.line();
}

}  // namespace

std::string render_text(const RunReport& report) {
  const ReportCells cells(report);
  TextPage page;
  write_head(page, report, cells);
  write_kernels(page, report);
  write_tables(page, report, cells);
  write_findings(page, report);
  if (!cells.cells().empty()) {
    page.heading("Each cell", '-');
    page.wrapped(
        "All latencies in us. One line for each trial; \"all\" pools the trials of a cell that "
        "count (PASS and FAIL). Numbers of a trial marked ! are not to be used. Quantiles are by "
        "nearest rank: of n samples, those finer than 1/n are the maximum; \"unknown\": the rank "
        "falls among samples past the histogram's end. What a reason's code means: "
        "docs/reducing-variance.md.");
    page.line();
  }
  for (const CellTrials& cell : cells.cells()) write_cell(page, cells, cell);
  return page.take();
}

}  // namespace rtsweep
