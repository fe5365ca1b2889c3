// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <memory>

#include "runner/boot/qemu.h"
#include "runner/boot/target.h"
#include "runner/boot/vm_parts.h"

namespace rtsweep {

// Virtual machines in QEMU, one boot a trial, the guest's userland an initramfs from
// Debian packages. With the virtual clock as many at once as there are CPUs: nothing
// that happens on the host shows in their numbers.
class VmTarget : public Target {
 public:
  explicit VmTarget(std::filesystem::path guests) : guests_(std::move(guests)) {}

  int jobs(const Plan& plan) const override;
  Result<std::vector<KernelResult>> prepare(const Plan& plan, std::span<const PlannedTrial> trials,
                                            const Listener& listener) override;
  Result<void> measure(const Plan& plan, const PlannedTrial& trial,
                       const std::filesystem::path& directory, const std::atomic<bool>& stop,
                       const Listener& listener) override;
  std::string emulator() const override { return emulator_; }

  // Modules that are not the kernel's own: host files, inserted in all guests after those
  // that loads need. Before prepare().
  void add_modules(std::vector<std::filesystem::path> modules) {
    own_modules_ = std::move(modules);
  }

  // A plugin that QEMU loads, as its option -plugin names it: it must not change what the
  // guest does. Before measure().
  void set_plugin(std::string plugin) { plugin_ = std::move(plugin); }

 private:
  Result<VmConfig> configure(const Plan& plan, const PlannedTrial& trial, const VmParts& parts,
                             const std::filesystem::path& directory) const;

  std::filesystem::path guests_;
  std::vector<std::filesystem::path> own_modules_;
  std::string plugin_;
  SystemCommands commands_;
  std::optional<Cache> cache_;
  std::unique_ptr<VmPartsStore> store_;
  std::map<Cell, Result<VmParts>> parts_;            // filled by prepare(), then only read
  std::map<std::string, std::string> accelerators_;  // by arch; real clock only
  std::string emulator_;
};

}  // namespace rtsweep
