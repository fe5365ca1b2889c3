// SPDX-License-Identifier: GPL-2.0-or-later

// What a TuningSpec means on a machine. Behind Tuning; include tuning.h instead.

#pragma once

#include <string>
#include <vector>

#include "analysis/tuning_result.h"
#include "runner/host/host_root.h"
#include "runner/host/tuning_spec.h"

namespace rtsweep {

// One file that is to be written.
struct TuningChange {
  std::string setting;  // the plan's key
  std::string file;     // below the HostRoot
  std::string value;
  std::string problem;     // why it cannot be set here; then nothing is written
  bool interrupt = false;  // the kernel may refuse it, and that is no mistake
  bool built_out = false;  // what is to be off is not in this kernel
};

// All changes of the spec's file settings, in the order in which they are to be made; each
// is looked at on the machine first, and nothing is written. A setting that the machine
// does not have is one change with its problem.
std::vector<TuningChange> tuning_changes(const HostRoot& host, const TuningSpec& spec);

namespace tuning {

using Changes = std::vector<TuningChange>;

// Its entries whose name begins with the prefix, sorted; none when it is not there.
std::vector<std::string> entries_of(const HostRoot& host, const std::string& directory,
                                    std::string_view prefix);

void add_problem(Changes& changes, std::string setting, std::string file, std::string value,
                 std::string problem);

void add_governor(const HostRoot& host, const TuningSpec& spec, Changes& changes);
void add_cpu_khz(const HostRoot& host, const TuningSpec& spec, Changes& changes);
void add_idle_states(const HostRoot& host, const TuningSpec& spec, Changes& changes);
void add_gpu_khz(const HostRoot& host, const TuningSpec& spec, Changes& changes);
void add_devfreq_khz(const HostRoot& host, const TuningSpec& spec, Changes& changes);
void add_irq_affinity(const HostRoot& host, const TuningSpec& spec, Changes& changes);

}  // namespace tuning
}  // namespace rtsweep
