// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/gev.h"

// The latency exceeded once per hour, or once per day: an extrapolation, given only when the data
// allow one, and never a bound.
namespace rtsweep::statistics {

struct TailData {
  // Of each run (one boot each), the maxima of its intervals in their order, as bucket floors.
  std::vector<std::vector<double>> runs;
  double width = 1;  // of a bucket
  double interval_seconds = 60;

  uint64_t omitted = 0;                 // activations skipped and not put back
  bool hardware_latency = false;        // SMI or hwlat events are among the maxima
  bool several_boots_in_a_run = false;  // the run structure is not known
};

struct TailLevel {
  double level = 0;
  Interval interval;  // 95 %, profile likelihood; infinite above when the data leave it open
  double period_seconds = 0;
  double measured_seconds = 0;
  Gev gev;
  double threshold = 0;  // maxima below are known by their number only
  uint64_t maxima = 0;   // at or above the threshold
  double inflation = 1;  // of the variance, by differences between runs

  std::string sentence() const;  // latencies in us
};

// Why no level is given. `code` is stable.
struct Refusal {
  std::string code;
  std::string text;  // one sentence with its number
};

struct TailAnswer {
  std::optional<TailLevel> level;  // only without refusals
  std::vector<Refusal> refusals;

  // What can be said in any case: the rule of three.
  std::string proven;
};

// The level exceeded once in `period_seconds`, from an interval- and left-censored extreme value
// fit, or the reasons against it: too few maxima, drift, dependence, no fit, more than ten times
// the measured time. Never refused for a wide interval: selecting on the width picks the
// underestimates. One run, or five and more (their differences widen the interval).
TailAnswer return_level(const TailData& data, double period_seconds);

// A fit's threshold is the lowest of these quantiles of the maxima at which the fit holds.
struct CheckedFit {
  GevFit fit;
  GroupedMaxima maxima;
};
std::optional<CheckedFit> fit_with_threshold(const std::vector<double>& maxima, double width);

// Grouped chi-squared test of a fit: cells of expected max(5, n / 30), degrees cells - 4. 1 when
// there are too few cells to tell.
double goodness_of_fit(const GroupedMaxima& maxima, const Gev& gev);

}  // namespace rtsweep::statistics
