// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/run_report.h"
#include "runner/base/result.h"
#include "runner/host/undo_list.h"
#include "runner/measure/trial_spec.h"
#include "runner/plan/plan.h"

namespace rtsweep {

// How a trial ended as seen from outside the measured machine; end.json in its
// directory. Written last: a trial without it was cut short together with its runner.
struct TrialEnd {
  enum class Kind {
    kComplete,          // the measuring code came to its end, good or bad
    kBootTimeout,       // no sign of the measuring code in its time
    kTrialTimeout,      // it began, and did not end in its time
    kVmDied,            // QEMU ended, and the measuring code had not
    kNotDeterministic,  // repetitions in virtual time differ from each other
    kStopped,           // the user ended it
    kFailed,            // the suite could not even begin
  };
  Kind kind = Kind::kComplete;
  std::string message;                // for kFailed, kVmDied: what was said
  double wall_s = 0;                  // host time
  std::optional<double> boot_s;       // host time until the measuring code ran
  std::optional<double> measuring_s;  // host time from there being a load until the numbers came
  // Of a VM with a real clock, while it measured: how long it was stopped, and how long it
  // waited for a CPU of the host.
  std::optional<double> paused_s;
  std::optional<double> waited_s;
};

std::string_view end_name(TrialEnd::Kind kind);
void to_json(nlohmann::json& json, const TrialEnd& end);
void from_json(const nlohmann::json& json, TrialEnd& end);

inline constexpr char kEndFile[] = "end.json";

// What a target tells while it works. Called from the thread that measures.
using Listener = std::function<void(std::string_view stage)>;  // "booting", "measuring"

// Where trials run. One object serves a whole run; measure() is called from several
// threads at once when jobs() says so.
class Target {
 public:
  virtual ~Target() = default;

  // How many trials may run at the same time without disturbing each other.
  virtual int jobs(const Plan& plan) const = 0;

  // Gets everything that the trials need before the first begins (kernels, guest
  // userlands), telling what it does. Returns the kernels, for the report.
  virtual Result<std::vector<KernelResult>> prepare(const Plan& plan,
                                                    std::span<const PlannedTrial> trials,
                                                    const Listener& listener) = 0;

  // Measures one trial. What came out lies in the directory, with end.json as the
  // last; an Error is a failure of the suite (disk full), not of the trial.
  virtual Result<void> measure(const Plan& plan, const PlannedTrial& trial,
                               const std::filesystem::path& directory,
                               const std::atomic<bool>& stop, const Listener& listener) = 0;

  // One line about the machine that does the measuring or the emulation.
  virtual std::string emulator() const { return {}; }
};

// What the measuring code is asked to do for a trial of the plan.
TrialSpec trial_spec(const Plan& plan, const PlannedTrial& trial);

struct TargetContext {
  std::filesystem::path guests;  // holds ARCH/rtsweep-guest
  UndoList* undo = nullptr;      // for plans that tune this machine
};

// The target of that name: "vm" or "local"; kInvalidPlan for others.
Result<std::unique_ptr<Target>> make_target(std::string_view name, const TargetContext& context);

}  // namespace rtsweep
