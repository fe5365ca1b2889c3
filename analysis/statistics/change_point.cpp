// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/change_point.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

// Sums of |x_i - x_j| within the values before a split, after it, and across, kept up to date as
// the split moves on by one value.
class Distances {
 public:
  explicit Distances(std::span<const double> series) : series_(series) {
    for (size_t i = 0; i < series.size(); ++i) after_ += distance(i, i + 1, series.size());
  }

  void move_on() {
    const double to_before = distance(split_, 0, split_);
    const double to_after = distance(split_, split_ + 1, series_.size());
    before_ += to_before;
    after_ -= to_after;
    across_ += to_after - to_before;
    ++split_;
  }

  size_t split() const { return split_; }

  double q() const {
    const auto n = static_cast<double>(split_);
    const auto m = static_cast<double>(series_.size() - split_);
    const double within = before_ * 2 / (n * (n - 1)) + after_ * 2 / (m * (m - 1));
    return n * m / (n + m) * (2 * across_ / (n * m) - within);
  }

 private:
  double distance(size_t from, size_t first, size_t end) const {
    double sum = 0;
    for (size_t i = first; i < end; ++i) sum += std::abs(series_[from] - series_[i]);
    return sum;
  }

  std::span<const double> series_;
  size_t split_ = 0;
  double before_ = 0;
  double after_ = 0;
  double across_ = 0;
};

}  // namespace

PettittTest pettitt(std::span<const double> series) {
  const auto of_series = ranks(series);
  const auto n = static_cast<double>(series.size());
  PettittTest test;
  double u = 0;
  for (size_t i = 0; i + 1 < series.size(); ++i) {
    u += 2 * of_series[i] - (n + 1);
    if (std::abs(u) <= test.k) continue;
    test.k = std::abs(u);
    test.index = i + 1;
  }
  test.p_value = std::min(1.0, 2 * std::exp(-6 * test.k * test.k / (n * n * n + n * n)));
  return test;
}

size_t least_squares_change(std::span<const double> series) {
  // The squares left are least where the squares between the means are most.
  const double total = std::accumulate(series.begin(), series.end(), 0.0);
  const auto n = static_cast<double>(series.size());
  double before = 0;
  double best = -1;
  size_t index = 0;
  for (size_t i = 1; i + 2 <= series.size(); ++i) {
    before += series[i - 1];
    const auto k = static_cast<double>(i);
    const double gap = before / k - (total - before) / (n - k);
    const double between = k * (n - k) / n * gap * gap;
    if (i < 2 || between <= best) continue;
    best = between;
    index = i;
  }
  return index;
}

EnergyChange energy_change(std::span<const double> series, size_t least) {
  EnergyChange change;
  Distances distances(series);
  const size_t shortest = std::max<size_t>(least, 2);
  while (distances.split() + shortest < series.size()) {
    distances.move_on();
    if (distances.split() < shortest || distances.q() <= change.q) continue;
    change = {distances.split(), distances.q()};
  }
  return change;
}

}  // namespace rtsweep::statistics
