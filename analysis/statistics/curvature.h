// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <Eigen/Dense>

#include "analysis/statistics/maximise.h"

// What the shape of a likelihood at its maximum says of the error of the estimates. Private to
// this library: nothing outside needs Eigen.
namespace rtsweep::statistics {

inline Eigen::VectorXd gradient(const LogLikelihood& f, Parameters at, const Parameters& steps) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(at.size()));
  for (size_t i = 0; i < at.size(); ++i) {
    const double middle = at[i];
    at[i] = middle + steps[i];
    const double up = f(at);
    at[i] = middle - steps[i];
    result[static_cast<Eigen::Index>(i)] = (up - f(at)) / (2 * steps[i]);
    at[i] = middle;
  }
  return result;
}

// Central differences of the gradient, made symmetric.
inline Eigen::MatrixXd hessian(const LogLikelihood& f, Parameters at, const Parameters& steps) {
  const auto size = static_cast<Eigen::Index>(at.size());
  Eigen::MatrixXd result(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const auto k = static_cast<size_t>(i);
    const double middle = at[k];
    at[k] = middle + steps[k];
    const Eigen::VectorXd up = gradient(f, at, steps);
    at[k] = middle - steps[k];
    result.col(i) = (up - gradient(f, at, steps)) / (2 * steps[k]);
    at[k] = middle;
  }
  return (result + result.transpose()) / 2;
}

// The inverse of the observed information.
inline Eigen::MatrixXd covariance(const LogLikelihood& f, const Parameters& at,
                                  const Parameters& steps) {
  return (-hessian(f, at, steps)).inverse();
}

}  // namespace rtsweep::statistics
