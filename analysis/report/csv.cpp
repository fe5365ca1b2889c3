// SPDX-License-Identifier: GPL-2.0-or-later

// CSV in long form, for R and pandas: one row for each trial, CPU and statistic, with the levels
// of all factors in columns of their own. Numbers of INVALID and ERROR trials are left out: such
// a trial has one row, without a value. RFC 4180, with a header.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/ci.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/render.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// A field that begins like a formula is one to a spreadsheet: it gets a quote in front, unless it
// is a number.
bool looks_like_formula(const std::string& text) {
  static constexpr std::string_view kFirst = "=+-@";
  if (text.empty() || kFirst.find(text.front()) == std::string_view::npos) return false;
  return text.find_first_not_of("0123456789.", 1) != std::string::npos || text.size() == 1;
}

std::string field(std::string_view raw) {
  std::string text = printable(raw);
  if (looks_like_formula(text)) text.insert(0, "'");
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string row(const std::vector<std::string>& fields) {
  std::vector<std::string> safe;
  for (const std::string& text : fields) safe.push_back(field(text));
  return join(safe, ",") + "\n";
}

// What every row of a trial begins with.
std::vector<std::string> key_of(const RunReport& report, const ReportCells& cells,
                                const TrialResult& trial) {
  std::vector<std::string> fields = {report.run, std::to_string(trial.id)};
  for (const std::string& factor : cells.factors()) {
    const auto level = trial.cell.find(factor);
    fields.push_back(level == trial.cell.end() ? "" : level->second);
  }
  std::vector<std::string> reasons;
  for (const Reason& reason : trial.reasons) reasons.push_back(reason.code);
  fields.insert(fields.end(),
                {std::to_string(trial.repetition), trial.virtual_clock ? "virtual" : "real",
                 std::string(verdict_name(trial.verdict)), join(reasons, " "), trial.started,
                 fmt::format("{:g}", trial.duration_s),
                 trial.limit_us ? std::to_string(*trial.limit_us) : ""});
  return fields;
}

std::string statistic_row(std::vector<std::string> key, const std::string& cpu,
                          const std::string& statistic, const std::string& value) {
  key.insert(key.end(), {cpu, statistic, value});
  return row(key);
}

template <typename T>
std::string known(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string rows_of(const std::vector<std::string>& key, const std::string& cpu,
                    const Numbers& numbers) {
  std::string out = statistic_row(key, cpu, "samples", std::to_string(numbers.samples)) +
                    statistic_row(key, cpu, "min_us", known(numbers.min_us)) +
                    statistic_row(key, cpu, "avg_us", known(numbers.avg_us)) +
                    statistic_row(key, cpu, "max_us", known(numbers.max_us));
  for (const uint64_t ppm : kReportQuantilesPpm) {
    out += statistic_row(key, cpu, quantile_name(ppm) + "_us", known(numbers.quantile_us(ppm)));
  }
  return out;
}

std::string rows_of(const std::vector<std::string>& key, const TrialResult& trial) {
  if (!trial.usable()) return statistic_row(key, "all", "max_us", "");
  std::string out = rows_of(key, "all", numbers_of(trial));
  for (const CpuResult& cpu : trial.cpus) {
    out += rows_of(key, std::to_string(cpu.cpu), numbers_of(cpu));
  }
  return out;
}

}  // namespace

std::string render_csv(const RunReport& report) {
  const ReportCells cells(report);
  std::vector<std::string> header = {"run", "trial"};
  header.insert(header.end(), cells.factors().begin(), cells.factors().end());
  header.insert(header.end(), {"repetition", "clock", "verdict", "reasons", "started", "duration_s",
                               "limit_us", "cpu", "statistic", "value"});
  std::string out = row(header);
  for (const TrialResult& trial : report.trials)
    out += rows_of(key_of(report, cells, trial), trial);
  return out;
}

}  // namespace rtsweep
