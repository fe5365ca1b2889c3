// SPDX-License-Identifier: GPL-2.0-or-later

// OpenMetrics text (1.0), which Prometheus' text format reads as well: gauges only, as neither
// format agrees with the other about counters. For node_exporter's textfile collector or a push
// gateway. Seconds, as both ask for; no number of an INVALID or ERROR trial.

#include <fmt/format.h>

#include <functional>
#include <set>

#include "analysis/report/ci.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/render.h"

namespace rtsweep {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// [a-zA-Z_][a-zA-Z0-9_]*, not one that is taken: two factors may differ in a dot alone.
std::string label_name(const std::string& factor, std::set<std::string>& taken) {
  std::string name = slug(factor);
  for (char& c : name) {
    if (c == '.' || c == '-') c = '_';
  }
  if (name.front() >= '0' && name.front() <= '9') name.insert(0, "_");
  while (!taken.insert(name).second) name += "_";
  return name;
}

using LabelNames = std::map<std::string, std::string>;  // factor -> label

LabelNames label_names(const ReportCells& cells) {
  std::set<std::string> taken = {"run", "trial", "repetition", "clock", "quantile", "verdict",
                                 "p",   "le",    "instance",   "job",   "__name__"};
  LabelNames names;
  for (const std::string& factor : cells.factors()) names[factor] = label_name(factor, taken);
  return names;
}

std::string labels_of(const RunReport& report, const LabelNames& names, const TrialResult& trial) {
  std::string labels =
      fmt::format("run=\"{}\",trial=\"{}\",repetition=\"{}\",clock=\"{}\"", escaped(report.run),
                  trial.id, trial.repetition, trial.virtual_clock ? "virtual" : "real");
  for (const auto& [factor, level] : trial.cell) {
    labels += fmt::format(",{}=\"{}\"", names.at(factor), escaped(level));
  }
  return labels;
}

class Metrics {
 public:
  explicit Metrics(const RunReport& report)
      : report_(report), names_(label_names(ReportCells(report))) {}

  // One family; all its samples stand together, as the format wants.
  void family(std::string_view name, std::string_view unit, std::string_view help,
              const std::function<void(const TrialResult&)>& samples) {
    out_ += fmt::format("# TYPE {} gauge\n", name);
    if (!unit.empty()) out_ += fmt::format("# UNIT {} {}\n", name, unit);
    out_ += fmt::format("# HELP {} {}\n", name, help);
    name_ = name;
    for (const TrialResult& trial : report_.trials) samples(trial);
  }

  void sample(const TrialResult& trial, const std::string& more_labels, double value) {
    out_ += fmt::format("{}{{{}{}}} {:.12g}\n", name_, labels_of(report_, names_, trial),
                        more_labels, value);
  }

  std::string take() { return out_ + "# EOF\n"; }

 private:
  const RunReport& report_;
  LabelNames names_;
  std::string_view name_;
  std::string out_;
};

double seconds(int64_t us) { return static_cast<double>(us) / 1e6; }

void add_quantiles(Metrics& metrics, const TrialResult& trial) {
  const Numbers numbers = numbers_of(trial);
  for (const uint64_t ppm : kReportQuantilesPpm) {
    if (const auto us = numbers.quantile_us(ppm)) {
      metrics.sample(trial, fmt::format(",p=\"{:g}\"", static_cast<double>(ppm) / 1e6),
                     seconds(*us));
    }
  }
}

}  // namespace

std::string render_openmetrics(const RunReport& report) {
  Metrics metrics(report);
  metrics.family("rtsweep_trial_verdict", "", "1 for the verdict that a trial came to.",
                 [&](const TrialResult& trial) {
                   metrics.sample(trial,
                                  fmt::format(",verdict=\"{}\"", verdict_name(trial.verdict)), 1);
                 });
  metrics.family("rtsweep_latency_max_seconds", "seconds", "Largest wakeup latency of a trial.",
                 [&](const TrialResult& trial) {
                   if (const auto us = ci_maximum_us(trial))
                     metrics.sample(trial, "", seconds(*us));
                 });
  metrics.family("rtsweep_latency_quantile_seconds", "seconds",
                 "Wakeup latency that the share p of the samples does not exceed.",
                 [&](const TrialResult& trial) {
                   if (trial.usable()) add_quantiles(metrics, trial);
                 });
  metrics.family("rtsweep_samples", "", "Wakeups measured in a trial.",
                 [&](const TrialResult& trial) {
                   if (trial.usable()) {
                     metrics.sample(trial, "", static_cast<double>(trial.samples()));
                   }
                 });
  metrics.family("rtsweep_limit_seconds", "seconds", "The latency that must not be exceeded.",
                 [&](const TrialResult& trial) {
                   if (trial.limit_us) metrics.sample(trial, "", seconds(*trial.limit_us));
                 });
  return metrics.take();
}

}  // namespace rtsweep
