// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep with a target that measures nothing: a trial takes milliseconds and leaves what a
// real one would. For tests of everything around the measurement. Each measurement
// also appends a line to measured.log, so that a second one of the same trial shows.
//
// Tuning is real, on the tree that $FAKE_ROOT names.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "runner/base/files.h"
#include "runner/cli/program.h"
#include "runner/host/tuning.h"
#include "runner/measure/measure_trial.h"
#include "runner/measure/trial_sink.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// As cyclictest 2.4 writes it; 10 s at an interval of 1000 us.
json cyclictest_report(int id) {
  const int max = 100 + id % 50;
  return {{"file_version", 1},
          {"cmdline:", "cyclictest -q"},
          {"rt_test_version:", "2.40"},
          {"start_time", "Mon, 30 Nov 2026 16:19:36 +0000"},
          {"end_time", "Mon, 30 Nov 2026 16:19:46 +0000"},
          {"return_code", 0},
          {"sysinfo",
           {{"sysname", "Linux"},
            {"nodename", "fake"},
            {"release", "6.12.0-rt"},
            {"version", "#1 SMP PREEMPT_RT"},
            {"machine", "aarch64"},
            {"realtime", 1}}},
          {"num_threads", 1},
          {"resolution_in_ns", 0},
          {"thread",
           {{"0",
             {{"histogram", {{"40", 9999}, {std::to_string(max), 1}}},
              {"cycles", 10000},
              {"min", 40},
              {"max", max},
              {"avg", 40.01},
              {"cpu", 0},
              {"node", 0}}}}}};
}

HostRoot fake_host() {
  const char* root = std::getenv("FAKE_ROOT");
  return HostRoot(root == nullptr ? "/no/fake/root" : root);
}

class FakeTarget : public Target {
 public:
  explicit FakeTarget(UndoList* undo) : undo_(undo) {}

  int jobs(const Plan& /*plan*/) const override { return undo_ == nullptr ? 2 : 1; }

  Result<std::vector<KernelResult>> prepare(const Plan& /*plan*/,
                                            std::span<const PlannedTrial> /*trials*/,
                                            const Listener& /*listener*/) override {
    return std::vector<KernelResult>();
  }

  Result<void> measure(const Plan& plan, const PlannedTrial& trial, const fs::path& directory,
                       const std::atomic<bool>& /*stop*/, const Listener& listener) override {
    if (undo_ == nullptr) return measure_untuned(trial, directory, listener);
    const TuningSpec spec = trial_spec(plan, trial).tuning;
    RTSWEEP_TRY(Tuning tuning, Tuning::apply(host_, spec, *undo_));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    RTSWEEP_CHECK_OK(measure_untuned(trial, directory, listener));
    tuning.look_at_end();
    RTSWEEP_CHECK_OK(tuning.restore());
    return DirectorySink(directory).put(trial_file::kTuning, json(tuning.results()).dump());
  }

 private:
  static Result<void> measure_untuned(const PlannedTrial& trial, const fs::path& directory,
                                      const Listener& listener) {
    listener("measuring");
    RTSWEEP_TRY(AppendFile log, AppendFile::open(directory / "measured.log"));
    RTSWEEP_CHECK_OK(log.append("measured\n"));
    std::this_thread::sleep_for(std::chrono::milliseconds(trial.id % 4));
    DirectorySink sink(directory);
    const json facts = MachineFacts{.kernel_release = "6.12.0-rt",
                                    .kernel_version = "#1 SMP PREEMPT_RT",
                                    .preempt_rt = true,
                                    .online_cpus = {0},
                                    .clocksource = "tsc"};
    RTSWEEP_CHECK_OK(sink.put(trial_file::kFactsBefore, facts.dump()));
    RTSWEEP_CHECK_OK(sink.put(trial_file::kProbeJson, cyclictest_report(trial.id).dump(2)));
    RTSWEEP_CHECK_OK(sink.put(trial_file::kProbe, json(ProbeEnd{.argv = {"cyclictest"}, .wall_s = 10}).dump()));
    RTSWEEP_CHECK_OK(sink.put(trial_file::kLoads, "[]"));
    RTSWEEP_CHECK_OK(sink.put(trial_file::kFactsAfter, facts.dump()));
    RTSWEEP_CHECK_OK(sink.put(trial_file::kComplete, "{}"));
    return sink.put(kEndFile, json(TrialEnd{.boot_s = {}}).dump());
  }

  HostRoot host_ = fake_host();
  UndoList* undo_;
};

}  // namespace
}  // namespace rtsweep

int main(int argc, char** argv) {
  return rtsweep::run_program(
      argc, argv,
      [](std::string_view /*name*/, const rtsweep::TargetContext& context)
          -> rtsweep::Result<std::unique_ptr<rtsweep::Target>> {
        return std::unique_ptr<rtsweep::Target>(
            std::make_unique<rtsweep::FakeTarget>(context.undo));
      },
      rtsweep::fake_host());
}
