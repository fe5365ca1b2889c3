// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/factorial.h"

#include <bit>

namespace rtsweep::statistics {
namespace {

// One pass of Yates' algorithm: sums of neighbours first, then their differences.
std::vector<double> sums_and_differences(const std::vector<double>& values) {
  std::vector<double> result;
  for (size_t i = 0; i < values.size(); i += 2) result.push_back(values[i] + values[i + 1]);
  for (size_t i = 0; i < values.size(); i += 2) result.push_back(values[i + 1] - values[i]);
  return result;
}

}  // namespace

Result<FactorialEffects> factorial_effects(std::span<const double> responses) {
  if (responses.size() < 2 || !std::has_single_bit(responses.size())) {
    return Error(Errc::kBadData, "a two-level factorial needs 2, 4, 8, ... responses, not " +
                                     std::to_string(responses.size()));
  }
  std::vector<double> contrasts(responses.begin(), responses.end());
  for (size_t pass = 1; pass < responses.size(); pass *= 2) {
    contrasts = sums_and_differences(contrasts);
  }
  const auto n = static_cast<double>(responses.size());
  FactorialEffects result{.mean = contrasts[0] / n, .effects = contrasts};
  for (double& effect : result.effects) effect /= n / 2;
  result.effects[0] = 0;
  return result;
}

}  // namespace rtsweep::statistics
