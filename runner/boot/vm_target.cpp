// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_target.h"

#include <nlohmann/json.hpp>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/boot/vm_acceleration.h"
#include "runner/boot/vm_cpufreq.h"
#include "runner/boot/vm_repeat.h"
#include "runner/boot/vm_results.h"
#include "runner/boot/vm_watch.h"
#include "runner/measure/trial_sink.h"
#include "runner/plan/expected_time.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Kind = TrialEnd::Kind;

// What must be equal for two results to be of the same experiment.
json identity(const Plan& plan, const PlannedTrial& trial, const VmConfig& config,
              const VmParts& parts, const std::string& initrd_sha, const std::string& emulator) {
  json j = {{"emulator", emulator},
            {"machine", config.model.machine},
            {"cpu", config.model.cpu},
            {"cpus", config.cpus},
            {"memory_mib", config.memory_mib},
            {"clock", plan.virtual_clock ? "virtual" : "real"},
            {"seed", trial.seed},
            {"cmdline", vm_cmdline(config)},
            {"kernel", parts.kernel.release},
            {"kernel_sha256", parts.kernel_sha256},
            {"initrd_sha256", initrd_sha},
            {"probe_package", parts.probe_package},
            {"probe_sha256", parts.probe_sha256},
            {"argv", qemu_arguments(config)}};
  if (plan.virtual_clock) {
    j["ns_per_instruction"] = kNsPerInstruction;
    j["record"] = config.record;
  } else {
    j["accelerator"] = config.accelerator;
  }
  return j;
}

Result<void> write_end(const fs::path& directory, const TrialEnd& end) {
  return write_file_durably(directory / kEndFile, json(end).dump(2) + "\n");
}

}  // namespace

int VmTarget::jobs(const Plan& plan) const {
  return parallel_jobs(plan, static_cast<int>(std::thread::hardware_concurrency()));
}

Result<std::vector<KernelResult>> VmTarget::prepare(const Plan& plan,
                                                    std::span<const PlannedTrial> trials,
                                                    const Listener& listener) {
  RTSWEEP_TRY(Cache cache, Cache::open());
  cache_.emplace(std::move(cache));
  store_ = std::make_unique<VmPartsStore>(*cache_, commands_, guests_);
  for (const PlannedTrial& trial : trials) {
    if (parts_.contains(trial.cell)) continue;
    // One cell that cannot be made must not keep the others from being measured.
    parts_.emplace(trial.cell, store_->parts(plan, trial.cell, listener));
    const auto model = vm_model(kernel_arch(plan, trial.cell));
    if (!model || !emulator_.empty()) continue;
    const auto version = commands_.run({std::string(model->program), "--version"});
    if (version) emulator_ = split(*version, '\n').front();
  }
  if (!plan.virtual_clock) {
    for (const auto& [cell, parts] : parts_) {
      if (!parts || accelerators_.contains(parts->kernel.arch)) continue;
      listener("proving acceleration for " + parts->kernel.arch);
      RTSWEEP_TRY(accelerators_[parts->kernel.arch], proved_accelerator(*cache_, *parts));
    }
  }
  return store_->kernels();
}

Result<VmConfig> VmTarget::configure(const Plan& plan, const PlannedTrial& trial,
                                     const VmParts& parts, const fs::path& directory) const {
  const fs::path scratch = directory / kScratchDirectory;
  RTSWEEP_CHECK_OK(make_directories(scratch));
  RTSWEEP_TRY(const VmModel model, vm_model(parts.kernel.arch));
  VmConfig config{.model = model,
                  .kernel = parts.kernel.image,
                  .initrd = scratch / "initrd.cpio",
                  .cmdline = level_of(trial.cell, "cmdline"),
                  .memory_mib = plan.vm_memory_mib,
                  .cpus = plan.vm_cpus,
                  .clock = plan.virtual_clock ? VmClock::kVirtual : VmClock::kReal,
                  .record = record_works(parts.kernel.arch, parts.kernel.release),
                  .seed = trial.seed,
                  .plugin = plugin_,
                  .console = directory / kConsoleFile,
                  .results = directory / kResultsFile};
  if (const auto proved = accelerators_.find(parts.kernel.arch); proved != accelerators_.end()) {
    config.accelerator = proved->second;
  }
  if (plan.vm_cpufreq) {
    config.device_tree = scratch / "machine.dtb";
    SystemCommands commands;
    RTSWEEP_CHECK_OK(write_device_tree_with_cpufreq(config, commands, config.device_tree));
  }
  TrialSpec spec = trial_spec(plan, trial);
  spec.modules = parts.modules;
  std::vector<GuestFile> files;
  for (const fs::path& module : own_modules_) {
    const std::string path = "/etc/rtsweep/" + module.filename().string();
    files.push_back({.path = path, .from = module, .content = {}, .mode = 0644});
    spec.modules.push_back(path);
  }
  files.push_back(
      {.path = "/etc/rtsweep/trial.json", .from = {}, .content = json(spec).dump(2), .mode = 0644});
  RTSWEEP_TRY(const GuestLayer own, file_layer(files, scratch / "trial.cpio"));
  std::vector<GuestLayer> layers = parts.layers;
  layers.push_back(own);
  RTSWEEP_TRY(const GuestLayer initrd, concatenate_layers(layers, config.initrd));
  if (parts.sd_card) config.sd_card = scratch / "sd.raw";
  const json made = identity(plan, trial, config, parts, initrd.sha256, emulator_);
  RTSWEEP_CHECK_OK(write_file_durably(directory / kIdentityFile, made.dump(2) + "\n"));
  return config;
}

Result<void> VmTarget::measure(const Plan& plan, const PlannedTrial& trial,
                               const fs::path& directory, const std::atomic<bool>& stop,
                               const Listener& listener) {
  const Result<VmParts>& parts = parts_.at(trial.cell);
  if (!parts) {
    return write_end(directory, {.kind = Kind::kFailed, .message = parts.error().message()});
  }
  RTSWEEP_TRY(VmConfig config, configure(plan, trial, *parts, directory));
  const VmTimeouts timeouts{.boot = plan.boot_timeout, .trial = plan.trial_timeout};
  const bool single = !plan.virtual_clock || config.record;
  TrialEnd end;
  if (single) {
    RTSWEEP_CHECK_OK(make_sd_card(config.sd_card));
    RTSWEEP_TRY(end, watch_vm(config, timeouts, directory / "qemu.log", stop, listener));
  } else {
    RTSWEEP_TRY(end, run_until_two_agree(config, timeouts, directory, stop, listener));
  }
  std::error_code ec;
  fs::remove_all(directory / kScratchDirectory, ec);
  RTSWEEP_CHECK_OK(unpack_results(directory));
  return write_end(directory, end);
}

}  // namespace rtsweep
