// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/selftest/real_fault.h"

#include <fmt/format.h>

#include <csignal>
#include <thread>

#include "runner/base/files.h"
#include "runner/boot/vm_target.h"
#include "runner/run/evaluate.h"
#include "runner/selftest/guest_pause.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kBeforeAction = 200ms;
constexpr auto kPause = 300ms;

// The load ticks, so that it proves to be at work, until the trial ends. What makes the
// fault runs beside it, and the load outlives it.
constexpr char kLoadScript[] =
    "echo 1 > $RTSWEEP_WORK; ( n=1; while :; do n=$((n + 1)); echo $n > $RTSWEEP_WORK.new; "
    "mv $RTSWEEP_WORK.new $RTSWEEP_WORK; sleep 0.1; done ) & sleep 1.5; {}; wait";

std::string plan_text(const RealFault& fault) {
  const std::string script =
      fmt::format(kLoadScript, fault.run.empty() ? std::string_view(":") : fault.run);
  return fmt::format(
      "name = \"selftest\"\ntarget = \"vm\"\nclock = \"{}\"\n"
      "[measure]\nduration = \"{}s\"\n{}\n"
      "[factors]\nkernel = [\"{}\"]\narch = [\"{}\"]\ncmdline = [\"{}\"]\nload = [\"command\"]\n"
      "[tuning]\n{}\n[loads.command]\nunit = \"ticks\"\n{}\nrun = '''{}'''\n"
      // How busy this machine is, is not what is tested.
      "[severity]\nhypervisor_steal = \"note\"\n"
      "[vm]\nboot_timeout = \"2m\"\ntrial_timeout = \"4m\"\n{}\n",
      fault.real_clock ? "real" : "virtual", fault.duration_s, fault.measure, fault.kernel,
      fault.arch, fault.cmdline, fault.tuning, fault.load, script, fault.vm);
}

void act(HostAction action, const fs::path& directory) {
  std::this_thread::sleep_for(kBeforeAction);
  const pid_t emulator = find_emulator(directory);
  if (emulator == 0) return;
  if (action == HostAction::kKill) {
    ::kill(emulator, SIGKILL);
    return;
  }
  ::kill(emulator, SIGSTOP);
  std::this_thread::sleep_for(kPause);
  ::kill(emulator, SIGCONT);
}

}  // namespace

Result<TrialResult> judge_real(const RealFault& fault, const fs::path& directory,
                               const fs::path& guests) {
  RTSWEEP_TRY(const Plan plan, parse_plan(plan_text(fault), "selftest.toml"));
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::create(directory, plan, {}));
  const PlannedTrial& trial = run.trials().front();
  const fs::path trial_directory = run.trial_directory(trial);
  RTSWEEP_CHECK_OK(make_directories(trial_directory));
  VmTarget target(guests);
  RTSWEEP_TRY(const std::vector<KernelResult> kernels,
              target.prepare(plan, run.trials(), [](std::string_view) {}));
  RTSWEEP_CHECK_OK(run.write_machines({.emulator = target.emulator(), .kernels = kernels}));

  std::jthread actor;
  const Listener listener = [&](std::string_view stage) {
    if (stage != "measuring" || fault.action == HostAction::kNone) return;
    actor = std::jthread([&] { act(fault.action, trial_directory); });
  };
  const std::atomic<bool> stop = false;
  RTSWEEP_CHECK_OK(target.measure(plan, trial, trial_directory, stop, listener));
  RTSWEEP_CHECK_OK(tidy_trial(trial_directory));
  return evaluate_trial(run, trial);
}

}  // namespace rtsweep
