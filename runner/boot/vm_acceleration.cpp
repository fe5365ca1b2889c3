// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_acceleration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "runner/base/files.h"
#include "runner/boot/vm_results.h"
#include "runner/boot/vm_watch.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// With KVM a boot takes seconds; a guest that has not come by then never will.
constexpr VmTimeouts kTimeouts{.boot = 30s, .trial = 60s, .after_death = 1s};

// KVM runs guests of the host's own architecture and of its 32-bit companion.
bool same_family(std::string_view guest, std::string_view host) {
  return guest == host || (guest == "i386" && host == "amd64") ||
         (guest == "armhf" && host == "arm64");
}

Result<VmConfig> first_boot(const VmParts& parts, const fs::path& directory) {
  RTSWEEP_TRY(const VmModel model, vm_model(parts.kernel.arch));
  TrialSpec spec;
  spec.probe.duration_s = 1;
  const GuestFile files[] = {{.path = "/etc/rtsweep/trial.json",
                              .from = {},
                              .content = nlohmann::json(spec).dump(),
                              .mode = 0644}};
  RTSWEEP_TRY(const GuestLayer own, file_layer(files, directory / "trial.cpio"));
  std::vector<GuestLayer> layers = parts.layers;
  layers.push_back(own);
  RTSWEEP_CHECK_OK(concatenate_layers(layers, directory / "initrd.cpio"));
  return VmConfig{.model = model,
                  .kernel = parts.kernel.image,
                  .initrd = directory / "initrd.cpio",
                  .cmdline = "",
                  .memory_mib = 1024,
                  .clock = VmClock::kReal,
                  .accelerator = "kvm",
                  .sd_card = {},
                  .console = directory / kConsoleFile,
                  .results = directory / kResultsFile};
}

Result<bool> boots_with_kvm(const VmParts& parts, const fs::path& directory) {
  RTSWEEP_CHECK_OK(make_directories(directory));
  RTSWEEP_TRY(const VmConfig config, first_boot(parts, directory));
  const std::atomic<bool> stop = false;
  RTSWEEP_TRY(const TrialEnd end,
              watch_vm(config, kTimeouts, directory / "qemu.log", stop, [](std::string_view) {}));
  return end.kind == TrialEnd::Kind::kComplete;
}

}  // namespace

Result<std::string> proved_accelerator(const Cache& cache, const VmParts& parts) {
  if (!same_family(parts.kernel.arch, host_architecture()) ||
      ::access("/dev/kvm", R_OK | W_OK) != 0) {
    return std::string("tcg");
  }
  const fs::path directory = cache.path(fmt::format("kvm-proof-{}", ::getpid()));
  const auto boots = boots_with_kvm(parts, directory);
  std::error_code ec;
  fs::remove_all(directory, ec);
  if (!boots) return boots.error();
  return std::string(*boots ? "kvm" : "tcg");
}

}  // namespace rtsweep
