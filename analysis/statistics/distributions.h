// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>

// The distributions that the methods need. Each function hands over to Boost.Math and gives NaN,
// never an exception, for arguments outside its domain.
//
// `upper` is P(X > x), computed without the cancellation of 1 - cdf; of a count it is P(X >= k).
namespace rtsweep::statistics {

double normal_cdf(double z);
double normal_upper(double z);
double normal_quantile(double probability);

// Degrees of freedom may be infinite: the normal distribution.
double t_cdf(double t, double degrees);
double t_upper(double t, double degrees);
double t_quantile(double probability, double degrees);
double noncentral_t_upper(double t, double degrees, double noncentrality);

double chi_squared_upper(double x, double degrees);
double chi_squared_quantile(double probability, double degrees);
double f_upper(double f, double degrees_above, double degrees_below);

double binomial_cdf(uint64_t k, uint64_t n, double probability);    // P(X <= k)
double binomial_upper(uint64_t k, uint64_t n, double probability);  // P(X >= k)
double binomial_pmf(uint64_t k, uint64_t n, double probability);
double poisson_cdf(uint64_t k, double mean);    // P(X <= k)
double poisson_upper(uint64_t k, double mean);  // P(X >= k)

// The x at which the beta distribution has `probability` below it, or above it. Counts may be
// fractions: a design effect divides them.
double beta_quantile(double a, double b, double probability);
double beta_upper_quantile(double a, double b, double probability);

// The x at which the gamma distribution of this shape (scale 1) has `probability` below it, or
// above it.
double gamma_quantile(double shape, double probability);
double gamma_upper_quantile(double shape, double probability);

double digamma(double x);
double trigamma(double x);

}  // namespace rtsweep::statistics
