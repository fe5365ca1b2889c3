// SPDX-License-Identifier: GPL-2.0-or-later

// cyclictest as a probe: a program beside us, its two files, and the traces of its outliers.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
#include "runner/capture/capture.h"
#include "runner/host/counters.h"
#include "runner/measure/cyclictest.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// cyclictest that has not ended this long after its time hangs.
constexpr auto kProbeGrace = 60s;
// By then all threads of the probe exist and have touched their memory.
constexpr auto kNumaMapsDelay = 300ms;
constexpr auto kLookForStop = 1s;
// A probe that ends at an outlier is started again, but not for ever.
constexpr int kMostParts = 1000;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Copies a file into the trial; a file that is not there stays out.
Result<void> put_file(TrialSink& sink, std::string_view name, const fs::path& path) {
  const auto content = read_file(path);
  if (!content || content->empty()) return {};
  return sink.put(name, *content);
}

class CyclictestProbe : public Probe {
 public:
  explicit CyclictestProbe(const ProbeContext& context) : context_(context) {}

  Result<void> prepare() override {
    if (!context_.capture) return {};
    RTSWEEP_TRY(capture_, Capture::arm(*context_.capture, context_.cpus, context_.spec.priority));
    return {};
  }

  Result<ProbeEnd> measure(const std::atomic<bool>* stop) override {
    stop_ = stop;
    if (capture_) capture_->begin();
    RTSWEEP_TRY(ProbeEnd end, run_parts());
    if (capture_) end_capture();
    return end;
  }

  ObserverCost observer() const override { return observer_; }

  Result<void> put_numbers(TrialSink& sink) override {
    for (int part = 1; part <= parts_; ++part) {
      for (const char* file : {trial_file::kProbeJson, trial_file::kProbeText}) {
        const std::string name = trial_file::probe_part(file, part);
        RTSWEEP_CHECK_OK(put_file(sink, name, context_.scratch / name));
      }
    }
    return {};
  }

  Result<void> put_evidence(TrialSink& sink) override {
    if (!numa_maps_.empty()) RTSWEEP_CHECK_OK(sink.put(trial_file::kNumaMaps, numa_maps_));
    return capture_ ? put_outliers(sink) : Result<void>();
  }

 private:
  // The probe once; or, where it ends at each outlier, again and again until it has measured for
  // the time that was asked for: starting it takes time too.
  Result<ProbeEnd> run_parts() {
    const auto begin = Clock::now();
    const auto left_s = [&] {
      return static_cast<double>(context_.spec.duration_s) -
             static_cast<double>(cycles_) * static_cast<double>(context_.spec.interval_us) / 1e6;
    };
    ProbeEnd end;
    do {
      ++parts_;
      ProbeSpec part = context_.spec;
      part.duration_s = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(left_s())));
      RTSWEEP_TRY(end, run_part(part));
      RTSWEEP_CHECK_OK(save_where_it_broke());
    } while (broke_ && left_s() > 0 && parts_ < kMostParts && !is_stopped());
    end.wall_s = seconds_since(begin);
    return end;
  }

  Result<ProbeEnd> run_part(const ProbeSpec& probe) {
    ProbeEnd end;
    RTSWEEP_TRY(end.argv, command(probe));
    const ObserverWatch watch;
    // Its measuring threads are SCHED_FIFO; the one that starts and ends them is not, and
    // must not wait behind hundreds of the load's.
    RTSWEEP_TRY(ChildProcess child,
                ChildProcess::start(
                    end.argv, {.output = part_path(trial_file::kProbeText), .niceness = -20}));
    if (parts_ == 1) numa_maps_ = read_numa_maps(child.pid());
    RTSWEEP_TRY(const ExitStatus status, wait_for(child, probe, end));
    add_observer(watch.cost());
    end.exit_code = status.code;
    end.signal = status.signal;
    return end;
  }

  // Only while cyclictest runs: what is done between two of its parts disturbs none.
  void add_observer(const ObserverCost& part) {
    observer_.wall_s += part.wall_s;
    observer_.cpu_s += part.cpu_s;
    observer_.switches += part.switches;
    observer_.preemptions += part.preemptions;
    observer_.cpus = part.cpus;
  }

  // What saving traces cost is told apart: it is not the price of being watched.
  void end_capture() {
    capture_->end();
    const ObserverCost& saving = capture_->cost();
    observer_.cpu_s = std::max(0.0, observer_.cpu_s - saving.cpu_s);
    observer_.switches = std::max<int64_t>(0, observer_.switches - saving.switches);
    observer_.preemptions = std::max<int64_t>(0, observer_.preemptions - saving.preemptions);
  }

  Result<std::vector<std::string>> command(const ProbeSpec& probe) const {
    RTSWEEP_TRY(std::vector<std::string> argv, numactl_prefix(probe.memory));
    const auto own = cyclictest_arguments(probe, context_.cpus, part_path(trial_file::kProbeJson));
    argv.insert(argv.end(), own.begin(), own.end());
    if (!capture_) return argv;
    const auto more =
        breakpoint_arguments(context_.capture->breakpoint_us, capture_->ends_probe_at_outliers());
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  }

  fs::path part_path(const char* file) const {
    return context_.scratch / trial_file::probe_part(file, parts_);
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

  Result<void> put_outliers(TrialSink& sink) {
    std::vector<CyclictestSpike> spikes;
    for (int part = 1; part <= parts_; ++part) {
      const auto output =
          read_file(context_.scratch / trial_file::probe_part(trial_file::kProbeText, part));
      const auto more = spikes_in(output ? *output : std::string());
      spikes.insert(spikes.end(), more.begin(), more.end());
    }
    RTSWEEP_TRY(const std::vector<TraceFile> files, capture_->finish(spikes));
    for (const TraceFile& file : files) RTSWEEP_CHECK_OK(sink.put(file.name, file.content));
    const nlohmann::json result = capture_->result();
    RTSWEEP_CHECK_OK(sink.put(trial_file::kCapture, result.dump() + "\n"));
    capture_.reset();
    return {};
  }

  bool is_stopped() const { return stop_ != nullptr && *stop_; }

  Result<ExitStatus> wait_for(ChildProcess& child, const ProbeSpec& probe, ProbeEnd& end) const {
    const auto limit = std::chrono::seconds(probe.duration_s) + kProbeGrace;
    RTSWEEP_TRY(const std::optional<ExitStatus> status, wait_or_stop(child, limit));
    if (status) return *status;
    end.timed_out = !is_stopped();
    return child.stop(SIGTERM, 5s);
  }

  // One wait for all the time, unless somebody may want to stop it.
  Result<std::optional<ExitStatus>> wait_or_stop(ChildProcess& child,
                                                 std::chrono::seconds limit) const {
    if (stop_ == nullptr) return child.wait(limit);
    const auto deadline = Clock::now() + limit;
    while (!*stop_ && Clock::now() < deadline) {
      RTSWEEP_TRY(const std::optional<ExitStatus> status, child.wait(kLookForStop));
      if (status) return status;
    }
    return std::optional<ExitStatus>();
  }

  // The only read during a measurement, and only when a memory policy was asked for:
  // after the end there is nothing left to read it from.
  std::string read_numa_maps(pid_t pid) const {
    if (context_.spec.memory == "default") return {};
    std::this_thread::sleep_for(kNumaMapsDelay);
    const auto maps = context_.host.read("proc/" + std::to_string(pid) + "/numa_maps");
    return maps ? *maps : std::string();
  }

  const ProbeContext context_;
  const std::atomic<bool>* stop_ = nullptr;
  std::unique_ptr<Capture> capture_;
  int parts_ = 0;       // runs of the probe so far
  bool broke_ = false;  // the last one ended at an outlier
  std::string numa_maps_;
  ObserverCost observer_;
  uint64_t cycles_ = 0;  // of the parts that ended at an outlier, of thread 0
};

}  // namespace

std::unique_ptr<Probe> make_cyclictest(const ProbeContext& context) {
  return std::make_unique<CyclictestProbe>(context);
}

}  // namespace rtsweep
