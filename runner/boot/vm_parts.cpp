// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_parts.h"

#include <algorithm>
#include <set>

#include "loads/load.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/kernels/kernel_source.h"
#include "runner/kernels/kernel_store.h"
#include "runner/kernels/sha256.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

struct Needs {
  std::set<std::string> packages = {"rt-tests"};
  std::set<std::string> modules;
  bool sd_card = false;
  bool kernel_source = false;
};

Needs needs_of(const Plan& plan, const Cell& cell) {
  Needs needs;
  if (plan.vm_cpufreq) needs.modules.insert("cpufreq-dt");
  for (const std::string& name : load_names(cell)) {
    const Load* load = builtin_loads().find(name);
    if (load == nullptr) continue;  // the plan's check has refused it
    needs.packages.insert(load->guest.packages.begin(), load->guest.packages.end());
    needs.modules.insert(load->guest.modules.begin(), load->guest.modules.end());
    needs.sd_card |= load->guest.sd_card;
    needs.kernel_source |= load->guest.kernel_source;
  }
  const bool places_memory =
      level_of(cell, "probe_memory") != "default" || level_of(cell, "load_memory") != "default";
  if (places_memory) needs.packages.insert("numactl");
  return needs;
}

std::string version_of(const std::vector<PackageId>& packages, std::string_view name) {
  for (const PackageId& package : packages) {
    if (package.name == name) return package.name + " " + package.version;
  }
  return "";
}

}  // namespace

Result<Kernel> VmPartsStore::find_or_fetch(const Plan& plan, const std::string& name,
                                           const std::string& arch) {
  if (const auto own = plan.kernels.find(name); own != plan.kernels.end()) {
    return kernel_by_path({.name = name,
                           .arch = own->second.arch,
                           .image = own->second.image,
                           .modules = own->second.modules,
                           .config = own->second.config});
  }
  RTSWEEP_TRY(const std::vector<KernelEntry> known, read_kernels());
  RTSWEEP_TRY(const KernelEntry entry, find_kernel(known, name, arch));
  return fetch_kernel(cache_, commands_, entry);
}

Result<VmPartsStore::MetKernel> VmPartsStore::kernel(const Plan& plan, const Cell& cell,
                                                     const Listener& listener) {
  const std::pair key(level_of(cell, "kernel"), kernel_arch(plan, cell));
  if (const auto met = kernels_.find(key); met != kernels_.end()) return met->second;
  listener("kernel " + key.first + " for " + key.second);
  RTSWEEP_TRY(Kernel found, find_or_fetch(plan, key.first, key.second));
  RTSWEEP_TRY(std::string sha, sha256_of_file(found.image));
  return kernels_.emplace(key, MetKernel{std::move(found), std::move(sha)}).first->second;
}

Result<PackageLayer> VmPartsStore::userland(const std::string& arch, const std::string& suite,
                                            const std::vector<std::string>& packages,
                                            const Listener& listener) {
  const std::string key = arch + " " + suite + " " + join(packages, " ");
  if (const auto made = userlands_.find(key); made != userlands_.end()) return made->second;
  listener("userland for " + arch + ": " + join(packages, " "));
  RTSWEEP_TRY(
      PackageLayer layer,
      package_layer(cache_, commands_, {.arch = arch, .suite = suite, .packages = packages}));
  return userlands_.emplace(key, std::move(layer)).first->second;
}

Result<GuestLayer> VmPartsStore::kernel_source(const std::string& arch, const Listener& listener) {
  if (const auto made = sources_.find(arch); made != sources_.end()) return made->second;
  listener("kernel source for builds on " + arch + " (about a minute)");
  Archive archive(cache_, commands_);
  RTSWEEP_TRY(const std::vector<Deb> debs,
              archive.fetch({.suite = "bookworm",
                             .arch = arch,
                             .packages = {std::string(kKernelSourcePackage)},
                             .with_dependencies = false}));
  RTSWEEP_TRY(GuestLayer layer, kernel_source_layer(cache_, commands_, arch, debs.front()));
  return sources_.emplace(arch, std::move(layer)).first->second;
}

Result<GuestLayer> VmPartsStore::init(const std::string& arch) {
  if (const auto made = inits_.find(arch); made != inits_.end()) return made->second;
  const fs::path program = guests_ / arch / "rtsweep-guest";
  if (!fs::exists(program)) {
    return Error(Errc::kNotSupported, "no guest program for " + arch + " (" + program.string() +
                                          "): build with -DRTSWEEP_GUESTS=" + arch);
  }
  RTSWEEP_TRY(GuestLayer layer, program_layer(program, arch, "/init"));
  return inits_.emplace(arch, std::move(layer)).first->second;
}

Result<GuestLayer> VmPartsStore::program_layer(const fs::path& program, const std::string& arch,
                                               const std::string& guest_path) {
  RTSWEEP_TRY(const std::string sha, sha256_of_file(program));
  const GuestFile files[] = {{.path = guest_path, .from = program, .content = {}, .mode = 0755}};
  const fs::path file = cache_.path("programs/" + arch + "-" + sha.substr(0, 16) + ".cpio");
  RTSWEEP_CHECK_OK(make_directories(file.parent_path()));
  return file_layer(files, file);
}

// A cyclictest built from source takes the place of the package's.
Result<void> VmPartsStore::use_own_cyclictest(const std::string& arch, VmParts& parts) {
  const fs::path program = guests_ / arch / "cyclictest";
  if (!fs::exists(program)) return {};
  RTSWEEP_TRY(const GuestLayer layer, program_layer(program, arch, "/usr/bin/cyclictest"));
  parts.layers.push_back(layer);
  parts.probe_package = "built from source";
  RTSWEEP_TRY(parts.probe_sha256, sha256_of_file(program));
  return {};
}

Result<VmParts> VmPartsStore::parts(const Plan& plan, const Cell& cell, const Listener& listener) {
  const Needs needs = needs_of(plan, cell);
  const std::string arch = userland_arch(plan, cell);
  VmParts parts{.sd_card = needs.sd_card};

  RTSWEEP_TRY(MetKernel met, kernel(plan, cell, listener));
  parts.kernel = std::move(met.kernel);
  parts.kernel_sha256 = std::move(met.sha256);
  const std::vector<std::string> packages(needs.packages.begin(), needs.packages.end());
  RTSWEEP_TRY(const PackageLayer base, userland(arch, plan.rt_tests, packages, listener));
  parts.layers.push_back(base.layer);
  parts.probe_package = version_of(base.packages, "rt-tests");
  RTSWEEP_TRY(parts.probe_sha256, sha256_in_layer(base.layer, "/usr/bin/cyclictest"));
  RTSWEEP_CHECK_OK(use_own_cyclictest(arch, parts));
  if (needs.kernel_source) {
    RTSWEEP_TRY(const GuestLayer source, kernel_source(arch, listener));
    parts.layers.push_back(source);
  }
  const std::vector<std::string> names(needs.modules.begin(), needs.modules.end());
  RTSWEEP_TRY(const ModuleLayer modules, module_layer(cache_, parts.kernel, names));
  parts.layers.push_back(modules.layer);
  parts.modules = modules.modules;
  RTSWEEP_TRY(const GuestLayer init_layer, init(arch));
  parts.layers.push_back(init_layer);
  return parts;
}

// Of a kernel without its configuration nothing is known.
static std::map<std::string, std::string> options_of(const Kernel& kernel) {
  if (kernel.config.empty()) return {};
  const auto config = read_file(kernel.config);
  return config ? latency_options(*config) : std::map<std::string, std::string>();
}

std::vector<KernelResult> VmPartsStore::kernels() const {
  std::vector<KernelResult> met;
  for (const auto& [key, entry] : kernels_) {
    met.push_back({.name = entry.kernel.name,
                   .arch = entry.kernel.arch,
                   .release = entry.kernel.release,
                   .package = entry.kernel.package,
                   .image_sha256 = entry.sha256,
                   .rt = entry.kernel.rt,
                   .options = options_of(entry.kernel)});
  }
  return met;
}

}  // namespace rtsweep
