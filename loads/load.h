// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// What a load may know of the trial that it runs beside.
struct LoadContext {
  const HostRoot& host;
  std::vector<int> cpus;               // where the load may run; never empty
  std::filesystem::path scratch;       // a directory of its own, removed after the trial
  std::map<std::string, std::string> options;  // every declared option, defaults filled in
  std::string machine;                 // uname -m of the measured machine
};

// A load that has been started.
struct RunningLoad {
  const HostRoot& host;
  pid_t group;                         // process group of all its processes
  std::filesystem::path log;           // its standard output and error
  std::filesystem::path scratch;
  const std::map<std::string, std::string>& options;
};

// An option that a plan may set under [loads.NAME].
struct LoadOption {
  std::string_view name;
  std::string_view fallback;           // the default; "" means that the load decides
  std::string_view help;
};

// What a guest needs to run the load.
struct GuestNeeds {
  std::vector<std::string_view> packages;  // Debian packages
  std::vector<std::string_view> modules;   // kernel modules, by name
  bool sd_card = false;                    // an emulated SD card behind sdhci
  bool kernel_source = false;              // a configured kernel source tree and its compiler
};

// A background load: what keeps the machine busy while the probe measures. The
// runner starts it, pins it, reads its work, watches it and stops it; a load only
// says what to run and how its work is counted.
struct Load {
  std::string_view name;       // as the plan and the report spell it
  std::string_view exercises;  // the kernel paths it keeps busy, for the report
  std::vector<std::string_view> programs;  // all must be in PATH
  std::string_view unit;       // of its work; "" when it does none (idle)
  double floor_per_s = 0;      // work per second below which a trial is INVALID
  std::vector<LoadOption> options;
  GuestNeeds guest;

  // Argument vector, or why this host cannot run it. Empty: there is nothing to run.
  Result<std::vector<std::string>> (*arguments)(const LoadContext&) = nullptr;

  // Work done since the load started. Read right before and right after the
  // measurement; must not wake the measured CPUs for long. Null: no counter.
  Result<uint64_t> (*work)(const RunningLoad&) = nullptr;

  // Unit of the work under these options, where it depends on them. Null: `unit`.
  std::string (*unit_of)(const std::map<std::string, std::string>& options) = nullptr;

  // Work told by the load itself when it has ended, and a sentence for the report
  // ("1,234 MB/s"). Null: nothing to tell. Given the whole log.
  std::optional<std::string> (*note)(std::string_view log) = nullptr;

  // Signal that asks it to end and to report.
  int stop_signal = 15;
};

// The unit of the load's work under these options; "" when it does none.
std::string work_unit(const Load& load, const std::map<std::string, std::string>& options);

class LoadRegistry {
 public:
  // Adds a load; false if the name is taken.
  bool add(const Load& load) { return loads_.emplace(load.name, load).second; }

  const Load* find(std::string_view name) const {
    const auto it = loads_.find(name);
    return it == loads_.end() ? nullptr : &it->second;
  }

  std::vector<std::string> names() const;  // sorted

 private:
  std::map<std::string_view, Load, std::less<>> loads_;
};

// The loads of this build: one per file in loads/.
LoadRegistry& builtin_loads();

struct BuiltinLoad {
  explicit BuiltinLoad(const Load& load) { builtin_loads().add(load); }
};

}  // namespace rtsweep
