// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/virtual/guest_symbols.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "loads/load.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/boot/vm_results.h"
#include "runner/boot/vm_target.h"
#include "runner/kernels/cache.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr char kFile[] = "kallsyms";

// The loads that bring modules with them.
std::vector<std::string> loads_with_modules(const Cell& cell) {
  std::vector<std::string> names;
  for (const std::string& name : load_names(cell)) {
    const Load* load = builtin_loads().find(name);
    if (load != nullptr && !load->guest.modules.empty()) names.push_back(name);
  }
  return names;
}

// A plan that reads the symbols while it measures for a second.
Plan reading_plan(const Plan& plan) {
  Plan reading = plan;
  reading.probe = "cyclictest";
  reading.duration_s = 1;
  reading.capture = {};
  reading.tuning = {};
  reading.loads["command"] = {
      .options = {{"run", "cat /proc/kallsyms; exec sleep 100000"}}, .cpus = {}, .floor_per_s = {}};
  return reading;
}

Result<std::string> read_in_guest(const RunDirectory& run, const PlannedTrial& trial,
                                  const std::vector<std::string>& loads, const fs::path& guests,
                                  const fs::path& scratch, const std::atomic<bool>& stop,
                                  const Listener& listener) {
  const Plan plan = reading_plan(run.plan());
  PlannedTrial reading{.id = 1, .cell = trial.cell, .seed = trial.seed};
  std::vector<std::string> names = loads;
  names.emplace_back("command");
  reading.cell["load"] = join(names, "+");
  listener("reading the kernel's symbols in a guest");
  VmTarget target(guests);
  RTSWEEP_CHECK_OK(make_directories(scratch));
  RTSWEEP_CHECK_OK(target.prepare(plan, {&reading, 1}, listener));
  RTSWEEP_CHECK_OK(target.measure(plan, reading, scratch, stop, [](std::string_view) {}));
  const fs::path log = scratch / fmt::format("load-{}.log", loads.size());
  if (fs::exists(log)) return read_file(log);
  return Error(Errc::kBadData,
               "the guest that reads the kernel's symbols did not come to its end: " +
                   (scratch / kConsoleFile).string());
}

// What the addresses depend on.
Result<std::string> cache_name(const fs::path& trial, const std::vector<std::string>& loads) {
  RTSWEEP_TRY(const std::string text, read_file(trial / kIdentityFile));
  const auto identity = nlohmann::json::parse(text, nullptr, false);
  if (!identity.is_object() || !identity.contains("kernel_sha256")) {
    return Error(Errc::kBadData, (trial / kIdentityFile).string() + ": no kernel_sha256 in it");
  }
  const auto sha = identity.at("kernel_sha256").get<std::string>();
  return fmt::format("symbols/{}-{}", sha.substr(0, 16), loads.empty() ? "none" : join(loads, "+"));
}

}  // namespace

Result<KernelSymbols> guest_symbols(const RunDirectory& run, const PlannedTrial& trial,
                                    const fs::path& guests, const fs::path& scratch,
                                    const std::atomic<bool>& stop, const Listener& listener) {
  const std::vector<std::string> loads = loads_with_modules(trial.cell);
  RTSWEEP_TRY(const std::string name, cache_name(run.trial_directory(trial), loads));
  RTSWEEP_TRY(const Cache cache, Cache::open());
  RTSWEEP_TRY(const fs::path directory,
              cache.directory(name, [&](const fs::path& made) -> Result<void> {
                RTSWEEP_TRY(const std::string text,
                            read_in_guest(run, trial, loads, guests, scratch, stop, listener));
                RTSWEEP_CHECK_OK(KernelSymbols::parse(text));
                return write_file_durably(made / kFile, text);
              }));
  RTSWEEP_TRY(const std::string text, read_file(directory / kFile));
  return KernelSymbols::parse(text);
}

}  // namespace rtsweep
