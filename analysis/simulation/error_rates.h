// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <string>
#include <vector>

// How often the answers of this program are wrong, counted on simulated machines by the very
// functions that its commands use.
namespace rtsweep::simulation {

// compare: matrices of cells, each cell of so many interleaved pairs of one-hour runs, pairs in
// sessions that scatter by 10 %. Shares of the cells, from 0 to 1.
struct CompareRates {
  std::string model;
  size_t pairs = 0;
  size_t cells = 0;     // simulated, of each kind
  size_t matrices = 0;  // that they come in

  double false_alarm = 0;    // nothing changed: called worse at 5 %
  double power_20 = 0;       // the tail is 20 % longer: called worse
  double power_50 = 0;       // 50 % longer
  double power_rare_20 = 0;  // only a path taken twice an hour is 20 % longer
  double matrix_alarm = 0;   // matrices without a change in which any cell is called worse
  double single_alarm = 0;   // a cell compared alone, without variances of others: false alarms
  double single_power_20 = 0;
};

struct CompareTask {
  std::string model;  // "mixture", "quiet", "heavy"
  size_t pairs = 5;
  size_t matrices = 100;
  size_t cells_per_matrix = 48;
};

CompareRates compare_rates_of(const CompareTask& task);

// How often an interval of 95 % holds the truth.
struct Coverage {
  std::string what;  // "p99.9 of one run", "level once per hour, from 1 h"
  std::string model;
  double coverage = 0;  // of the intervals that were given
  double given = 1;     // share of the data sets for which one was given and not refused
  size_t replications = 0;
  double published = 0;  // the coverage of docs/statistics.md, which it must agree with
  double published_replications = 0;

  // Within three standard errors of both simulations.
  bool agrees() const;
};

// Quantiles of one run's histogram; shares above a level, with bursts and over several runs.
std::vector<Coverage> quantile_coverage(size_t replications);

// Return levels of 1 h and 10 h of data.
std::vector<Coverage> return_level_coverage(size_t replications);

// Data to which no level may be fitted: the share that was refused.
struct Refused {
  std::string what;
  double refused = 0;
  double at_least = 0;
  size_t replications = 0;
};
std::vector<Refused> refusals(size_t replications);

struct ErrorRates {
  std::vector<CompareRates> compare;       // the model of the bounds, with 3, 5 and 10 pairs
  std::vector<CompareRates> other_models;  // without bounds but that of false alarms
  std::vector<Coverage> quantiles;
  std::vector<Coverage> return_levels;
  std::vector<Refused> refused;

  // Every bound that was missed, as a sentence. Empty: all hold.
  std::vector<std::string> missed() const;
};

struct Effort {
  size_t comparisons = 20'000;  // cells of each kind and number of pairs
  size_t intervals = 2'000;     // of each quantile
  size_t levels = 300;          // data sets of each return level
};

// All of it, on all cores.
ErrorRates measure_error_rates(const Effort& effort);

}  // namespace rtsweep::simulation
