// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/group_sequential.h"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <numbers>

#include "analysis/statistics/distributions.h"

namespace rtsweep::statistics {
namespace {

double root_of(const auto& f, double low, double high) {
  std::uintmax_t steps = 100;
  const auto root = boost::math::tools::toms748_solve(
      f, low, high, boost::math::tools::eps_tolerance<double>(36), steps);
  return (root.first + root.second) / 2;
}

// The score process at a look, given that it has not crossed before: Brownian motion at its
// information, as a density on a grid (Armitage, McPherson & Rowe, J. R. Stat. Soc. A 132, 1969;
// Simpson's rule).
class Survivors {
 public:
  explicit Survivors(Sides sides) : sides_(sides) {}

  // The chance to be past `bound` (of the score, not of z) at `information`.
  double crossing(double information, double bound) const {
    const double sd = std::sqrt(information - information_);
    double sum = 0;
    for (size_t i = 0; i < at_.size(); ++i) {
      double past = normal_upper((bound - at_[i]) / sd);
      if (sides_ == Sides::kTwo) past += normal_upper((bound + at_[i]) / sd);
      sum += weight_[i] * past;
    }
    return sum;
  }

  // Goes on to `information` with those that did not cross.
  void pass(double information, double bound) {
    constexpr size_t kPoints = 601;
    const double sd = std::sqrt(information - information_);
    const double low = sides_ == Sides::kTwo ? -bound : -8 * std::sqrt(information);
    const double step = (bound - low) / (kPoints - 1);
    std::vector<double> at(kPoints);
    std::vector<double> weight(kPoints);
    for (size_t i = 0; i < kPoints; ++i) {
      at[i] = low + step * static_cast<double>(i);
      const double simpson = i == 0 || i + 1 == kPoints ? 1 : i % 2 == 1 ? 4 : 2;
      weight[i] = simpson * step / 3 * density(at[i], sd);
    }
    at_ = std::move(at);
    weight_ = std::move(weight);
    information_ = information;
  }

 private:
  double density(double x, double sd) const {
    double sum = 0;
    for (size_t i = 0; i < at_.size(); ++i) {
      const double z = (x - at_[i]) / sd;
      sum += weight_[i] * std::exp(-z * z / 2);
    }
    return sum / (sd * std::sqrt(2 * std::numbers::pi));
  }

  Sides sides_;
  double information_ = 0;
  std::vector<double> at_ = {0};      // before the first look all are at 0
  std::vector<double> weight_ = {1};  // density times Simpson's weight
};

// The chance to cross any of these bounds of z, at equally spaced looks.
double ever_crosses(std::span<const double> bounds) {
  Survivors survivors(Sides::kTwo);
  double sum = 0;
  for (size_t i = 0; i < bounds.size(); ++i) {
    const auto information = static_cast<double>(i + 1);
    const double bound = bounds[i] * std::sqrt(information);
    sum += survivors.crossing(information, bound);
    if (i + 1 < bounds.size()) survivors.pass(information, bound);
  }
  return sum;
}

// Bounds c shape(k), with c so that all looks together cross with probability alpha.
std::vector<double> scaled_bounds(unsigned looks, double alpha,
                                  const std::function<double(unsigned)>& shape) {
  const auto bounds_at = [&](double c) {
    std::vector<double> bounds;
    for (unsigned k = 1; k <= looks; ++k) bounds.push_back(c * shape(k));
    return bounds;
  };
  return bounds_at(root_of([&](double c) { return ever_crosses(bounds_at(c)) - alpha; }, 0.5, 8));
}

}  // namespace

std::vector<double> obrien_fleming_bounds(unsigned looks, double alpha) {
  return scaled_bounds(looks, alpha,
                       [looks](unsigned k) { return std::sqrt(static_cast<double>(looks) / k); });
}

std::vector<double> pocock_bounds(unsigned looks, double alpha) {
  return scaled_bounds(looks, alpha, [](unsigned) { return 1.0; });
}

double obrien_fleming_spent(double information, double alpha) {
  const double z = -normal_quantile(alpha / 2);
  return 2 * normal_upper(z / std::sqrt(information));
}

std::vector<double> spending_bounds(std::span<const double> information, double alpha,
                                    Sides sides) {
  const double each_side = sides == Sides::kTwo ? alpha / 2 : alpha;
  const double sides_spend = sides == Sides::kTwo ? 2 : 1;
  Survivors survivors(sides);
  std::vector<double> bounds;
  double spent = 0;
  for (const double share : information) {
    const double due = sides_spend * obrien_fleming_spent(share, each_side) - spent;
    const double sd = std::sqrt(share);
    const double z = root_of(
        [&](double candidate) { return survivors.crossing(share, candidate * sd) - due; }, 0, 12);
    bounds.push_back(z);
    spent += due;
    survivors.pass(share, z * sd);
  }
  return bounds;
}

}  // namespace rtsweep::statistics
