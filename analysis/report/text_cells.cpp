// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/report/cell_statistics.h"
#include "analysis/report/text_page.h"
#include "analysis/report/text_table.h"
#include "analysis/report/wording.h"

namespace rtsweep {
namespace {

constexpr size_t kConsoleLines = 8;
constexpr size_t kOutliersShown = 3;

// The columns of the details; p90 and p99.9999 are in the other formats.
constexpr uint64_t kTextQuantilesPpm[] = {500'000, 990'000, 999'000, 999'900, 999'990};

std::vector<std::string> number_fields(const Numbers& numbers) {
  std::vector<std::string> fields = {us_text(numbers.min_us), avg_text(numbers.avg_us)};
  for (const uint64_t ppm : kTextQuantilesPpm) fields.push_back(us_text(numbers.quantile_us(ppm)));
  fields.push_back(us_text(numbers.max_us));
  fields.push_back(std::to_string(numbers.samples));
  return fields;
}

void write_numbers(TextPage& page, const CellTrials& cell) {
  std::vector<std::string> header = {"trial", "min", "avg"};
  for (const uint64_t ppm : kTextQuantilesPpm) header.push_back(quantile_name(ppm));
  header.insert(header.end(), {"max", "samples"});
  TextTable table(header, 1);
  const auto add = [&](std::string label, const Numbers& numbers) {
    std::vector<std::string> fields = {std::move(label)};
    const auto values = number_fields(numbers);
    fields.insert(fields.end(), values.begin(), values.end());
    table.add(std::move(fields));
  };
  bool any = false;
  for (const TrialResult* trial : cell.trials) {
    if (trial->cpus.empty()) continue;
    any = true;
    const bool used = trial->usable();
    const std::string name = fmt::format("#{}{}", trial->id, used ? "" : "!");
    std::string label = name;
    for (const auto& [kind, numbers] : numbers_by_kind(*trial)) {
      add(kind.empty() ? label : label + " " + kind, numbers);
      label = "  ";
    }
  }
  if (cell.usable().size() > 1) add("all", cell.pooled());
  if (any) page.lines(table.lines(TextPage::kWidth, 2));
}

void write_statistics(TextPage& page, const CellTrials& cell) {
  if (const auto statistics = statistics_of_cell(cell)) {
    page.wrapped(statistics->sentence(), 4, "  ");
  }
}

void write_interruptions(TextPage& page, const CellTrials& cell) {
  for (const TrialResult* trial : cell.trials) {
    const std::string text = interruptions_text(*trial);
    if (!text.empty()) page.wrapped(text, 4, fmt::format("  #{} ", trial->id));
  }
}

// The range of one quantity of a load over the trials of a cell.
std::string range_of(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string from = amount(*least);
  const std::string to = amount(*most);
  return from == to ? from : from + " to " + to;
}

// What one load did in the trials of a cell, together.
struct LoadWork {
  std::vector<double> work, floor, cpu_s;
  std::string unit;
  std::set<std::string> notes;
};

// Empty when there is nothing to tell of it (idle).
std::string load_text(const std::string& name, const LoadWork& load) {
  if (load.work.empty() && load.cpu_s.empty() && load.notes.empty()) return "";
  std::string text = "load " + name;
  if (!load.work.empty()) text += fmt::format(": {} {}", range_of(load.work), load.unit);
  if (!load.floor.empty()) text += fmt::format(" (floor {})", range_of(load.floor));
  if (!load.cpu_s.empty()) text += fmt::format(", {} s of CPU time", range_of(load.cpu_s));
  for (const std::string& note : load.notes) text += "; " + note;
  return text;
}

void write_loads(TextPage& page, const CellTrials& cell) {
  std::map<std::string, LoadWork> loads;
  for (const TrialResult* trial : cell.trials) {
    for (const LoadResult& result : trial->loads) {
      LoadWork& load = loads[result.name];
      load.unit = result.unit;
      if (result.work) load.work.push_back(*result.work);
      if (result.floor) load.floor.push_back(*result.floor);
      if (result.cpu_s) load.cpu_s.push_back(*result.cpu_s);
      if (!result.note.empty()) load.notes.insert(result.note);
    }
  }
  for (const auto& [name, load] : loads) {
    const std::string text = load_text(name, load);
    if (!text.empty()) page.wrapped(text, 4, "  ");
  }
}

// After an ERROR, that nothing runs any more is no news.
void write_dead_loads(TextPage& page, const TrialResult& trial) {
  for (const LoadResult& load : trial.loads) {
    if (load.alive || trial.verdict == Verdict::kError) continue;
    page.wrapped(fmt::format("load {} was not running at the end{}", load.name,
                             load.ended.empty() ? "" : ": " + load.ended),
                 6, fmt::format("  #{} ", trial.id));
  }
}

void write_outliers(TextPage& page, const TrialResult& trial) {
  std::vector<OutlierResult> worst = trial.outliers;
  std::ranges::stable_sort(worst, std::greater<>(), &OutlierResult::latency_us);
  const size_t shown = std::min(worst.size(), kOutliersShown);
  for (size_t i = 0; i < shown; ++i) {
    const OutlierResult& outlier = worst[i];
    page.wrapped(fmt::format("outlier: {} us on CPU {}{}{}", outlier.latency_us, outlier.cpu,
                             outlier.trace.empty() ? "" : " (" + outlier.trace + ")",
                             outlier.cause.empty() ? "" : ": " + outlier.cause),
                 6, fmt::format("  #{} ", trial.id));
  }
  if (trial.outliers.size() > shown) {
    page.line(fmt::format("  #{} and {} more outliers", trial.id, trial.outliers.size() - shown));
  }
}

void write_correlations(TextPage& page, const TrialResult& trial) {
  for (const Correlation& one : trial.correlations) {
    page.wrapped(fmt::format("{} ({}, p = {:.1g})", one.text, one.test, one.p_value), 6,
                 fmt::format("  #{} ", trial.id));
    for (const std::string& hint : one.hints) page.wrapped(hint, 8, "      ");
  }
}

void write_console(TextPage& page, const TrialResult& trial) {
  if (trial.verdict != Verdict::kError || trial.console_tail.empty()) return;
  const auto lines = printable_lines(trial.console_tail);
  const size_t first = lines.size() - std::min(lines.size(), kConsoleLines);
  page.line(fmt::format("  #{} the last lines of its console:", trial.id));
  for (size_t i = first; i < lines.size(); ++i) page.wrapped(lines[i], 8, "    | ");
}

void write_trial(TextPage& page, const TrialResult& trial) {
  page.line(fmt::format("  #{} {}, repetition {}{}", trial.id, verdict_name(trial.verdict),
                        trial.repetition, is_unfinished(trial) ? ", never ended" : ""));
  for (const Reason& reason : trial.reasons) {
    page.wrapped(reason.code + ": " + reason.text, 6, "    ");
  }
}

bool worth_words(const TrialResult& trial) {
  return trial.verdict != Verdict::kPass || !trial.reasons.empty();
}

}  // namespace

void write_cell(TextPage& page, const ReportCells& cells, const CellTrials& cell) {
  page.wrapped(fmt::format("{} ({} time)", cells.name_of(cell.cell),
                           cell.virtual_clock ? "virtual" : "real"));
  write_numbers(page, cell);
  write_statistics(page, cell);
  write_interruptions(page, cell);
  write_loads(page, cell);
  for (const TrialResult* trial : cell.trials) {
    if (worth_words(*trial)) write_trial(page, *trial);
    write_dead_loads(page, *trial);
    write_outliers(page, *trial);
    write_correlations(page, *trial);
    write_console(page, *trial);
  }
  page.line();
}

}  // namespace rtsweep
