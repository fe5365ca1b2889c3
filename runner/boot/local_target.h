// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "runner/boot/target.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// This machine as it is, with the kernel that it runs: nothing is booted. One trial at
// a time.
class LocalTarget : public Target {
 public:
  explicit LocalTarget(HostRoot host) : host_(std::move(host)) {}

  int jobs(const Plan& plan) const override;
  Result<std::vector<KernelResult>> prepare(const Plan& plan, std::span<const PlannedTrial> trials,
                                            const Listener& listener) override;
  Result<void> measure(const Plan& plan, const PlannedTrial& trial,
                       const std::filesystem::path& directory, const std::atomic<bool>& stop,
                       const Listener& listener) override;

 private:
  HostRoot host_;
};

}  // namespace rtsweep
