// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/simulation/latency_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/distributions.h"

namespace rtsweep::simulation {
namespace {

constexpr double kBodyOffset = 3;
constexpr double kBodyMedian = 4;
constexpr double kBodySigma = 0.35;

// The quantile of order u of the largest of a minute's wakeups: that of order u^(1/n) of one.
double body_maximum(double u) {
  const double above = -std::expm1(std::log(u) / kWakeupsPerMinute);
  return kBodyOffset + kBodyMedian * std::exp(-kBodySigma * statistics::normal_quantile(above));
}

double body_survival(double latency) {
  if (latency <= kBodyOffset) return 1;
  return statistics::normal_upper(std::log((latency - kBodyOffset) / kBodyMedian) / kBodySigma);
}

}  // namespace

LatencyModel mixture_model() {
  return {
      .name = "mixture",
      .classes = {{30, 12, 4, 0, false}, {1, 25, 8, 0.05, true}, {1.0 / 30, 45, 12, 0.1, true}}};
}

LatencyModel quiet_model() {
  return {
      .name = "quiet, bounded tail",
      .classes = {{30, 8, 2, -0.2, false}, {1, 14, 3, -0.2, true}, {1.0 / 30, 20, 4, -0.2, true}},
      .run_scatter = 0.04,
      .cell_scatter = 0,
      .rate_scatter = 0.3};
}

LatencyModel heavy_model() {
  return {
      .name = "heavy tail",
      .classes = {{30, 12, 4, 0.1, false}, {1, 25, 8, 0.25, true}, {1.0 / 30, 45, 15, 0.35, true}},
      .cell_scatter = 0};
}

LatencyModel one_tail_model() {
  return {.name = "one tail", .classes = {{30, 12, 8, 0.05, true}}, .body = false};
}

LatencyModel bounded_tail_model() {
  return {.name = "bounded tail", .classes = {{30, 12, 8, -0.2, true}}, .body = false};
}

BodyMaximum::BodyMaximum() {
  for (size_t i = 1; i < kSteps; ++i) {
    upper_.push_back(body_maximum(static_cast<double>(i) / kSteps));
  }
  upper_.push_back(std::numeric_limits<double>::infinity());
}

double BodyMaximum::larger_of(double other, Random& random) const {
  const double u = random.uniform();
  if (other >= upper_[static_cast<size_t>(u * kSteps)]) return other;
  return std::max(other, body_maximum(u));
}

double pareto_survival(const EventClass& events, double excess) {
  if (excess <= 0) return 1;
  if (events.shape == 0) return std::exp(-excess / events.scale);
  const double base = 1 + events.shape * excess / events.scale;
  return base > 0 ? std::pow(base, -1 / events.shape) : 0;
}

double pareto_excess(const EventClass& events, double probability) {
  if (events.shape == 0) return -events.scale * std::log(probability);
  return events.scale / events.shape * (std::pow(probability, -events.shape) - 1);
}

std::vector<double> minute_maxima(const LatencyModel& model, const Change& change,
                                  const RunEffect& effect, size_t minutes, Random& random) {
  static const BodyMaximum body;
  const double slower = std::exp(effect.latency);
  const double more = std::exp(effect.rate);
  std::vector<double> maxima;
  maxima.reserve(minutes);
  for (size_t minute = 0; minute < minutes; ++minute) {
    double most = 0;
    for (const EventClass& events : model.classes) {
      // The largest of a Poisson number of excesses is below y with exp(-rate S(y)): one draw.
      const double above = -std::log(random.uniform());
      const double rate = events.per_minute * (events.varies ? more : 1);
      if (above >= rate) continue;  // none came
      const double factor = change.tail * (&events == &model.classes.back() ? change.rare_path : 1);
      most = std::max(most, factor * (events.offset + pareto_excess(events, above / rate)));
    }
    if (model.body) most = body.larger_of(most, random);
    maxima.push_back(std::floor(most * slower));
  }
  return maxima;
}

double rate_above(const LatencyModel& model, double latency) {
  double rate = model.body ? kWakeupsPerMinute * body_survival(latency) : 0;
  for (const EventClass& events : model.classes) {
    rate += events.per_minute * pareto_survival(events, latency - events.offset);
  }
  return rate;
}

double level_exceeded_once_in(const LatencyModel& model, double minutes) {
  double lower = 0;
  double upper = 1e6;
  while (upper - lower > 1e-9 * upper) {
    const double middle = (lower + upper) / 2;
    (rate_above(model, middle) > 1 / minutes ? lower : upper) = middle;
  }
  return (lower + upper) / 2;
}

}  // namespace rtsweep::simulation
