// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/selftest/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "analysis/statistics/rates.h"
#include "analysis/trace/explain.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/boot/vm_target.h"
#include "runner/capture/trace_dat/trace_dat_file.h"
#include "runner/run/evaluate.h"
#include "runner/run/raw_files.h"
#include "runner/selftest/guest_pause.h"
#include "runner/selftest/inject_module.h"
#include "runner/selftest/injection.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr double kLeastRate = 0.95;
constexpr double kConfidence = 0.95;
constexpr size_t kVmsAtOnce = 2;
// From a delay's end until the probe, which it kept from running, has read the clock.
constexpr int64_t kSlack = 100'000;
// The host's own clock readings around a stopped guest, and /proc/uptime, are no better.
constexpr int64_t kRoughSlack = 12'000'000;

class InjectionTrial {
 public:
  InjectionTrial(const InjectionVm& vm, const CausesOptions& options)
      : vm_(vm),
        options_(options),
        name_(fmt::format("{}-{}-{}", vm.kind->name, vm.kernel, vm.arch)),
        target_(options.guests) {}

  InjectionResult run() {
    InjectionResult result{.kind = std::string(vm_.kind->name),
                           .kernel = std::string(vm_.kernel),
                           .arch = std::string(vm_.arch)};
    const auto done = measure_and_explain(result);
    if (!done) result.error = done.error().message();
    return result;
  }

 private:
  Result<void> measure_and_explain(InjectionResult& result) {
    RTSWEEP_TRY(const Plan plan, parse_plan(injection_plan(vm_), "causes.toml"));
    RTSWEEP_TRY(const RunDirectory run, RunDirectory::create(options_.scratch / name_, plan, {}));
    const PlannedTrial& trial = run.trials().front();
    directory_ = run.trial_directory(trial);
    RTSWEEP_CHECK_OK(make_directories(directory_));
    if (!vm_.kind->made_by.empty()) RTSWEEP_CHECK_OK(add_module());
    RTSWEEP_TRY(const std::vector<KernelResult> kernels,
                target_.prepare(plan, run.trials(), [](std::string_view) {}));
    RTSWEEP_CHECK_OK(run.write_machines({.emulator = target_.emulator(), .kernels = kernels}));
    RTSWEEP_CHECK_OK(measure(plan, trial));
    RTSWEEP_CHECK_OK(tidy_trial(directory_));
    return explain_all(read_raw_trial(directory_), result);
  }

  Result<void> add_module() {
    RTSWEEP_TRY(const Cache cache, Cache::open());
    SystemCommands commands;
    RTSWEEP_TRY(const fs::path module,
                injection_module(cache, commands, std::string(vm_.kernel), std::string(vm_.arch)));
    target_.add_modules({module});
    return {};
  }

  Result<void> measure(const Plan& plan, const PlannedTrial& trial) {
    std::jthread pauses;
    const Listener listener = [&](std::string_view stage) {
      if (stage != "measuring" || !needs_real_clock(*vm_.kind)) return;
      pauses = std::jthread([this](const std::stop_token& stop) {
        paused_ = pause_guest(directory_, vm_.count, stop);
      });
    };
    const std::atomic<bool> stop = false;
    const auto measured = target_.measure(plan, trial, directory_, stop, listener);
    pauses.request_stop();
    return measured;
  }

  Result<void> explain_all(const RawTrial& raw, InjectionResult& result) {
    if (!raw.complete || !raw.capture) {
      return Error(Errc::kBadData, "the trial did not come to its end: " + why(raw));
    }
    if (!raw.capture->proved) {
      return Error(Errc::kBadData, "tracing was not proved: " + raw.capture->not_proved);
    }
    const std::vector<MadeDelay> delays = delays_of(*raw.capture);
    result.made = delays.size();
    if (delays.empty()) return Error(Errc::kBadData, "no delay was made: " + load_log());
    for (const CapturedOutlier& outlier : raw.capture->outliers) {
      const int64_t end = outlier.at_us * 1'000;
      if (!is_made(delays, end - outlier.latency_us * 1'000, end)) {
        ++result.natural;
        continue;
      }
      RTSWEEP_TRY(InjectedOutlier one, explained(outlier));
      result.injected.push_back(std::move(one));
    }
    return {};
  }

  // What is timed roughly is at least told from what happens next to it by its length.
  bool is_made(const std::vector<MadeDelay>& delays, int64_t begin_ns, int64_t end_ns) const {
    if (!vm_.kind->made_by.empty()) return is_injected(delays, begin_ns, end_ns, kSlack);
    const auto shortest = std::ranges::min(
        delays, {}, [](const MadeDelay& delay) { return delay.end_ns - delay.begin_ns; });
    return 2 * (end_ns - begin_ns) >= shortest.end_ns - shortest.begin_ns &&
           is_injected(delays, begin_ns, end_ns, kRoughSlack);
  }

  std::string why(const RawTrial& raw) const {
    if (!raw.error.empty()) return raw.error;
    return raw.end ? raw.end->message : "no results";
  }

  std::string load_log() const {
    const auto log = read_file(directory_ / "load-0.log");
    return log ? *log : "";
  }

  std::vector<MadeDelay> delays_of(const CaptureResult& capture) const {
    if (!needs_real_clock(*vm_.kind)) {
      const std::string_view word = vm_.kind->made_by.empty() ? vm_.kind->name : vm_.kind->made_by;
      return made_delays(load_log(), word);
    }
    std::vector<int64_t> ends;
    for (const CapturedOutlier& outlier : capture.outliers) ends.push_back(outlier.at_us * 1'000);
    const int64_t offset = clock_offset(paused_, ends);
    std::vector<MadeDelay> delays = paused_;
    for (MadeDelay& delay : delays) {
      delay.begin_ns -= offset;
      delay.end_ns -= offset;
    }
    return delays;
  }

  Result<InjectedOutlier> explained(const CapturedOutlier& outlier) {
    const ExplainOptions options{.known = KnownLatency{.latency_us = outlier.latency_us,
                                                       .end_ns = outlier.at_us * 1'000,
                                                       .pid = outlier.pid}};
    RTSWEEP_TRY(const std::vector<Trace> traces,
                read_trace_dat_apart(directory_ / outlier.file, options));
    if (traces.empty()) return Error(Errc::kBadData, outlier.file + " holds no trace");
    const Explanation explanation = explain(traces.front(), options);
    InjectedOutlier result{
        .kind = std::string(vm_.kind->name),
        .kernel = std::string(vm_.kernel),
        .arch = std::string(vm_.arch),
        .file = fs::relative(directory_ / outlier.file, options_.scratch).string(),
        .latency_us = outlier.latency_us,
        .named = named_kind(explanation),
        .who = explanation.cause_who,
        .headline = explanation.headline};
    for (const Segment& segment : explanation.segments) result.sum_ns += segment.length_ns;
    const int64_t latency = outlier.latency_us * 1'000;
    result.sum_right = std::abs(result.sum_ns - latency) <= std::max<int64_t>(2'000, latency / 100);
    result.place_right = result.who.find(vm_.kind->place) != std::string::npos;
    result.right = result.named == result.kind && result.place_right;
    return result;
  }

  const InjectionVm vm_;
  const CausesOptions& options_;
  const std::string name_;
  VmTarget target_;
  fs::path directory_;             // of the trial
  std::vector<MadeDelay> paused_;  // by the host's clock
};

void run_some(const std::vector<InjectionVm>& vms, size_t at_once, const CausesOptions& options,
              const CausesListener& listener, std::vector<InjectionResult>& results) {
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::vector<std::jthread> threads;
  for (size_t i = 0; i < at_once; ++i) {
    threads.emplace_back([&] {
      for (size_t index = next++; index < vms.size(); index = next++) {
        InjectionResult result = InjectionTrial(vms[index], options).run();
        const std::lock_guard lock(mutex);
        listener(result);
        results.push_back(std::move(result));
      }
    });
  }
}

Error unknown_kind(const std::string& name) {
  std::vector<std::string> known;
  for (const InjectedKind& kind : injected_kinds()) known.emplace_back(kind.name);
  return {Errc::kInvalidPlan,
          fmt::format("no cause is called '{}'; there are {}", name, join(known, ", "))};
}

}  // namespace

Result<std::vector<InjectionResult>> run_causes(const CausesOptions& options,
                                                const CausesListener& listener) {
  std::vector<InjectionVm> virtual_time = injection_vms(options.only);
  if (virtual_time.empty()) return unknown_kind(options.only);
  RTSWEEP_CHECK_OK(make_directories(options.scratch));
  std::vector<InjectionVm> real_time;
  std::erase_if(virtual_time, [&](const InjectionVm& vm) {
    if (needs_real_clock(*vm.kind)) real_time.push_back(vm);
    return needs_real_clock(*vm.kind);
  });
  std::vector<InjectionResult> results;
  run_some(virtual_time, kVmsAtOnce, options, listener, results);
  run_some(real_time, 1, options, listener, results);
  return results;
}

CausesSummary summarize(const std::vector<InjectionResult>& results, size_t enough) {
  CausesSummary summary;
  for (const InjectionResult& result : results) {
    if (!result.error.empty()) ++summary.errors;
    for (const InjectedOutlier& one : result.injected) {
      ++summary.injected;
      if (one.right) ++summary.right;
      if (one.sum_right) ++summary.sums_right;
    }
  }
  if (summary.injected == 0) return summary;
  const auto all = static_cast<double>(summary.injected);
  const auto right = static_cast<double>(summary.right);
  const auto interval = statistics::share_interval(right, all, kConfidence);
  summary.rate = right / all;
  summary.rate_low = interval.lower;
  summary.rate_high = interval.upper;
  summary.good = summary.errors == 0 && summary.injected >= enough && summary.rate >= kLeastRate &&
                 summary.sums_right == summary.injected;
  return summary;
}

}  // namespace rtsweep
