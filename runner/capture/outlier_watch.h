// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "analysis/counters.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/capture/capture_spec.h"
#include "runner/capture/outlier_trigger.h"
#include "runner/capture/ring_pages.h"
#include "runner/capture/saved_traces.h"
#include "runner/capture/trace_instance.h"

namespace rtsweep {

// Outliers that the kernel sees itself: it stops recording while the probe goes on, and a
// thread of ours, asleep until then, saves what was recorded and lets it go on.
class OutlierWatch {
 public:
  // The trace must live as long. kNotSupported when the kernel cannot do it.
  static Result<std::unique_ptr<OutlierWatch>> set(const TraceInstance& trace,
                                                   const CaptureSpec& spec,
                                                   const RingPageLayout& layout);

  OutlierWatch(const OutlierWatch&) = delete;
  OutlierWatch& operator=(const OutlierWatch&) = delete;
  ~OutlierWatch();

  // Every wakeup of a thread called cyclictest counts as late: to prove that it works.
  Result<void> arm_for_proof();
  // Late wakeups since the last call; for the proof, before begin().
  std::vector<LateWakeup> hits();
  Result<bool> has_stopped() const { return trigger_->has_stopped(); }

  // From now on what is past the breakpoint; what was seen before is forgotten.
  Result<void> arm();
  // The thread lives from begin() to end(), not on the measured CPUs if there are others.
  void begin(const std::vector<int>& measured);
  void end();

  // After end():
  const std::vector<LateWakeup>& late() const { return late_; }  // all of them, traced or not
  SavedTraces& saved() { return saved_; }
  double unarmed_ms() const { return unarmed_ms_; }
  const ObserverCost& cost() const { return cost_; }     // of the thread: CPU time, switches
  const std::string& failed() const { return failed_; }  // empty: nothing went wrong

 private:
  OutlierWatch(const TraceInstance& trace, const CaptureSpec& spec, const RingPageLayout& layout)
      : trace_(trace), spec_(spec), layout_(layout), saved_(spec) {}

  Result<void> open_hits();
  void watch(const std::vector<int>& measured);
  void take_hits();
  Result<void> let_go_on(int64_t threshold_ns);
  bool has_stopped_at(const LateWakeup& wakeup) const;
  Result<void> save(const LateWakeup& wakeup);
  void note_cost();

  const TraceInstance& trace_;
  const CaptureSpec& spec_;
  const RingPageLayout& layout_;
  std::optional<OutlierTrigger> trigger_;
  std::optional<TraceInstance> hits_;  // of rtsweep_late alone; it goes before the trigger
  UniqueFd pipe_;
  std::string text_;  // of an unfinished line
  UniqueFd stop_;
  std::thread thread_;
  std::vector<LateWakeup> late_;
  int64_t armed_at_ns_ = 0;  // CLOCK_MONOTONIC
  int64_t threshold_ns_ = 0;
  SavedTraces saved_;
  double unarmed_ms_ = 0;
  ObserverCost cost_;
  std::string failed_;
};

}  // namespace rtsweep
