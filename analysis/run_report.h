// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/correlate.h"
#include "analysis/counters.h"
#include "analysis/latency_histogram.h"
#include "analysis/load_phase.h"
#include "analysis/machine_facts.h"
#include "analysis/trace/timeline_picture.h"
#include "analysis/verdict.h"

namespace rtsweep {

// One combination of levels: factor name -> level.
using Cell = std::map<std::string, std::string>;

// What one CPU's measuring thread saw.
struct CpuResult {
  int cpu = -1;
  std::string kind;               // of the kernel's tracers: "thread", "irq"; "" of cyclictest
  uint64_t cycles = 0;            // samples, overflows included
  std::optional<int64_t> min_us;  // empty: the thread never ran
  std::optional<double> avg_us;
  std::optional<int64_t> max_us;  // exact even when it overflowed the histogram
  LatencyHistogram histogram{Latency(0)};
  std::map<std::string, uint64_t> interruptions;  // of osnoise: how many by whom
};

// What became of one load during one trial.
struct LoadResult {
  std::string name;
  bool alive = false;             // still running when the measurement ended
  std::optional<double> work;     // done during the measurement; empty: not countable
  std::string unit;               // of work: "messages", "objects", "bytes", "bogo-ops"
  std::optional<double> floor;    // work below this makes the trial INVALID
  std::optional<double> cpu_s;    // CPU time of the load during the measurement
  std::string ended;              // how it ended, when it ended by itself
  std::string note;               // what the load says of itself, e.g. its bandwidth
  std::vector<LoadPhase> phases;  // what it was doing when, where it tells
};

struct OutlierResult {
  int64_t latency_us = 0;
  int cpu = -1;
  std::string trace;  // file in the trial's directory
  std::string cause;
};

struct TrialResult {
  int id = 0;  // as in the plan's order, from 1
  Cell cell;
  int repetition = 1;
  Verdict verdict = Verdict::kError;
  std::vector<Reason> reasons;
  std::string probe;          // "cyclictest"
  std::string probe_version;  // as it prints it
  std::string probe_sha256;   // of the program that measured
  bool virtual_clock = false;
  std::optional<double> ns_per_instruction;  // virtual clock only
  double duration_s = 0;                     // planned, by the measured machine's clock
  std::optional<int64_t> limit_us;
  std::vector<CpuResult> cpus;  // empty when nothing was measured
  std::vector<CpuResult> other_kinds;  // what a tracer measured besides: timerlat's "irq"
  std::vector<LoadResult> loads;
  std::vector<OutlierResult> outliers;
  std::vector<std::optional<TimelinePicture>> timelines;  // of the outliers, in their order
  std::vector<Correlation> correlations;                  // what the hits have in common
  std::optional<MachineFacts> facts;  // after the measurement; before it if it never ended
  std::optional<MeasurementCounters> counters;
  std::string directory;       // relative to the run directory
  std::string console_tail;    // last lines of the console, for ERROR
  std::string started, ended;  // ISO 8601, host clock; empty: did not
  double wall_s = 0;           // host time, boot included

  // All CPUs together. Values of an INVALID or ERROR trial are shown but never used.
  LatencyHistogram merged() const;
  uint64_t samples() const;
  std::optional<int64_t> min_us() const;
  std::optional<double> avg_us() const;  // weighted by cycles
  std::optional<int64_t> max_us() const;

  bool usable() const { return verdict == Verdict::kPass || verdict == Verdict::kFail; }
};

struct KernelResult {
  std::string name;     // as the plan spells it: "6.1-rt"
  std::string arch;     // Debian's name: "arm64"
  std::string release;  // "6.1.0-50-rt-arm64"
  std::string package;  // "linux-image-6.1.0-50-rt-arm64 6.1.176-1"; empty: by path
  std::string image_sha256;
  std::optional<bool> rt;                      // by its own config
  std::map<std::string, std::string> options;  // of its config: see latency_options()
};

// Everything that a report can say of a run; made from the run directory alone.
struct RunReport {
  std::string name;  // the plan's
  std::string run;   // the directory's name
  std::string rtsweep_version;
  std::string target;                                      // "vm", "local"
  std::string plan_text;                                   // the plan file as given
  std::vector<std::string> factors;                        // names, in the plan's order
  std::map<std::string, std::vector<std::string>> levels;  // in the plan's order
  std::vector<KernelResult> kernels;
  std::vector<TrialResult> trials;  // in the order of measurement
  std::string host;                 // "Intel Xeon ..., 2 CPUs, Linux 6.18"; no host name
  std::string emulator;             // "QEMU emulator version 7.2.22 (Debian ...)"
  std::string started, ended;       // ended empty: the run is not complete
  int planned = 0;                  // trials in the plan, impossible ones left out
  std::vector<std::pair<Cell, std::string>> impossible;  // and why
};

// The quantiles that every report shows, in parts per million: p50 ... p99.9999.
inline constexpr uint64_t kReportQuantilesPpm[] = {500'000, 900'000, 990'000, 999'000,
                                                   999'900, 999'990, 999'999};

// 999'900 is "p99.99".
std::string quantile_name(uint64_t ppm);

}  // namespace rtsweep
