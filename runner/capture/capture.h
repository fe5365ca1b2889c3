// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/capture_result.h"
#include "analysis/counters.h"
#include "analysis/cyclictest_spike.h"
#include "runner/base/result.h"
#include "runner/capture/capture_spec.h"
#include "runner/capture/outlier_files.h"
#include "runner/capture/outlier_watch.h"
#include "runner/capture/trace_instance.h"

namespace rtsweep {

// The traces of one trial's outliers: events armed in an instance of our own, proved by planted
// wakeups, and saved at each outlier: by the kernel itself while the probe goes on
// ("trigger", see OutlierTrigger), or, where the kernel cannot, after cyclictest has ended at
// the outlier ("break"): the caller then calls save_broken() and starts it again.
class Capture {
 public:
  // Sets everything up for these CPUs. That it could not be proved is in result(), and no
  // error: the trial is to say so. kNotSupported without tracefs.
  static Result<std::unique_ptr<Capture>> arm(const CaptureSpec& spec, std::vector<int> cpus,
                                              int priority);

  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  ~Capture();  // nothing of it is left in tracefs

  // Right before and right after the probe.
  void begin();
  void end();

  bool ends_probe_at_outliers() const { return watch_ == nullptr; }
  // Keeps what led to this outlier of the thread `pid`, at which cyclictest ended, and starts the
  // buffers anew.
  Result<void> save_broken(const CyclictestSpike& spike, int pid);

  // After end(): what saving took of the measurement.
  const ObserverCost& cost() const { return cost_; }

  // After end(), with all that cyclictest printed of samples past the breakpoint: the traces,
  // and in result() what is to be told of them.
  Result<std::vector<TraceFile>> finish(std::span<const CyclictestSpike> spikes);
  const CaptureResult& result() const { return result_; }

 private:
  Capture(const CaptureSpec& spec, std::vector<int> cpus, TraceInstance trace);

  Result<void> set_up();
  Result<void> set_watch();
  Result<void> fall_back(const std::string& why);
  Result<void> prove(int priority);
  Result<void> prove_on(int cpu, int priority);
  void take_hits(std::span<const CyclictestSpike> spikes);
  Result<std::vector<TraceFile>> make_files(std::vector<SavedTrace> traces);

  const CaptureSpec spec_;
  const std::vector<int> cpus_;
  TraceInstance trace_;
  std::string cmdlines_size_;  // as it was; empty: not changed
  RingPageLayout layout_;
  std::unique_ptr<OutlierWatch> watch_;  // null: "break"
  SavedTraces broken_;
  ObserverCost cost_;
  CaptureResult result_;
};

}  // namespace rtsweep
