// SPDX-License-Identifier: GPL-2.0-or-later

// cyclictest as a probe: a program beside us, and its two files.

#include <csignal>
#include <optional>
#include <thread>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
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

// Copies a file into the trial; a file that is not there stays out.
Result<void> put_file(TrialSink& sink, std::string_view name, const fs::path& path) {
  const auto content = read_file(path);
  if (!content || content->empty()) return {};
  return sink.put(name, *content);
}

class CyclictestProbe : public Probe {
 public:
  explicit CyclictestProbe(const ProbeContext& context)
      : context_(context),
        text_(context.scratch / trial_file::kProbeText),
        report_(context.scratch / trial_file::kProbeJson) {}

  Result<void> prepare(ProbeEnd& end) override {
    RTSWEEP_TRY(end.argv, numactl_prefix(context_.spec.memory));
    const auto command = cyclictest_arguments(context_.spec, context_.cpus, report_);
    end.argv.insert(end.argv.end(), command.begin(), command.end());
    return {};
  }

  // Its measuring threads are SCHED_FIFO; the one that starts and ends them is not, and
  // must not wait behind hundreds of the load's.
  Result<void> measure(const std::atomic<bool>* stop, ProbeEnd& end) override {
    RTSWEEP_TRY(ChildProcess probe,
                ChildProcess::start(end.argv, {.output = text_, .niceness = -20}));
    read_numa_maps(probe.pid());
    RTSWEEP_TRY(const ExitStatus status, wait(probe, stop, end));
    end.exit_code = status.code;
    end.signal = status.signal;
    return {};
  }

  Result<void> put_results(TrialSink& sink) override {
    RTSWEEP_CHECK_OK(put_file(sink, trial_file::kProbeJson, report_));
    return put_file(sink, trial_file::kProbeText, text_);
  }

  std::string numa_maps() const override { return numa_maps_; }

 private:
  Result<ExitStatus> wait(ChildProcess& probe, const std::atomic<bool>* stop, ProbeEnd& end) const {
    const auto limit = std::chrono::seconds(context_.spec.duration_s) + kProbeGrace;
    RTSWEEP_TRY(const std::optional<ExitStatus> status, wait_or_stop(probe, stop, limit));
    if (status) return *status;
    end.timed_out = stop == nullptr || !*stop;
    return probe.stop(SIGTERM, 5s);
  }

  // One wait for all the time, unless somebody may want to stop it.
  static Result<std::optional<ExitStatus>> wait_or_stop(ChildProcess& probe,
                                                        const std::atomic<bool>* stop,
                                                        std::chrono::seconds limit) {
    if (stop == nullptr) return probe.wait(limit);
    const auto deadline = Clock::now() + limit;
    while (!*stop && Clock::now() < deadline) {
      RTSWEEP_TRY(const std::optional<ExitStatus> status, probe.wait(kLookForStop));
      if (status) return status;
    }
    return std::optional<ExitStatus>();
  }

  // The only read during a measurement, and only when a memory policy was asked for:
  // after the end there is nothing left to read it from.
  void read_numa_maps(pid_t pid) {
    if (context_.spec.memory == "default") return;
    std::this_thread::sleep_for(kNumaMapsDelay);
    const auto maps = context_.host.read("proc/" + std::to_string(pid) + "/numa_maps");
    if (maps) numa_maps_ = *maps;
  }

  const ProbeContext context_;
  fs::path text_;
  fs::path report_;
  std::string numa_maps_;
};

}  // namespace

std::unique_ptr<Probe> make_cyclictest(const ProbeContext& context) {
  return std::make_unique<CyclictestProbe>(context);
}

}  // namespace rtsweep
