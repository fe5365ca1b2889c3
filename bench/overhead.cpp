// SPDX-License-Identifier: GPL-2.0-or-later

// What the suite itself costs; see bench/README.md.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "runner/base/child_process.h"
#include "runner/base/clock.h"
#include "runner/base/files.h"
#include "runner/boot/local_target.h"
#include "runner/boot/vm_target.h"
#include "runner/cli/run_session.h"
#include "runner/run/evaluate.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr int kRounds = 5;
constexpr char kVmPlan[] =
    "name = \"overhead\"\ntarget = \"vm\"\nclock = \"virtual\"\n[measure]\nduration = \"1s\"\n"
    "[factors]\nkernel = [\"6.1-rt\"]\narch = [\"arm64\"]\nload = [\"idle\"]\n";
constexpr char kLocalPlan[] =
    "name = \"overhead\"\ntarget = \"local\"\n[measure]\nduration = \"10s\"\nexpect_rt = false\n"
    "[factors]\nload = [\"idle\"]\n";

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double own_cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The VM of the trial without a trial in it: boots, finds nothing to do, powers off.
class BareVm {
 public:
  static Result<BareVm> make(const Plan& plan, const Cell& cell, const fs::path& directory) {
    RTSWEEP_TRY(const Cache cache, Cache::open());
    SystemCommands commands;
    VmPartsStore store(cache, commands, guests_directory());
    RTSWEEP_TRY(const VmParts parts, store.parts(plan, cell, [](std::string_view) {}));
    RTSWEEP_CHECK_OK(concatenate_layers(parts.layers, directory / "bare.cpio"));
    RTSWEEP_TRY(const VmModel model, vm_model(parts.kernel.arch));
    return BareVm({.model = model,
                   .kernel = parts.kernel.image,
                   .initrd = directory / "bare.cpio",
                   .cmdline = "",
                   .sd_card = {},
                   .console = directory / "bare.console",
                   .results = directory / "bare.results"});
  }

  Result<double> boot_to_power_off() const {
    const double begin = boottime_s();
    RTSWEEP_TRY(ChildProcess vm, ChildProcess::start(qemu_arguments(config_), {}));
    RTSWEEP_CHECK_OK(vm.wait());
    return boottime_s() - begin;
  }

 private:
  explicit BareVm(VmConfig config) : config_(std::move(config)) {}

  VmConfig config_;
};

// The time that the emulator spent in the measurement itself, as the host saw it.
Result<double> measuring_s(const fs::path& trial_directory) {
  RTSWEEP_TRY(const std::string text, read_file(trial_directory / kEndFile));
  const auto end = nlohmann::json::parse(text).get<TrialEnd>();
  if (!end.measuring_s) return Error(Errc::kBadData, "the trial did not measure");
  return *end.measuring_s;
}

Result<void> compare_vm(const fs::path& directory) {
  RTSWEEP_TRY(const Plan plan, parse_plan(kVmPlan, "overhead.toml"));
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::create(directory / "run", plan, {}));
  const PlannedTrial& trial = run.trials().front();
  VmTarget target(guests_directory());
  RTSWEEP_CHECK_OK(target.prepare(plan, run.trials(), [](std::string_view) {}));
  RTSWEEP_TRY(const BareVm bare, BareVm::make(plan, trial.cell, directory));

  std::vector<double> bare_s;
  std::vector<double> trial_s;
  const std::atomic<bool> stop = false;
  for (int round = 0; round < kRounds; ++round) {
    RTSWEEP_TRY(const double seconds, bare.boot_to_power_off());
    bare_s.push_back(seconds);
    fs::remove_all(run.trial_directory(trial));
    RTSWEEP_CHECK_OK(make_directories(run.trial_directory(trial)));
    const double begin = boottime_s();
    RTSWEEP_CHECK_OK(
        target.measure(plan, trial, run.trial_directory(trial), stop, [](std::string_view) {}));
    const TrialResult result = evaluate_trial(run, trial);
    const double whole = boottime_s() - begin;
    if (!result.usable()) return Error(Errc::kBadData, result.reasons.front().text);
    RTSWEEP_TRY(const double measuring, measuring_s(run.trial_directory(trial)));
    trial_s.push_back(whole - measuring);
    fmt::print("round {}: bare {:.2f} s; trial {:.2f} s, of which measuring {:.2f} s\n", round + 1,
               bare_s.back(), whole, measuring);
  }
  fmt::print(
      "VM trial without measuring against bare QEMU, medians: {:.2f} s / {:.2f} s = {:.2f} (goal "
      "1.3)\n",
      median(trial_s), median(bare_s), median(trial_s) / median(bare_s));
  return {};
}

Result<void> measure_local(const fs::path& directory) {
  RTSWEEP_TRY(const Plan plan, parse_plan(kLocalPlan, "overhead.toml"));
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::create(directory / "local", plan, {}));
  const PlannedTrial& trial = run.trials().front();
  RTSWEEP_CHECK_OK(make_directories(run.trial_directory(trial)));
  LocalTarget target(HostRoot(), nullptr);
  const std::atomic<bool> stop = false;
  const double cpu = own_cpu_s();
  const double begin = boottime_s();
  RTSWEEP_CHECK_OK(
      target.measure(plan, trial, run.trial_directory(trial), stop, [](std::string_view) {}));
  const double share = (own_cpu_s() - cpu) / (boottime_s() - begin);
  const TrialResult result = evaluate_trial(run, trial);
  if (!result.counters || !result.counters->observer) {
    return Error(Errc::kBadData, "the trial does not say what the runner used");
  }
  const ObserverCost& cost = *result.counters->observer;
  fmt::print(
      "runner's own CPU use during the measurement: {:.3f} % of one CPU (goal 0.1); whole trial "
      "with all facts: {:.3f} %\n",
      cost.cpu_s / cost.wall_s * 100, share * 100);
  return {};
}

int run_all() {
  std::string name = (fs::temp_directory_path() / "rtsweep-overhead.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return 1;
  const auto vm = compare_vm(name);
  const auto local = vm ? measure_local(name) : vm;
  fs::remove_all(name);
  if (local) return 0;
  fmt::print(stderr, "overhead: {}\n", local.error().message());
  return 1;
}

}  // namespace
}  // namespace rtsweep

int main() { return rtsweep::run_all(); }
