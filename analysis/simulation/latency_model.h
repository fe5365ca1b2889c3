// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/simulation/random.h"

// Machines whose latencies follow a known law, so that it can be counted how often a method is
// right about them. Latencies in us; 1000 wakeups a second.
namespace rtsweep::simulation {

// Events that come by chance (Poisson), each as late as its offset and an excess of generalised
// Pareto law.
struct EventClass {
  double per_minute = 0;
  double offset = 0;
  double scale = 0;
  double shape = 0;
  bool varies = false;  // its rate differs from run to run
};

struct LatencyModel {
  std::string name;
  std::vector<EventClass> classes;
  bool body = true;           // every wakeup takes 3 us and a lognormal of median 4 us, sigma 0.35
  double run_scatter = 0.08;  // of a run's log latencies
  double cell_scatter = 0.3;  // of the log of run_scatter, from cell to cell
  double rate_scatter = 0.4;  // of a run's log rates, of the classes that vary
};

LatencyModel mixture_model();       // timers, locks and rare long paths, all at once
LatencyModel quiet_model();         // the same with short, bounded tails
LatencyModel heavy_model();         // the same with heavy tails
LatencyModel one_tail_model();      // one class, nearly exponential
LatencyModel bounded_tail_model();  // one class with an end

// What a new kernel changed.
struct Change {
  double tail = 1;       // factor on the latency of all events
  double rare_path = 1;  // factor on the latency of the last class alone
};

// What one run differs in from others of its cell; logarithms.
struct RunEffect {
  double latency = 0;
  double rate = 0;
};

// The quantiles of the largest of a minute's wakeups of the body, in steps: most draws then need
// no inverse of the normal distribution.
class BodyMaximum {
 public:
  BodyMaximum();

  // The larger of `other` and the body's maximum in one minute.
  double larger_of(double other, Random& random) const;

 private:
  static constexpr size_t kSteps = 64;
  std::vector<double> upper_;  // quantile of (i + 1) / kSteps
};

inline constexpr double kWakeupsPerMinute = 60'000;

// The largest latency of each minute of a run, as bucket floors of 1 us.
std::vector<double> minute_maxima(const LatencyModel& model, const Change& change,
                                  const RunEffect& effect, size_t minutes, Random& random);

// Expected wakeups per minute later than `latency`, of a run without effects.
double rate_above(const LatencyModel& model, double latency);

// The latency that is exceeded once in `minutes`, of a run without effects.
double level_exceeded_once_in(const LatencyModel& model, double minutes);

// P(excess > y) of a generalised Pareto law; and the y at which it is `probability`.
double pareto_survival(const EventClass& events, double excess);
double pareto_excess(const EventClass& events, double probability);

}  // namespace rtsweep::simulation
