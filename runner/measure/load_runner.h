// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_report.h"
#include "loads/load.h"
#include "runner/base/child_process.h"
#include "runner/measure/trial_spec.h"

namespace rtsweep {

// One load at work: started before the measurement, its work read right before and
// right after it, stopped afterwards.
class LoadRunner {
 public:
  // Starts the load on its CPUs. `scratch` must be a directory of its own.
  static Result<LoadRunner> start(const HostRoot& host, const LoadRegistry& registry,
                                  const LoadSpec& spec, const std::vector<int>& online_cpus,
                                  const std::filesystem::path& scratch);

  // Returns once the load does its work (its counter has moved), or fails with
  // kTimeout or kChildFailed. A load without a counter must merely stay alive.
  Result<void> wait_until_working(std::chrono::seconds timeout);

  void measurement_begins();
  void measurement_ends(double seconds);

  // Stops it and tells what became of it. `duration_s` scales the floor.
  LoadResult stop();

  // Where the memory of its first process lies, when a policy was asked for: the kernel's
  // numa_maps, to be read while it runs. Empty when the kernel does not tell.
  std::string numa_maps() const;

  // What the load printed.
  std::string log() const;

 private:
  struct Reading {
    std::optional<uint64_t> work;
    std::optional<double> cpu_s;
  };

  LoadRunner(const HostRoot& host, const Load& load, const LoadSpec& spec,
             std::filesystem::path scratch)
      : host_(&host), load_(&load), spec_(spec), scratch_(std::move(scratch)) {}

  RunningLoad running() const;
  Reading read_now() const;
  std::optional<std::string> how_it_ended();

  const HostRoot* host_;
  const Load* load_;
  LoadSpec spec_;  // with every option filled in
  std::filesystem::path scratch_;
  std::optional<ChildProcess> child_;  // none: there is nothing to run
  Reading before_;
  LoadResult result_;
};

void to_json(nlohmann::json& json, const LoadResult& load);
void from_json(const nlohmann::json& json, LoadResult& load);

}  // namespace rtsweep
