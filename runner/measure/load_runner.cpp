// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/load_runner.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "analysis/load_phase.h"
#include "runner/base/clock.h"
#include "runner/base/files.h"
#include "runner/host/facts.h"
#include "runner/host/process_group.h"
#include "runner/measure/cyclictest.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

// A load without a counter gets this long to fail or to settle.
constexpr auto kSettle = 500ms;
constexpr auto kLook = 500ms;  // each look reads all of /proc
constexpr auto kStopGrace = 10s;
// In the load's own directory, where it may tell what it begins to do: "12.34 compile" for each
// phase, with the seconds of /proc/uptime.
constexpr std::string_view kPhases = "phases";

Result<LoadSpec> with_defaults(const Load& load, LoadSpec spec) {
  for (const LoadOption& option : load.options) {
    spec.options.emplace(option.name, option.fallback);
  }
  if (spec.options.size() != load.options.size()) {
    return Error(Errc::kInvalidPlan,
                 "load " + spec.name + " was given an option that it does not have");
  }
  return spec;
}

}  // namespace

Result<LoadRunner> LoadRunner::start(const HostRoot& host, const LoadRegistry& registry,
                                     const LoadSpec& spec, const std::vector<int>& online_cpus,
                                     const std::filesystem::path& scratch) {
  const Load* load = registry.find(spec.name);
  if (load == nullptr) return Error(Errc::kInvalidPlan, "no load is called '" + spec.name + "'");
  RTSWEEP_TRY(const LoadSpec filled, with_defaults(*load, spec));
  RTSWEEP_CHECK_OK(make_directories(scratch));

  const std::vector<int>& cpus = filled.cpus.empty() ? online_cpus : filled.cpus;
  const LoadContext context{.host = host,
                            .cpus = cpus,
                            .scratch = scratch,
                            .options = filled.options,
                            .machine = machine_name(host)};
  RTSWEEP_TRY(const std::vector<std::string> command, load->arguments(context));
  LoadRunner runner(host, *load, filled, scratch);
  if (command.empty()) return runner;

  RTSWEEP_TRY(std::vector<std::string> argv, numactl_prefix(filled.memory));
  argv.insert(argv.end(), command.begin(), command.end());
  RTSWEEP_TRY(runner.child_,
              ChildProcess::start(argv, {.output = scratch.string() + ".log",
                                         .directory = scratch,
                                         .env = {{"RTSWEEP_PHASES", (scratch / kPhases).string()}},
                                         .cpus = cpus,
                                         .niceness = 0}));
  return runner;
}

std::string LoadRunner::numa_maps() const {
  if (!child_ || spec_.memory == "default") return {};
  const auto maps = host_->read("proc/" + std::to_string(child_->pid()) + "/numa_maps");
  return maps ? *maps : std::string();
}

RunningLoad LoadRunner::running() const {
  return {.host = *host_,
          .group = child_->pid(),
          .log = scratch_.string() + ".log",
          .scratch = scratch_,
          .options = spec_.options};
}

LoadRunner::Reading LoadRunner::read_now() const {
  Reading now;
  if (!child_) return now;
  if (load_->work != nullptr) {
    if (const auto work = load_->work(running())) now.work = *work;
  }
  if (const auto usage = process_group_usage(*host_, child_->pid())) {
    now.cpu_s = static_cast<double>(usage->cpu_ms) / 1000.0;
  }
  return now;
}

std::optional<std::string> LoadRunner::how_it_ended() {
  const auto status = child_->wait(0ms);
  if (!status) return status.error().message();
  if (!*status) return std::nullopt;
  return (*status)->text();
}

Result<void> LoadRunner::wait_until_working(std::chrono::seconds timeout) {
  if (!child_) return {};
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    if (const auto ended = how_it_ended()) {
      return Error(Errc::kChildFailed, "load " + spec_.name + " ended before the measurement: " +
                                           *ended + "; it said: " + log());
    }
    const auto waited = std::chrono::steady_clock::now() - begin;
    const bool working = load_->work == nullptr || read_now().work.value_or(0) > 0;
    if (working && waited >= kSettle) return {};
    if (waited >= timeout) {
      return Error(Errc::kTimeout, "load " + spec_.name + " did no work within " +
                                       std::to_string(timeout.count()) + " s");
    }
    std::this_thread::sleep_for(kLook);
  }
}

void LoadRunner::measurement_begins() { before_ = read_now(); }

void LoadRunner::measurement_ends(double seconds) {
  result_.name = spec_.name;
  result_.unit = work_unit(*load_, spec_.options);
  const auto ended = child_ ? how_it_ended() : std::nullopt;
  result_.alive = !ended;
  result_.ended = ended.value_or("");
  const Reading after = read_now();
  if (before_.work && after.work && *after.work >= *before_.work) {
    result_.work = static_cast<double>(*after.work - *before_.work);
  }
  if (before_.cpu_s && after.cpu_s) result_.cpu_s = std::max(0.0, *after.cpu_s - *before_.cpu_s);
  const double floor = spec_.floor_per_s.value_or(load_->floor_per_s) * seconds;
  if (load_->work != nullptr && floor > 0) result_.floor = floor;
}

LoadResult LoadRunner::stop() {
  if (child_) std::ignore = child_->stop(load_->stop_signal, kStopGrace);
  if (const auto phases = read_file(scratch_ / kPhases)) {
    result_.phases = parse_load_phases(*phases, std::llround(boottime_s() * 1e6));
  }
  if (load_->note != nullptr) result_.note = load_->note(log()).value_or("");
  return result_;
}

std::string LoadRunner::log() const {
  auto text = read_file(scratch_.string() + ".log");
  return text ? std::move(text).value() : std::string();
}

void to_json(json& j, const LoadResult& load) {
  j = {{"name", load.name},
       {"alive", load.alive},
       {"unit", load.unit},
       {"ended", load.ended},
       {"note", load.note}};
  if (load.work) j["work"] = *load.work;
  if (load.floor) j["floor"] = *load.floor;
  if (load.cpu_s) j["cpu_s"] = *load.cpu_s;
  for (const LoadPhase& phase : load.phases) {
    j["phases"].push_back(
        {{"name", phase.name}, {"begin_us", phase.begin_us}, {"end_us", phase.end_us}});
  }
}

void from_json(const json& j, LoadResult& load) {
  j.at("name").get_to(load.name);
  j.at("alive").get_to(load.alive);
  j.at("unit").get_to(load.unit);
  j.at("ended").get_to(load.ended);
  j.at("note").get_to(load.note);
  if (j.contains("work")) load.work = j.at("work").get<double>();
  if (j.contains("floor")) load.floor = j.at("floor").get<double>();
  if (j.contains("cpu_s")) load.cpu_s = j.at("cpu_s").get<double>();
  if (!j.contains("phases")) return;
  for (const json& phase : j.at("phases")) {
    load.phases.push_back({.name = phase.at("name").get<std::string>(),
                           .begin_us = phase.at("begin_us").get<int64_t>(),
                           .end_us = phase.at("end_us").get<int64_t>()});
  }
}

}  // namespace rtsweep
