// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "runner/boot/target.h"
#include "runner/host/host_root.h"
#include "runner/host/undo_list.h"

namespace rtsweep {

// This machine as it is, with the kernel that it runs: nothing is booted. One trial at
// a time.
class LocalTarget : public Target {
 public:
  // `undo` must outlive it; null will do for plans that tune nothing.
  LocalTarget(HostRoot host, UndoList* undo) : host_(std::move(host)), undo_(undo) {}

  int jobs(const Plan& plan) const override;
  Result<std::vector<KernelResult>> prepare(const Plan& plan, std::span<const PlannedTrial> trials,
                                            const Listener& listener) override;
  Result<void> measure(const Plan& plan, const PlannedTrial& trial,
                       const std::filesystem::path& directory, const std::atomic<bool>& stop,
                       const Listener& listener) override;

 private:
  HostRoot host_;
  UndoList* undo_;
};

}  // namespace rtsweep
