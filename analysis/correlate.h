// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counters.h"

namespace rtsweep {

// A sample past the breakpoint: when the measuring thread had read the clock
// (CLOCK_MONOTONIC), how late it was, and where.
struct LatencyHit {
  int64_t at_us = 0;
  int64_t latency_us = 0;
  int cpu = -1;
};

// What a load was doing for a while: "CC kernel/sched/core.o", "randwrite".
struct LoadPhase {
  std::string name;
  int64_t begin_us = 0;  // CLOCK_MONOTONIC
  int64_t end_us = 0;
};

// What is known of the time of one trial.
struct TrialCourse {
  std::vector<LatencyHit> hits;
  int64_t begin_us = 0;  // of the measurement, CLOCK_MONOTONIC
  int64_t end_us = 0;
  int64_t interval_us = 1000;  // between two samples of a thread
  std::vector<int> cpus;       // that were measured
  std::vector<LoadPhase> phases;
  std::optional<MeasurementCounters> counters;
};

// Something that the hits have in common, with the test that says it is not by chance.
struct Correlation {
  std::string code;  // "period", "load_phase", "cpu", "drift", "bursts"
  std::string text;  // one sentence, with how many hits fit
  std::string test;  // "Rayleigh test over all periods from 10 ms to 60 s"
  double statistic = 0;
  // How likely hits without this pattern would show as much, for all that this test tried.
  double p_value = 1;
  size_t hits = 0;                  // that the test looked at
  std::optional<double> period_ms;  // of "period"
  std::optional<int> cpu;           // of "cpu"
  std::string phase;                // of "load_phase"
  std::vector<std::string> hints;   // what else fits, untested: "irq 24 fired once in a period"
};

struct CorrelateOptions {
  size_t least_hits = 10;  // fewer say nothing
  // Each test may be wrong this often; with the five tests, hits at random times have
  // something said of them in at most 1 % of trials.
  double p_value = 0.002;
  double least_period_ms = 10;
};

// What the hits of a trial have in common: against one another (a period, bursts), against
// the time (more and more of them), the CPUs and the phases of the loads. Hits that follow
// within a few intervals of one another count as one: one cause delays several threads,
// and one thread several times. Nothing is said of fewer than `least_hits` of those.
std::vector<Correlation> correlate(const TrialCourse& course, const CorrelateOptions& options = {});

}  // namespace rtsweep
