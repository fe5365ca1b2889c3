// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/command.h"
#include "runner/boot/target.h"
#include "runner/kernels/guest_layers.h"
#include "runner/kernels/kernels.h"

namespace rtsweep {

// What the VM of one cell is made of, all on this machine's disk.
struct VmParts {
  Kernel kernel;
  std::string kernel_sha256;
  std::vector<GuestLayer> layers;    // of its initrd, but for the trial's own file
  std::vector<std::string> modules;  // guest paths, in the order to insert them
  bool sd_card = false;
  std::string probe_package;  // "rt-tests 2.4-1"
  std::string probe_sha256;   // of the program that measures
};

// Makes and remembers the parts of VMs: kernels and userlands from Debian's archive,
// the guest program from this build.
class VmPartsStore {
 public:
  VmPartsStore(const Cache& cache, CommandRunner& commands, std::filesystem::path guests)
      : cache_(cache), commands_(commands), guests_(std::move(guests)) {}

  // The parts for a cell, made now if no earlier cell needed them. What takes long is
  // told to the listener first. Not to be called from two threads at once.
  Result<VmParts> parts(const Plan& plan, const Cell& cell, const Listener& listener);

  // Every kernel that parts() has met.
  std::vector<KernelResult> kernels() const;

 private:
  struct MetKernel {
    Kernel kernel;
    std::string sha256;
  };

  Result<MetKernel> kernel(const Plan& plan, const Cell& cell, const Listener& listener);
  Result<Kernel> find_or_fetch(const Plan& plan, const std::string& name, const std::string& arch);
  Result<PackageLayer> userland(const std::string& arch, const std::string& suite,
                                const std::vector<std::string>& packages, const Listener& listener);
  Result<GuestLayer> kernel_source(const std::string& arch, const Listener& listener);
  Result<GuestLayer> init(const std::string& arch);
  Result<GuestLayer> program_layer(const std::filesystem::path& program, const std::string& arch,
                                   const std::string& guest_path);
  Result<void> use_own_cyclictest(const std::string& arch, VmParts& parts);

  const Cache& cache_;
  CommandRunner& commands_;
  std::filesystem::path guests_;
  std::map<std::pair<std::string, std::string>, MetKernel> kernels_;  // by name and arch
  std::map<std::string, PackageLayer> userlands_;                     // by what was asked for
  std::map<std::string, GuestLayer> sources_;                         // by arch
  std::map<std::string, GuestLayer> inits_;                           // by arch
};

}  // namespace rtsweep
