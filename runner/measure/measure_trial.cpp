// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/measure_trial.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "runner/base/child_process.h"
#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/capture/capture.h"
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
// A probe that ends at an outlier is started again, but not for ever.
constexpr int kMostParts = 1000;
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
    RTSWEEP_CHECK_OK(arm_capture(cpus));
    SystemCommands commands;
    MeasurementCounters counters{.begin = read_counters(host_, commands)};
    for (LoadRunner& load : loads_) load.measurement_begins();
    if (capture_) capture_->begin();
    RTSWEEP_TRY(ProbeEnd end, run_parts(cpus));
    if (capture_) end_capture();
    counters.observer = observer_;
    for (LoadRunner& load : loads_) load.measurement_ends(end.wall_s);
    counters.end = read_counters(host_, commands);
    end.disk_full = is_full(scratch_);
    // The numbers first: whatever fails from here on, they are safe.
    RTSWEEP_CHECK_OK(put_parts());
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kProbe, end));
    RTSWEEP_CHECK_OK(put_json(sink_, trial_file::kCounters, counters));
    if (!numa_maps_.empty()) RTSWEEP_CHECK_OK(sink_.put(trial_file::kNumaMaps, numa_maps_));
    return put_outliers();
  }

  // The probe once; or, where it ends at each outlier, again and again until it has measured for
  // the time that was asked for: starting it takes time too.
  Result<ProbeEnd> run_parts(const std::vector<int>& cpus) {
    const auto begin = Clock::now();
    const auto left_s = [&] {
      return static_cast<double>(spec_.probe.duration_s) -
             static_cast<double>(cycles_) * static_cast<double>(spec_.probe.interval_us) / 1e6;
    };
    ProbeEnd end;
    do {
      ++parts_;
      ProbeSpec part = spec_.probe;
      part.duration_s = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(left_s())));
      RTSWEEP_TRY(end, run_part(part, cpus));
      RTSWEEP_CHECK_OK(save_where_it_broke());
    } while (broke_ && left_s() > 0 && parts_ < kMostParts && !is_stopped());
    end.wall_s = seconds_since(begin);
    return end;
  }

  Result<ProbeEnd> run_part(const ProbeSpec& probe, const std::vector<int>& cpus) {
    RTSWEEP_TRY(ProbeEnd end, probe_command(probe, cpus));
    const ObserverWatch observer;
    // Its measuring threads are SCHED_FIFO; the one that starts and ends them is not, and
    // must not wait behind hundreds of the load's.
    RTSWEEP_TRY(ChildProcess child,
                ChildProcess::start(
                    end.argv, {.output = part_path(trial_file::kProbeText), .niceness = -20}));
    if (parts_ == 1) {
      RTSWEEP_TRY(numa_maps_, read_numa_maps(child.pid()));
    }
    RTSWEEP_TRY(const ExitStatus status, wait_for_probe(child, probe, end));
    add_observer(observer.cost());
    end.exit_code = status.code;
    end.signal = status.signal;
    return end;
  }

  fs::path part_path(const char* file) const {
    return scratch_ / trial_file::probe_part(file, parts_);
  }

  Result<void> save_where_it_broke() {
    broke_ = false;
    if (!capture_ || !capture_->ends_probe_at_outliers()) return {};
    const auto output = read_file(part_path(trial_file::kProbeText));
    const auto spikes = spikes_in(output ? *output : std::string());
    if (spikes.empty()) return {};
    broke_ = true;
    cycles_ += total_cycles(*output);
    return capture_->save_broken(spikes.back(), break_thread(*output));
  }

  Result<void> put_parts() {
    for (int part = 1; part <= parts_; ++part) {
      for (const char* file : {trial_file::kProbeJson, trial_file::kProbeText}) {
        const std::string name = trial_file::probe_part(file, part);
        RTSWEEP_CHECK_OK(put_file(sink_, name, scratch_ / name));
      }
    }
    return {};
  }

  Result<void> arm_capture(const std::vector<int>& cpus) {
    if (!spec_.capture) return {};
    RTSWEEP_TRY(capture_, Capture::arm(*spec_.capture, cpus, spec_.probe.priority));
    return {};
  }

  // What saving traces cost is told apart: it is not the price of being watched.
  void end_capture() {
    capture_->end();
    const ObserverCost& saving = capture_->cost();
    observer_.cpu_s = std::max(0.0, observer_.cpu_s - saving.cpu_s);
    observer_.switches = std::max<int64_t>(0, observer_.switches - saving.switches);
    observer_.preemptions = std::max<int64_t>(0, observer_.preemptions - saving.preemptions);
  }

  // Only while a probe runs: what is done between two of its parts disturbs none.
  void add_observer(const ObserverCost& part) {
    observer_.wall_s += part.wall_s;
    observer_.cpu_s += part.cpu_s;
    observer_.switches += part.switches;
    observer_.preemptions += part.preemptions;
    observer_.cpus = part.cpus;
  }

  Result<void> put_outliers() {
    if (!capture_) return {};
    std::vector<CyclictestSpike> spikes;
    for (int part = 1; part <= parts_; ++part) {
      const auto output =
          read_file(scratch_ / trial_file::probe_part(trial_file::kProbeText, part));
      const auto more = spikes_in(output ? *output : std::string());
      spikes.insert(spikes.end(), more.begin(), more.end());
    }
    RTSWEEP_TRY(const std::vector<TraceFile> files, capture_->finish(spikes));
    for (const TraceFile& file : files) RTSWEEP_CHECK_OK(sink_.put(file.name, file.content));
    const json result = capture_->result();
    RTSWEEP_CHECK_OK(sink_.put(trial_file::kCapture, result.dump() + "\n"));
    capture_.reset();
    return {};
  }

  Result<ProbeEnd> probe_command(const ProbeSpec& probe, const std::vector<int>& cpus) const {
    if (probe.name != "cyclictest") {
      return Error(Errc::kNotSupported, "no probe is called '" + probe.name + "'");
    }
    ProbeEnd end;
    RTSWEEP_TRY(end.argv, numactl_prefix(probe.memory));
    const auto command = cyclictest_arguments(probe, cpus, part_path(trial_file::kProbeJson));
    end.argv.insert(end.argv.end(), command.begin(), command.end());
    if (!capture_) return end;
    const auto more =
        breakpoint_arguments(spec_.capture->breakpoint_us, capture_->ends_probe_at_outliers());
    end.argv.insert(end.argv.end(), more.begin(), more.end());
    return end;
  }

  bool is_stopped() const { return stop_ != nullptr && *stop_; }

  Result<ExitStatus> wait_for_probe(ChildProcess& child, const ProbeSpec& probe,
                                    ProbeEnd& end) const {
    const auto limit = std::chrono::seconds(probe.duration_s) + kProbeGrace;
    RTSWEEP_TRY(const std::optional<ExitStatus> status, wait_or_stop(child, limit));
    if (status) return *status;
    end.timed_out = !is_stopped();
    return child.stop(SIGTERM, 5s);
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
  std::unique_ptr<Capture> capture_;
  int parts_ = 0;       // runs of the probe so far
  bool broke_ = false;  // the last one ended at an outlier
  std::string numa_maps_;
  ObserverCost observer_;
  uint64_t cycles_ = 0;  // of the parts that ended at an outlier, of thread 0
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
