// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/measure/probe.h"
#include "runner/measure/trial_spec.h"

namespace rtsweep {

// How cyclictest is called: one SCHED_FIFO thread a CPU, pinned, memory locked, all
// with the same interval (histogram mode forces distance 0), for a time rather than a
// number of loops. It holds /dev/cpu_dma_latency at 0 by itself. JSON goes to `json`,
// the text histogram to its standard output.
std::vector<std::string> cyclictest_arguments(const ProbeSpec& probe, const std::vector<int>& cpus,
                                              const std::filesystem::path& json);

// What makes cyclictest print the exact value and time of every sample past the breakpoint; with
// `end_at_one`, it ends at the first.
std::vector<std::string> breakpoint_arguments(int64_t breakpoint_us, bool end_at_one);

// numactl and its arguments, to stand before a command: "bind:0" is --membind=0,
// "preferred:1" --preferred=1, "interleave:all" --interleave=all, "local"
// --localalloc; "default" is nothing at all.
Result<std::vector<std::string>> numactl_prefix(const std::string& policy);

std::unique_ptr<Probe> make_cyclictest(const ProbeContext& context);

}  // namespace rtsweep
