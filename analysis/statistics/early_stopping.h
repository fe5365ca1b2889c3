// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>

// Stopping a gate before its time, with the error rates kept. `expected` is the expected number of
// events at the limit rate: rate times time.
namespace rtsweep::statistics {

// Evidence that may be looked at after every event, for ever: stop when it reaches 1 / alpha
// (Ville's inequality). Peeking at p <= 5 % instead is wrong 38 % of the time.
//
// Against a rate at or below the limit: the mean of likelihood ratios over rates 1.05 to 50 times
// the limit, 80 in equal steps of the logarithm.
double evidence_of_bad(uint64_t events, double expected);

// Against a rate at or above the limit: over 0 and 79 rates 0.01 to 0.95 times the limit. With no
// event it reaches 20 after 3.5 expected.
double evidence_of_good(uint64_t events, double expected);

// Against exactly `rate0`, two-sided, with rates drawn from a gamma distribution of this shape and
// (inverse) scale: Robbins, Ann. Math. Stat. 41 (1970).
double evidence_against_rate(uint64_t events, double time, double rate0, double shape,
                             double inverse_scale);

// Wald's sequential probability ratio test (1947) of a good rate against a bad one.
struct Sprt {
  double good_rate = 0;
  double bad_rate = 0;
  double alpha = 0.05;  // a good system is called bad
  double beta = 0.05;   // a bad system is called good

  double log_reject() const;  // ln A
  double log_accept() const;  // ln B

  // Call it bad when at least that many events are seen by this time, good when at most that many.
  double bad_at(double time) const;
  double good_at(double time) const;

 private:
  double line(double log_bound, double time) const;
};

// The likelihood ratio at which Kulldorff's MaxSPRT (Sequential Analysis 30, 2011) stops, when
// looking at every moment until `most_expected` events were expected.
double max_sprt_critical(double most_expected, double alpha);

// The statistic it is compared with: n ln(n / expected) - (n - expected), 0 below expectation.
double max_sprt_statistic(uint64_t events, double expected);

}  // namespace rtsweep::statistics
