// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <thread>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/selftest/doctored_trial.h"
#include "runner/selftest/fault.h"
#include "runner/selftest/real_fault.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> codes_of(const TrialResult& trial) {
  std::vector<std::string> codes;
  for (const Reason& reason : trial.reasons) codes.push_back(reason.code);
  return codes;
}

// A control that has the same reason would prove nothing.
void decide(FaultOutcome& outcome, const Result<TrialResult>& faulty,
            const Result<TrialResult>& control) {
  if (!faulty || !control) {
    outcome.note = (faulty ? control.error() : faulty.error()).message();
    return;
  }
  outcome.verdict = verdict_name(faulty->verdict);
  outcome.codes = codes_of(*faulty);
  outcome.control_ok = control->verdict == Verdict::kPass;
  const auto found = std::ranges::find(faulty->reasons, outcome.code, &Reason::code);
  const std::vector<std::string> clean = codes_of(*control);
  outcome.caught = found != faulty->reasons.end() && std::ranges::count(clean, outcome.code) == 0;
  if (found != faulty->reasons.end()) {
    outcome.note = found->text;
  } else if (!faulty->reasons.empty()) {
    outcome.note = faulty->reasons.front().text;
  }
  if (!outcome.control_ok && !control->reasons.empty()) {
    outcome.note = "control: " + control->reasons.front().text;
  }
}

class FaultRun {
 public:
  FaultRun(const FaultOptions& options, const FaultListener& listener)
      : options_(options), listener_(listener) {}

  Result<std::vector<FaultOutcome>> run() {
    choose();
    if (doctored_.empty() && real_.empty()) return unknown_name();
    run_doctored();
    // Real time is disturbed by whatever runs beside it.
    run_real(2, [](const RealFault& fault) { return !fault.real_clock; });
    run_real(1, [](const RealFault& fault) { return fault.real_clock; });
    return outcomes_;
  }

 private:
  void choose() {
    const auto wanted = [&](std::string_view name) {
      return options_.only.empty() || options_.only == name;
    };
    for (const DoctoredFault& fault : doctored_faults()) {
      if (wanted(fault.name)) doctored_.push_back(fault);
    }
    for (const RealFault& fault : real_faults()) {
      if (options_.real && wanted(fault.name)) real_.push_back(fault);
    }
    for (const DoctoredFault& fault : doctored_) {
      outcomes_.push_back({.name = std::string(fault.name),
                           .what = std::string(fault.what),
                           .code = std::string(fault.code)});
    }
    for (const RealFault& fault : real_) {
      outcomes_.push_back({.name = std::string(fault.name),
                           .what = std::string(fault.what),
                           .code = std::string(fault.code),
                           .real = true});
    }
  }

  Error unknown_name() const {
    std::vector<std::string> names;
    for (const DoctoredFault& fault : doctored_faults()) names.emplace_back(fault.name);
    for (const RealFault& fault : real_faults()) names.emplace_back(fault.name);
    const auto near = nearest_word(options_.only, names);
    return {Errc::kInvalidPlan, fmt::format("no fault is called '{}'{}", options_.only,
                                            near ? "; did you mean '" + *near + "'?" : "")};
  }

  fs::path directory_of(std::string_view name) const { return options_.scratch / name; }

  void run_doctored() {
    if (doctored_.empty()) return;
    const auto control = judge_doctored(good_doctored_trial(), directory_of("control"));
    for (size_t i = 0; i < doctored_.size(); ++i) {
      DoctoredTrial trial = good_doctored_trial();
      doctored_[i].doctor(trial);
      decide(outcomes_[i], judge_doctored(trial, directory_of(doctored_[i].name)), control);
      listener_(outcomes_[i]);
    }
  }

  // Those that are chosen, some of them at once; each control before what needs it.
  template <typename Chosen>
  void run_real(int at_once, Chosen chosen) {
    std::vector<size_t> wanted;
    for (size_t i = 0; i < real_.size(); ++i) {
      if (chosen(real_[i])) wanted.push_back(i);
    }
    measure_controls(wanted, at_once);
    in_parallel(at_once, wanted.size(), [&](size_t i) {
      const RealFault& fault = real_[wanted[i]];
      FaultOutcome outcome = outcomes_[doctored_.size() + wanted[i]];
      const auto faulty = judge_real(fault, directory_of(fault.name), options_.guests);
      const std::lock_guard lock(mutex_);
      decide(outcome, faulty, *control_for(fault));
      outcomes_[doctored_.size() + wanted[i]] = outcome;
      listener_(outcome);
    });
  }

  void measure_controls(const std::vector<size_t>& wanted, int at_once) {
    std::vector<const RealFault*> needed;
    for (const size_t index : wanted) {
      const RealFault& fault = real_[index];
      const auto same = [&](const RealFault* other) { return same_control(*other, fault); };
      if (std::ranges::none_of(needed, same)) needed.push_back(&fault);
    }
    in_parallel(at_once, needed.size(), [&](size_t i) {
      const RealFault control = control_of(*needed[i]);
      auto judged = judge_real(control, directory_of(fmt::format("control-{}", needed[i]->name)),
                               options_.guests);
      const std::lock_guard lock(mutex_);
      controls_.emplace_back(needed[i], std::move(judged));
    });
  }

  const Result<TrialResult>* control_for(const RealFault& fault) const {
    const auto found = std::ranges::find_if(
        controls_, [&](const auto& control) { return same_control(*control.first, fault); });
    return &found->second;
  }

  static void in_parallel(int at_once, size_t count, const std::function<void(size_t)>& work) {
    std::atomic<size_t> next = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < at_once; ++i) {
      threads.emplace_back([&] {
        for (size_t index = next++; index < count; index = next++) work(index);
      });
    }
  }

  const FaultOptions& options_;
  const FaultListener& listener_;
  std::vector<DoctoredFault> doctored_;
  std::vector<RealFault> real_;
  std::vector<FaultOutcome> outcomes_;
  std::mutex mutex_;  // guards what follows, and the outcomes of real faults
  std::vector<std::pair<const RealFault*, Result<TrialResult>>> controls_;
};

}  // namespace

Result<std::vector<FaultOutcome>> run_faults(const FaultOptions& options,
                                             const FaultListener& listener) {
  RTSWEEP_CHECK_OK(make_directories(options.scratch));
  return FaultRun(options, listener).run();
}

}  // namespace rtsweep
