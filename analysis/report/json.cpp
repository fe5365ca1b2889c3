// SPDX-License-Identifier: GPL-2.0-or-later

#include <nlohmann/json.hpp>

#include "analysis/report/cells.h"
#include "analysis/report/json_findings.h"
#include "analysis/report/json_measurement.h"
#include "analysis/report/render.h"

namespace rtsweep {
namespace {

// Keeps the keys in the order of the schema.
using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

// Unknown is null, never 0 and never "".
template <typename T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
Json known(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json_of(const Reason& reason) {
  return {
      {"code", reason.code}, {"severity", severity_name(reason.severity)}, {"text", reason.text}};
}

Json json_of(const KernelResult& kernel) {
  return {{"name", kernel.name},
          {"arch", kernel.arch},
          {"release", known(kernel.release)},
          {"package", known(kernel.package)},
          {"image_sha256", known(kernel.image_sha256)},
          {"rt", known(kernel.rt)}};
}

Json json_of(const LoadResult& load) {
  return {{"name", load.name},          {"alive", load.alive},        {"work", known(load.work)},
          {"unit", load.unit},          {"floor", known(load.floor)}, {"cpu_s", known(load.cpu_s)},
          {"ended", known(load.ended)}, {"note", known(load.note)}};
}

// A trace's path is relative to the run directory.
Json outliers_of(const TrialResult& trial) {
  Json list = Json::array();
  for (const OutlierResult& outlier : trial.outliers) {
    const std::string path = outlier.trace.empty() ? "" : trial.directory + "/" + outlier.trace;
    list.push_back({{"latency_us", outlier.latency_us},
                    {"cpu", outlier.cpu},
                    {"trace", known(path)},
                    {"cause", known(outlier.cause)}});
  }
  return list;
}

Json json_of(const Correlation& one) {
  Json json = {{"code", one.code},
               {"text", one.text},
               {"test", one.test},
               {"statistic", one.statistic},
               {"p_value", one.p_value},
               {"hits", one.hits},
               {"period_ms", known(one.period_ms)},
               {"cpu", known(one.cpu)},
               {"phase", known(one.phase)},
               {"hints", one.hints}};
  return json;
}

// A thread that never ran has null numbers and no counts.
Json json_of(const CpuResult& cpu) {
  Json counts = Json::array();
  for (const auto& [latency, times] : cpu.histogram.counts()) {
    counts.push_back(Json::array({latency.count(), times}));
  }
  Json json = {{"cpu", cpu.cpu},
               {"bucket_us", 1},
               {"end_us", cpu.histogram.limit().count()},
               {"samples", cpu.cycles},
               {"min_us", known(cpu.min_us)},
               {"avg_us", known(cpu.avg_us)},
               {"max_us", known(cpu.max_us)},
               {"overflows", cpu.histogram.overflows()},
               {"counts", std::move(counts)}};
  if (!cpu.kind.empty()) json["kind"] = cpu.kind;
  if (!cpu.interruptions.empty()) json["interruptions"] = cpu.interruptions;
  return json;
}

// The kind that the trial's own numbers come from is first.
Json histograms_of(const TrialResult& trial) {
  Json list = Json::array();
  for (const auto* cpus : {&trial.cpus, &trial.other_kinds}) {
    for (const CpuResult& cpu : *cpus) list.push_back(json_of(cpu));
  }
  return list;
}

template <typename T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

Json quantiles_of(const Numbers& numbers) {
  Json quantiles = Json::object();
  for (const uint64_t ppm : kReportQuantilesPpm) {
    quantiles[quantile_name(ppm)] = known(numbers.quantile_us(ppm));
  }
  return quantiles;
}

Json facts_of(const std::optional<MachineFacts>& facts) {
  if (!facts) return nullptr;
  const nlohmann::json values = *facts;
  Json json = Json::object();
  for (const char* name : {"kernel_release", "kernel_version", "machine", "cmdline", "preempt_rt",
                           "numa_nodes", "page_size", "clocksource", "cpu_model", "mem_total_kib",
                           "sched_rt_runtime_us", "tainted", "userland"}) {
    json[name] = nullptr;
  }
  for (const auto& [name, value] : values.items()) json[name] = value;
  return json;
}

Json json_of(const TrialResult& trial) {
  const Numbers numbers = numbers_of(trial);
  const bool measured = !trial.cpus.empty();
  return {{"id", trial.id},
          {"cell", trial.cell},
          {"repetition", trial.repetition},
          {"verdict", verdict_name(trial.verdict)},
          {"reasons", list_of(trial.reasons)},
          {"unfinished", is_unfinished(trial)},
          {"probe", known(trial.probe)},
          {"probe_version", known(trial.probe_version)},
          {"probe_sha256", known(trial.probe_sha256)},
          {"clock", trial.virtual_clock ? "virtual" : "real"},
          {"ns_per_instruction", known(trial.ns_per_instruction)},
          {"duration_s", trial.duration_s},
          {"limit_us", known(trial.limit_us)},
          {"samples", measured ? Json(numbers.samples) : Json()},
          {"min_us", known(numbers.min_us)},
          {"avg_us", known(numbers.avg_us)},
          {"max_us", known(numbers.max_us)},
          {"quantiles_us", quantiles_of(numbers)},
          {"histograms", histograms_of(trial)},
          {"loads", list_of(trial.loads)},
          {"outliers", outliers_of(trial)},
          {"correlations", list_of(trial.correlations)},
          {"facts", facts_of(trial.facts)},
          {"measurement", json_of_measurement(trial.counters)},
          {"directory", known(trial.directory)},
          {"console_tail", known(trial.console_tail)},
          {"started", known(trial.started)},
          {"ended", known(trial.ended)},
          {"wall_s", trial.wall_s}};
}

Json run_of(const RunReport& report) {
  return {{"id", report.run},
          {"rtsweep", report.rtsweep_version},
          {"target", report.target},
          {"host", known(report.host)},
          {"emulator", known(report.emulator)},
          {"started", known(report.started)},
          {"ended", known(report.ended)},
          {"planned", report.planned}};
}

Json plan_of(const RunReport& report) {
  Json factors = Json::array();
  const ReportCells cells(report);
  for (const std::string& factor : cells.factors()) {
    factors.push_back({{"name", factor}, {"levels", cells.levels(factor)}});
  }
  Json impossible = Json::array();
  for (const auto& [cell, why] : report.impossible) {
    impossible.push_back({{"cell", cell}, {"text", why}});
  }
  return {{"name", report.name},
          {"factors", std::move(factors)},
          {"impossible", std::move(impossible)},
          {"text", known(report.plan_text)}};
}

// Strings that are not UTF-8 come from outside: their broken bytes become U+FFFD.
std::string compact(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// One line for each element: a diff of two reports is a diff of their trials.
template <typename T>
std::string lines_of(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) {
    if (!text.empty()) text += ",";
    text += "\n" + compact(json_of(value));
  }
  return "[" + text + (text.empty() ? "]" : "\n]");
}

}  // namespace

std::string render_json(const RunReport& report) {
  return "{\n\"schema\":" + std::to_string(kSchema) +              //
         ",\n\"run\":" + compact(run_of(report)) +                 //
         ",\n\"plan\":" + compact(plan_of(report)) +               //
         ",\n\"kernels\":" + lines_of(report.kernels) +            //
         ",\n\"findings\":" + compact(json_of_findings(report)) +  //
         ",\n\"cells\":" + compact(json_of_cells(report)) +        //
         ",\n\"trials\":" + lines_of(report.trials) + "\n}\n";
}

}  // namespace rtsweep
