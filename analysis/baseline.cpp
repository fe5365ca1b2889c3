// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/baseline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rtsweep {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "rtsweep-baseline";

// More than a century of wakeups each microsecond: no run counts further, no sum overflows.
constexpr uint64_t kMostSamples = uint64_t{1} << 52;
constexpr int64_t kMostUs = 1'000'000'000'000;

template <typename T>
Json known(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_of(const CpuResult& cpu) {
  Json counts = Json::array();
  for (const auto& [latency, times] : cpu.histogram.counts()) {
    counts.push_back(Json::array({latency.count(), times}));
  }
  return {{"cpu", cpu.cpu},
          {"end_us", cpu.histogram.limit().count()},
          {"samples", cpu.cycles},
          {"max_us", known(cpu.max_us)},
          {"overflows", cpu.histogram.overflows()},
          {"counts", std::move(counts)}};
}

Json json_of(const TrialResult& trial) {
  Json cpus = Json::array();
  for (const CpuResult& cpu : trial.cpus) cpus.push_back(json_of(cpu));
  return {{"id", trial.id},
          {"cell", trial.cell},
          {"repetition", trial.repetition},
          {"clock", trial.virtual_clock ? "virtual" : "real"},
          {"ns_per_instruction", known(trial.ns_per_instruction)},
          {"duration_s", trial.duration_s},
          {"limit_us", known(trial.limit_us)},
          {"probe", trial.probe},
          {"probe_sha256", trial.probe_sha256},
          {"started", trial.started},
          {"cpus", std::move(cpus)}};
}

Json json_of(const KernelResult& kernel) {
  return {{"name", kernel.name},
          {"arch", kernel.arch},
          {"release", kernel.release},
          {"image_sha256", kernel.image_sha256}};
}

std::string compact(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename T>
std::optional<T> optional_of(const Json& json, const char* name) {
  const Json& value = json.at(name);
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

// What is wrong with somebody's file is caught in parse_baseline(), beside what the JSON library
// throws.
[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

uint64_t checked_count(const Json& json) {
  if (!json.is_number_unsigned() || json.get<uint64_t>() > kMostSamples) {
    refuse("a count that no run has");
  }
  return json.get<uint64_t>();
}

int64_t checked_us(const Json& json) {
  if (!json.is_number_integer() || json.get<int64_t>() < 0 || json.get<int64_t>() > kMostUs) {
    refuse("a latency that no run has");
  }
  return json.get<int64_t>();
}

CpuResult cpu_of(const Json& json) {
  CpuResult cpu;
  cpu.cpu = json.at("cpu").get<int>();
  cpu.cycles = checked_count(json.at("samples"));
  if (!json.at("max_us").is_null()) cpu.max_us = checked_us(json.at("max_us"));
  cpu.histogram = LatencyHistogram(Latency(checked_us(json.at("end_us"))));
  for (const Json& pair : json.at("counts")) {
    cpu.histogram.add(Latency(checked_us(pair.at(0))), checked_count(pair.at(1)));
    if (cpu.histogram.samples() > kMostSamples) refuse("more samples than any run has");
  }
  cpu.histogram.add_overflows(checked_count(json.at("overflows")));
  if (cpu.histogram.samples() != cpu.cycles) refuse("counts that do not add up to the samples");
  if (const auto lowest = cpu.histogram.lowest()) cpu.min_us = lowest->count();
  return cpu;
}

TrialResult trial_of(const Json& json) {
  TrialResult trial;
  trial.id = json.at("id").get<int>();
  trial.cell = json.at("cell").get<Cell>();
  trial.repetition = json.at("repetition").get<int>();
  trial.verdict = Verdict::kPass;
  trial.virtual_clock = json.at("clock").get<std::string>() == "virtual";
  trial.ns_per_instruction = optional_of<double>(json, "ns_per_instruction");
  trial.duration_s = json.at("duration_s").get<double>();
  trial.limit_us = optional_of<int64_t>(json, "limit_us");
  trial.probe = json.at("probe").get<std::string>();
  trial.probe_sha256 = json.at("probe_sha256").get<std::string>();
  trial.started = json.at("started").get<std::string>();
  for (const Json& cpu : json.at("cpus")) trial.cpus.push_back(cpu_of(cpu));
  return trial;
}

KernelResult kernel_of(const Json& json) {
  return {.name = json.at("name").get<std::string>(),
          .arch = json.at("arch").get<std::string>(),
          .release = json.at("release").get<std::string>(),
          .image_sha256 = json.at("image_sha256").get<std::string>()};
}

RunReport report_of(const Json& json) {
  if (json.at("format") != kFormat) refuse("not a baseline");
  if (json.at("version") != kBaselineVersion) {
    refuse(fmt::format("version {}, and this rtsweep reads {}", compact(json.at("version")),
                       kBaselineVersion));
  }
  RunReport report;
  report.name = json.at("name").get<std::string>();
  report.run = json.at("run").get<std::string>();
  report.rtsweep_version = json.at("rtsweep").get<std::string>();
  report.emulator = json.at("emulator").get<std::string>();
  report.factors = json.at("factors").get<std::vector<std::string>>();
  report.levels = json.at("levels").get<std::map<std::string, std::vector<std::string>>>();
  for (const Json& kernel : json.at("kernels")) report.kernels.push_back(kernel_of(kernel));
  for (const Json& trial : json.at("trials")) report.trials.push_back(trial_of(trial));
  report.planned = static_cast<int>(report.trials.size());
  return report;
}

}  // namespace

std::string render_baseline(const RunReport& report) {
  Json head = {{"format", kFormat},
               {"version", kBaselineVersion},
               {"name", report.name},
               {"run", report.run},
               {"rtsweep", report.rtsweep_version},
               {"emulator", report.emulator},
               {"factors", report.factors},
               {"levels", report.levels},
               {"kernels", Json::array()}};
  for (const KernelResult& kernel : report.kernels) head["kernels"].push_back(json_of(kernel));
  std::string text = compact(head);
  text.back() = ',';
  text += "\n\"trials\":[";
  std::string_view separator = "\n";
  for (const TrialResult& trial : report.trials) {
    if (!trial.usable()) continue;
    (text += separator) += compact(json_of(trial));
    separator = ",\n";
  }
  return text + "\n]}\n";
}

Result<RunReport> parse_baseline(std::string_view text) {
  try {
    return report_of(Json::parse(text));
  } catch (const std::exception& wrong) {
    return Error(Errc::kBadData, std::string("not a baseline of rtsweep: ") + wrong.what());
  }
}

}  // namespace rtsweep
