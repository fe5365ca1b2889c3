// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/naive_comparison.h"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

namespace rtsweep::statistics {

double record_probability(double runs) { return 1 / (runs + 1); }

double naive_false_alarm(double location, double scale, double factor) {
  const auto exceeds_here = [&](double z) {
    const double here = (z - location) / scale;
    const double above = -std::expm1(-std::exp(-(factor * z - location) / scale));
    return above * std::exp(-here - std::exp(-here)) / scale;
  };
  // All but e-40 of a Gumbel distribution.
  const double low = std::fmax(0, location - 5 * scale);
  return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
      exceeds_here, low, location + 40 * scale, 10, 1e-10);
}

}  // namespace rtsweep::statistics
