// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/measure_trial.h"

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "runner/base/child_process.h"
#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/host/counters.h"
#include "runner/host/facts.h"
#include "runner/host/kernel_log.h"
#include "runner/host/tuning.h"
#include "runner/measure/cyclictest.h"
#include "runner/measure/load_runner.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// A load may need long until its work shows: a kernel build reads its makefiles first.
constexpr auto kLoadTimeout = 600s;
// cyclictest that has not ended this long after its time hangs.
constexpr auto kProbeGrace = 60s;
// By then all threads of the probe exist and have touched their memory.
constexpr auto kNumaMapsDelay = 300ms;
constexpr auto kLookForStop = 1s;
// Bytes: what its output may take at the least.
constexpr uintmax_t kLeastRoom = 16'384;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

Result<void> put_json(TrialSink& sink, std::string_view name, const json& value) {
  return sink.put(name, value.dump(2) + "\n");
}

// cyclictest does not say so when it cannot write.
bool is_full(const fs::path& directory) {
  std::error_code ec;
  const fs::space_info space = fs::space(directory, ec);
  return !ec && space.available < kLeastRoom;
}

// Copies a file into the trial; a file that is not there stays out.
Result<void> put_file(TrialSink& sink, std::string_view name, const fs::path& path) {
  const auto content = read_file(path);
  if (!content || content->empty()) return {};
  return sink.put(name, *content);
}

class TrialRunner {
 public:
  TrialRunner(const HostRoot& host, const TrialSpec& spec, const fs::path& scratch, TrialSink& sink,
              const std::atomic<bool>* stop)
      : host_(host), spec_(spec), scratch_(scratch), sink_(sink), stop_(stop) {}

  Result<void> run(const LoadRegistry& registry, UndoList* undo) {
    if (spec_.tuning.empty()) {
      RTSWEEP_CHECK_OK(measure(registry));
    } else {
      RTSWEEP_CHECK_OK(measure_tuned(registry, undo));
    }
    return put_json(sink_, trial_file::kComplete, json::object());
  }

 private:
  Result<void> measure_tuned(const LoadRegistry& registry, UndoList* undo) {
    if (undo != nullptr) return measure_tuned(registry, *undo);
    SystemCommands commands;
    RTSWEEP_TRY(UndoList own, UndoList::open(host_, commands, scratch_));
    return measure_tuned(registry, own);
  }

  // However the measurement ends, the tuning is undone and what came of it is told.
  Result<void> measure_tuned(const LoadRegistry& registry, UndoList& undo) {
    RTSWEEP_TRY(Tuning tuning, Tuning::apply(host_, spec_.tuning, undo));
    const auto measured = measure(registry);
    tuning.look_at_end();
    const auto restored = tuning.restore();
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kTuning, tuning.results()));
    return measured ? restored : measured;
  }

  Result<void> measure(const LoadRegistry& registry) {
    NewKernelLog kernel_log(host_);
    const MachineFacts before = read_facts(host_);
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kFactsBefore, before));
    RTSWEEP_CHECK_OK(start_loads(registry, before.online_cpus));
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kMeasuring, json::object()));
    RTSWEEP_CHECK_OK(run_probe(before.online_cpus));
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

  Result<void> run_probe(const std::vector<int>& cpus) {
    const fs::path text = scratch_ / trial_file::kProbeText;
    const fs::path report = scratch_ / trial_file::kProbeJson;
    RTSWEEP_TRY(ProbeEnd end, probe_command(cpus, report));

    SystemCommands commands;
    MeasurementCounters counters{.begin = read_counters(host_, commands)};
    for (LoadRunner& load : loads_) load.measurement_begins();
    const ObserverWatch observer;
    // Its measuring threads are SCHED_FIFO; the one that starts and ends them is not, and
    // must not wait behind hundreds of the load's.
    const auto begin = Clock::now();
    RTSWEEP_TRY(ChildProcess probe,
                ChildProcess::start(end.argv, {.output = text, .niceness = -20}));
    RTSWEEP_TRY(const std::string numa_maps, read_numa_maps(probe.pid()));
    RTSWEEP_TRY(const ExitStatus status, wait_for_probe(probe, end));
    end.wall_s = seconds_since(begin);
    counters.observer = observer.cost();
    for (LoadRunner& load : loads_) load.measurement_ends(end.wall_s);
    counters.end = read_counters(host_, commands);

    end.exit_code = status.code;
    end.signal = status.signal;
    end.disk_full = is_full(scratch_);
    // The numbers first: whatever fails from here on, they are safe.
    RTSWEEP_CHECK_OK(put_file(sink_, trial_file::kProbeJson, report));
    RTSWEEP_CHECK_OK(put_file(sink_, trial_file::kProbeText, text));
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kProbe, end));
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kCounters, counters));
    if (!numa_maps.empty()) RTSWEEP_CHECK_OK(sink_.put(trial_file::kNumaMaps, numa_maps));
    return {};
  }

  Result<ProbeEnd> probe_command(const std::vector<int>& cpus, const fs::path& report) const {
    if (spec_.probe.name != "cyclictest") {
      return Error(Errc::kNotSupported, "no probe is called '" + spec_.probe.name + "'");
    }
    ProbeEnd end;
    RTSWEEP_TRY(end.argv, numactl_prefix(spec_.probe.memory));
    const auto command = cyclictest_arguments(spec_.probe, cpus, report);
    end.argv.insert(end.argv.end(), command.begin(), command.end());
    return end;
  }

  Result<ExitStatus> wait_for_probe(ChildProcess& probe, ProbeEnd& end) const {
    const auto limit = std::chrono::seconds(spec_.probe.duration_s) + kProbeGrace;
    RTSWEEP_TRY(const std::optional<ExitStatus> status, wait_or_stop(probe, limit));
    if (status) return *status;
    end.timed_out = stop_ == nullptr || !*stop_;
    return probe.stop(SIGTERM, 5s);
  }

  // One wait for all the time, unless somebody may want to stop it.
  Result<std::optional<ExitStatus>> wait_or_stop(ChildProcess& probe,
                                                 std::chrono::seconds limit) const {
    if (stop_ == nullptr) return probe.wait(limit);
    const auto deadline = Clock::now() + limit;
    while (!*stop_ && Clock::now() < deadline) {
      RTSWEEP_TRY(const std::optional<ExitStatus> status, probe.wait(kLookForStop));
      if (status) return status;
    }
    return std::optional<ExitStatus>();
  }

  // The only read during a measurement, and only when a memory policy was asked for:
  // after the end there is nothing left to read it from.
  Result<std::string> read_numa_maps(pid_t pid) const {
    if (spec_.probe.memory == "default") return std::string();
    std::this_thread::sleep_for(kNumaMapsDelay);
    const auto maps = host_.read("proc/" + std::to_string(pid) + "/numa_maps");
    return maps ? *maps : std::string();
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

void to_json(json& j, const ProbeEnd& end) {
  j = {{"argv", end.argv},           {"exit_code", end.exit_code}, {"signal", end.signal},
       {"timed_out", end.timed_out}, {"disk_full", end.disk_full}, {"wall_s", end.wall_s}};
}

void from_json(const json& j, ProbeEnd& end) {
  j.at("argv").get_to(end.argv);
  j.at("exit_code").get_to(end.exit_code);
  j.at("signal").get_to(end.signal);
  j.at("timed_out").get_to(end.timed_out);
  end.disk_full = j.value("disk_full", false);
  j.at("wall_s").get_to(end.wall_s);
}

}  // namespace rtsweep
