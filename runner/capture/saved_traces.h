// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <vector>

#include "runner/capture/capture_spec.h"
#include "runner/capture/outlier_trigger.h"
#include "runner/capture/ring_pages.h"

namespace rtsweep {

// A late wakeup and what was recorded around it.
struct SavedTrace {
  LateWakeup wakeup;
  std::vector<CpuPages> cpus;
  double unarmed_ms = 0;

  size_t bytes() const;
};

// The traces worth keeping, while they come: the first ones, and of the others the worst, within
// the limit of bytes.
class SavedTraces {
 public:
  explicit SavedTraces(const CaptureSpec& spec) : spec_(&spec) {}

  void add(SavedTrace trace);

  // How late a wakeup has to be for its trace to be kept: the breakpoint, or more when others
  // would have to go. With this one added.
  int64_t threshold_with(const SavedTrace& trace) const;

  uint64_t not_kept() const { return not_kept_; }
  std::vector<SavedTrace> take();  // by time

 private:
  size_t most() const { return static_cast<size_t>(spec_->keep_first + spec_->keep_worst); }
  bool is_full() const;
  void drop_least();

  const CaptureSpec* spec_;
  std::vector<SavedTrace> traces_;  // the first ones, then others as they came
  uint64_t not_kept_ = 0;
};

}  // namespace rtsweep
