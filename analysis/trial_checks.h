// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/capture_result.h"
#include "analysis/console_log.h"
#include "analysis/counters.h"
#include "analysis/cyclictest_output.h"
#include "analysis/run_report.h"
#include "analysis/tracer_result.h"
#include "analysis/tuning_result.h"

namespace rtsweep {

// How a trial ended, as the side that supervises it saw it.
enum class TrialEnding {
  kComplete,          // the measuring code came to its end
  kBootTimeout,       // no sign of the measuring code in its time
  kHung,              // it began, and did not end in its time
  kVmDied,            // the VM ended before the measuring code did
  kInterrupted,       // the user or a killed runner ended it
  kNotDeterministic,  // repetitions in virtual time differ from each other
  kFailed,            // the suite could not do its part: a load did not start, the disk is full
};

// The probe as the plan wants it.
struct PlannedProbe {
  std::string name = "cyclictest";
  int priority = 90;
  int64_t interval_us = 997;  // of every thread: histogram mode has no distance
  int64_t duration_s = 10;
  int64_t histogram_us = 20'000;
  std::optional<int64_t> limit_us;
  std::optional<int64_t> breakpoint_us;  // latencies past it are outliers, with a trace
  std::vector<int> cpus;                 // to be measured; empty: all that were online
  std::string memory = "default";        // numactl policy of the probe: "bind:0"
};

// How the probe's process ended.
struct ProbeEnding {
  int exit_code = 0;
  int signal = 0;
  bool timed_out = false;        // it had to be killed
  bool disk_full = false;        // when it ended, there was no room left where it writes
  std::optional<double> wall_s;  // by the measured machine's clock
};

// Everything that is known of a trial when it is over. Empty is: not known.
struct TrialEvidence {
  TrialEnding ending = TrialEnding::kComplete;
  std::string ending_message;  // the suite's own words, for kFailed and kVmDied
  PlannedProbe planned;
  std::string expected_release;  // uname -r of the kernel that the cell names
  bool expect_rt = true;
  std::string arch;      // Debian's name of the cell's kernel architecture; empty: not asked for
  std::string userland;  // "native", "32-bit"
  std::vector<std::string> boot_parameters;  // that the cell asks for: "numa=fake=2"
  std::optional<MachineFacts> before;
  std::optional<MachineFacts> after;
  std::optional<MeasurementCounters> counters;
  std::string numa_maps;                    // of the probe while it measured
  std::string load_memory = "default";      // numactl policy of the loads
  std::vector<std::string> load_numa_maps;  // of each load
  std::optional<ProbeEnding> probe;
  std::optional<CyclictestRun> json;                // what the probe wrote with --json
  std::optional<CyclictestRun> text;                // what it printed
  std::optional<TracerResult> tracer;               // of a probe in the kernel, instead of both
  std::string unreadable;                           // why either could not be read
  bool tuned = false;                               // the cell asks for tuning
  std::optional<std::vector<TuningResult>> tuning;  // what became of it
  std::vector<LoadResult> loads;
  std::optional<CaptureResult> capture;  // of the traces of outliers
  std::vector<ConsoleFinding> console;
  std::vector<std::string> kernel_log;  // the kernel's messages of the trial
  // How long a VM with a real clock was stopped, or kept waiting for a CPU, by its host.
  std::optional<double> paused_s;
  std::optional<double> waited_s;
};

// Everything that is wrong with a trial, the cause before its consequences; see
// reason_catalogue.h for the codes. Empty: measured as planned, within the limit.
//
// Cycles: each thread must have counted duration / interval of them, less 1 % (at least
// 5) for start and stop, and less those that its own latencies account for: a wakeup that
// is late by k intervals makes cyclictest skip k cycles. cyclictest's exit code is never
// believed, neither way.
std::vector<Reason> judge_trial(const TrialEvidence& evidence);

// What is wrong with the numbers of a run by themselves, whoever measured it: threads
// that never ran, negative and absurd latencies, a clock too coarse, overflows.
std::vector<Reason> judge_latencies(const CyclictestRun& run);

}  // namespace rtsweep
