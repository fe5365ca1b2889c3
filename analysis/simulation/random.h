// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace rtsweep::simulation {

// Random numbers that are the same for one seed with every standard library: of the standard's
// distributions the algorithm is not fixed, of its engines it is.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  // In (0, 1), never 0 nor 1.
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

  // Of mean 0 and standard deviation 1. Box & Muller, Ann. Math. Stat. 29 (1958).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  // By inversion, for small means.
  uint64_t poisson(double mean) {
    double left = uniform();
    double probability = std::exp(-mean);
    uint64_t count = 0;
    while (left > probability && count < 10'000) {
      left -= probability;
      probability *= mean / static_cast<double>(++count);
    }
    return count;
  }

  // Failures before the first success.
  uint64_t geometric(double success) {
    if (success >= 1) return 0;
    return static_cast<uint64_t>(std::log(uniform()) / std::log1p(-success));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace rtsweep::simulation
