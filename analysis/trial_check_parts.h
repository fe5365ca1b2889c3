// SPDX-License-Identifier: GPL-2.0-or-later

// The groups of checks behind judge_trial(). Include trial_checks.h instead.

#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/trial_checks.h"

namespace rtsweep::checks {

using Reasons = std::vector<Reason>;

// The facts to compare with what was asked for: those of before the measurement, or of
// after it where there are no others. Null when the machine said nothing.
const MachineFacts* facts_of(const TrialEvidence& evidence);

// Requested is not effective: each level is compared with its read-back.
void check_kernel(const TrialEvidence& evidence, Reasons& reasons);
void check_bitness(const TrialEvidence& evidence, Reasons& reasons);
void check_boot_parameters(const TrialEvidence& evidence, Reasons& reasons);
void check_memory_policy(const TrialEvidence& evidence, Reasons& reasons);

void check_tuning(const TrialEvidence& evidence, Reasons& reasons);
void check_tuning_was_undone(const TrialEvidence& evidence, Reasons& reasons);

// Options that make a kernel a debug_kernel, without CONFIG_. `rtsweep check` has a rule for
// each of them in kernel-configs/rt-rules.toml.
std::span<const std::string_view> debug_options();

// What the machine is like, and whether it stayed so.
void check_kernel_options(const TrialEvidence& evidence, Reasons& reasons);
void check_what_changed(const TrialEvidence& evidence, Reasons& reasons);
void check_governors(const TrialEvidence& evidence, Reasons& reasons);

// What happened while the probe measured, by the kernel's counters and messages.
void check_counters(const TrialEvidence& evidence, Reasons& reasons);
void check_host(const TrialEvidence& evidence, Reasons& reasons);

// The run to judge: JSON, which is exact, before text. Null when there is none.
const CyclictestRun* run_of(const TrialEvidence& evidence);

// The traces of outliers, where the plan has a breakpoint.
void check_capture(const TrialEvidence& evidence, Reasons& reasons);

void check_agreement(const TrialEvidence& evidence, Reasons& reasons);
void check_cycles(const TrialEvidence& evidence, const CyclictestRun& run, Reasons& reasons);
// No latency can be longer than the run; a `duration_s` of 0 is not known.
void check_latencies(const CyclictestRun& run, int64_t duration_s, Reasons& reasons);
void check_overflows(const CyclictestRun& run, std::optional<int64_t> limit_us, Reasons& reasons);
// What a tracer of the kernel can get wrong: lost records, samples before their time or longer
// than the trial, CPUs without any, a loop that did not spin.
void check_tracer(const TracerResult& result, const PlannedProbe& planned, Reasons& reasons);
// hwlat counts gaps, and the best machine has none.
inline bool is_without_cycles(const PlannedProbe& planned) { return planned.name == "hwlat"; }
void check_limit(const TrialEvidence& evidence, const CyclictestRun& run, Reasons& reasons);

}  // namespace rtsweep::checks
