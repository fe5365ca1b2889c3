// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>

namespace rtsweep::statistics {
namespace {

namespace bm = boost::math;
using bm::policies::ignore_error;

// No exceptions across stages: NaN or infinity instead.
using Policy = bm::policies::policy<
    bm::policies::domain_error<ignore_error>, bm::policies::pole_error<ignore_error>,
    bm::policies::overflow_error<ignore_error>, bm::policies::evaluation_error<ignore_error>>;

using Normal = bm::normal_distribution<double, Policy>;
using StudentsT = bm::students_t_distribution<double, Policy>;
using NoncentralT = bm::non_central_t_distribution<double, Policy>;
using ChiSquared = bm::chi_squared_distribution<double, Policy>;
using FisherF = bm::fisher_f_distribution<double, Policy>;
using Binomial = bm::binomial_distribution<double, Policy>;
using Poisson = bm::poisson_distribution<double, Policy>;

const Policy kPolicy;

}  // namespace

double normal_cdf(double z) { return bm::cdf(Normal(), z); }
double normal_upper(double z) { return bm::cdf(bm::complement(Normal(), z)); }
double normal_quantile(double probability) { return bm::quantile(Normal(), probability); }

double t_cdf(double t, double degrees) {
  return std::isinf(degrees) ? normal_cdf(t) : bm::cdf(StudentsT(degrees), t);
}

double t_upper(double t, double degrees) { return t_cdf(-t, degrees); }

double t_quantile(double probability, double degrees) {
  if (std::isinf(degrees)) return normal_quantile(probability);
  return bm::quantile(StudentsT(degrees), probability);
}

double noncentral_t_upper(double t, double degrees, double noncentrality) {
  if (std::isinf(degrees)) return normal_upper(t - noncentrality);
  return bm::cdf(bm::complement(NoncentralT(degrees, noncentrality), t));
}

double chi_squared_upper(double x, double degrees) {
  return bm::cdf(bm::complement(ChiSquared(degrees), x));
}

double chi_squared_quantile(double probability, double degrees) {
  return bm::quantile(ChiSquared(degrees), probability);
}

double f_upper(double f, double degrees_above, double degrees_below) {
  return bm::cdf(bm::complement(FisherF(degrees_above, degrees_below), f));
}

double binomial_cdf(uint64_t k, uint64_t n, double probability) {
  if (k >= n) return 1;
  return bm::cdf(Binomial(static_cast<double>(n), probability), static_cast<double>(k));
}

double binomial_upper(uint64_t k, uint64_t n, double probability) {
  if (k == 0) return 1;
  if (k > n) return 0;
  const Binomial binomial(static_cast<double>(n), probability);
  return bm::cdf(bm::complement(binomial, static_cast<double>(k - 1)));
}

double binomial_pmf(uint64_t k, uint64_t n, double probability) {
  return bm::pdf(Binomial(static_cast<double>(n), probability), static_cast<double>(k));
}

double poisson_cdf(uint64_t k, double mean) {
  if (mean <= 0) return 1;
  return bm::cdf(Poisson(mean), static_cast<double>(k));
}

double poisson_upper(uint64_t k, double mean) {
  if (k == 0) return 1;
  if (mean <= 0) return 0;
  return bm::cdf(bm::complement(Poisson(mean), static_cast<double>(k - 1)));
}

double beta_quantile(double a, double b, double probability) {
  return bm::ibeta_inv(a, b, probability, kPolicy);
}

double beta_upper_quantile(double a, double b, double probability) {
  return bm::ibetac_inv(a, b, probability, kPolicy);
}

double gamma_quantile(double shape, double probability) {
  return bm::gamma_p_inv(shape, probability, kPolicy);
}

double gamma_upper_quantile(double shape, double probability) {
  return bm::gamma_q_inv(shape, probability, kPolicy);
}

double digamma(double x) { return bm::digamma(x, kPolicy); }
double trigamma(double x) { return bm::trigamma(x, kPolicy); }

}  // namespace rtsweep::statistics
