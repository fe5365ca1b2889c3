// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/measure_trial.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/host/counters.h"
#include "runner/host/facts.h"
#include "runner/host/kernel_log.h"
#include "runner/host/tuning.h"
#include "runner/measure/load_runner.h"
#include "runner/measure/probe.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
namespace fs = std::filesystem;

// A load may need long until its work shows: a kernel build reads its makefiles first.
constexpr auto kLoadTimeout = 600s;
// Bytes: what its output may take at the least.
constexpr uintmax_t kLeastRoom = 16'384;

Result<void> put_json(TrialSink& sink, std::string_view name, const json& value) {
  return sink.put(name, value.dump(2) + "\n");
}

// cyclictest does not say so when it cannot write.
bool is_full(const fs::path& directory) {
  std::error_code ec;
  const fs::space_info space = fs::space(directory, ec);
  return !ec && space.available < kLeastRoom;
}

class TrialRunner {
 public:
  TrialRunner(const HostRoot& host, const TrialSpec& spec, const fs::path& scratch, TrialSink& sink,
              const std::atomic<bool>* stop)
      : host_(host), spec_(spec), scratch_(scratch), sink_(sink), stop_(stop) {}

  Result<void> run(const LoadRegistry& registry, UndoList* undo) {
    if (spec_.tuning.empty()) {
      RTSWEEP_CHECK_OK(measure_untuned(registry, undo));
    } else {
      RTSWEEP_CHECK_OK(measure_tuned(registry, undo));
    }
    return put_json(sink_, trial_file::kComplete, json::object());
  }

 private:
  // A probe puts back what it set; what is left of that in the list goes here.
  Result<void> measure_untuned(const LoadRegistry& registry, UndoList* undo) {
    auto measured = measure(registry, undo);
    if (undo == nullptr) return measured;
    const auto undone = undo->undo();
    return measured && !undone ? undone.error() : measured;
  }

  Result<void> measure_tuned(const LoadRegistry& registry, UndoList* undo) {
    if (undo != nullptr) return measure_tuned(registry, *undo);
    SystemCommands commands;
    RTSWEEP_TRY(UndoList own, UndoList::open(host_, commands, scratch_));
    return measure_tuned(registry, own);
  }

  // However the measurement ends, the tuning is undone and what came of it is told.
  Result<void> measure_tuned(const LoadRegistry& registry, UndoList& undo) {
    RTSWEEP_TRY(Tuning tuning, Tuning::apply(host_, spec_.tuning, undo));
    const auto measured = measure(registry, &undo);
    tuning.look_at_end();
    const auto restored = tuning.restore();
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kTuning, tuning.results()));
    return measured ? restored : measured;
  }

  Result<void> measure(const LoadRegistry& registry, UndoList* undo) {
    NewKernelLog kernel_log(host_);
    const MachineFacts before = read_facts(host_);
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kFactsBefore, before));
    RTSWEEP_CHECK_OK(start_loads(registry, before.online_cpus));
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kMeasuring, json::object()));
    RTSWEEP_TRY(const std::vector<int> cpus, measured_cpus(before.online_cpus));
    RTSWEEP_CHECK_OK(run_probe(cpus, undo));
    RTSWEEP_CHECK_OK(stop_loads());
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kFactsAfter, read_facts(host_)));
    const auto lines = kernel_log.lines();
    if (!lines || lines->empty()) return {};
    return sink_.put(trial_file::kKernelLog, join(*lines, "\n") + "\n");
  }

  Result<void> start_loads(const LoadRegistry& registry, const std::vector<int>& cpus) {
    for (const LoadSpec& load : spec_.loads) {
      const fs::path own = scratch_ / ("load-" + std::to_string(loads_.size()));
      RTSWEEP_TRY(LoadRunner runner, LoadRunner::start(host_, registry, load, cpus, own));
      loads_.push_back(std::move(runner));
    }
    for (size_t i = 0; i < loads_.size(); ++i) {
      RTSWEEP_CHECK_OK(loads_[i].wait_until_working(kLoadTimeout));
      const std::string maps = loads_[i].numa_maps();
      if (!maps.empty()) RTSWEEP_CHECK_OK(sink_.put(trial_file::load_numa_maps(i), maps));
    }
    return {};
  }

  Result<std::vector<int>> measured_cpus(const std::vector<int>& online) const {
    if (spec_.probe.cpus.empty()) return online;
    for (const int cpu : spec_.probe.cpus) {
      if (std::ranges::find(online, cpu) != online.end()) continue;
      return Error(Errc::kNotSupported,
                   "CPU " + std::to_string(cpu) + ", which is to be measured, is not online");
    }
    return spec_.probe.cpus;
  }

  Result<void> run_probe(const std::vector<int>& cpus, UndoList* undo) {
    const ProbeKind* kind = find_probe_kind(spec_.probe.name);
    if (kind == nullptr) {
      return Error(Errc::kNotSupported, "no probe is called '" + spec_.probe.name + "'");
    }
    const std::unique_ptr<Probe> probe = kind->make({.host = host_,
                                                     .spec = spec_.probe,
                                                     .capture = spec_.capture,
                                                     .cpus = cpus,
                                                     .scratch = scratch_,
                                                     .undo = undo});
    RTSWEEP_CHECK_OK(probe->prepare());
    MeasurementCounters counters;
    RTSWEEP_TRY(ProbeEnd end, measure_counted(*probe, counters));
    end.disk_full = is_full(scratch_);
    // The numbers first: whatever fails from here on, they are safe.
    RTSWEEP_CHECK_OK(probe->put_numbers(sink_));
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kProbe, end));
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kCounters, counters));
    return probe->put_evidence(sink_);
  }

  Result<ProbeEnd> measure_counted(Probe& probe, MeasurementCounters& counters) {
    SystemCommands commands;
    counters.begin = read_counters(host_, commands);
    for (LoadRunner& load : loads_) load.measurement_begins();
    RTSWEEP_TRY(ProbeEnd end, probe.measure(stop_));
    counters.observer = probe.observer();
    for (LoadRunner& load : loads_) load.measurement_ends(end.wall_s);
    counters.end = read_counters(host_, commands);
    return end;
  }

  Result<void> stop_loads() {
    json results = json::array();
    for (size_t i = 0; i < loads_.size(); ++i) {
      results.push_back(loads_[i].stop());
      const std::string log = loads_[i].log();
      if (log.empty()) continue;
      RTSWEEP_CHECK_OK(sink_.put("load-" + std::to_string(i) + ".log", log));
    }
    return put_json(sink_, trial_file::kLoads, results);
  }

  const HostRoot& host_;
  const TrialSpec& spec_;
  const fs::path& scratch_;
  TrialSink& sink_;
  const std::atomic<bool>* stop_;
  std::vector<LoadRunner> loads_;
};

}  // namespace

Result<void> measure_trial(const HostRoot& host, const TrialSpec& spec, const LoadRegistry& loads,
                           const fs::path& scratch, TrialSink& sink, const std::atomic<bool>* stop,
                           UndoList* undo) {
  RTSWEEP_CHECK_OK(make_directories(scratch));
  auto measured = TrialRunner(host, spec, scratch, sink, stop).run(loads, undo);
  if (measured) return {};
  RTSWEEP_CHECK_OK(put_json(sink, trial_file::kError, {{"message", measured.error().message()}}));
  return measured;
}

}  // namespace rtsweep
