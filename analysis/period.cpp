// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/period.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace rtsweep {
namespace {

constexpr size_t kMostMoments = 2000;  // the first ones: enough for any p-value
constexpr size_t kLeastMoments = 8;
constexpr size_t kCandidates = 30;
constexpr size_t kLeastOften = 3;   // that a gap occurs to be looked at
constexpr double kCycles = 6;       // that the moments must span
constexpr double kGapWidth = 0.02;  // gaps this near are of one period
constexpr size_t kMostSteps = 400;  // of one scan
// A fraction of the period fits as well as the period, but for rounding.
constexpr double kAsGood = 0.9;

// Moments at least `gap` apart, from the first on: a burst counts once.
std::vector<double> apart(std::span<const double> moments, double gap) {
  std::vector<double> kept;
  for (const double moment : moments) {
    if (kept.empty() || moment - kept.back() >= gap) kept.push_back(moment);
  }
  return kept;
}

struct MeanPhase {
  double length = 0;  // R, 0 to 1
  double angle = 0;
};

MeanPhase mean_phase(std::span<const double> moments, double frequency) {
  double x = 0;
  double y = 0;
  for (const double moment : moments) {
    const double angle = 2 * std::numbers::pi * frequency * (moment - moments.front());
    x += std::cos(angle);
    y += std::sin(angle);
  }
  return {std::hypot(x, y) / static_cast<double>(moments.size()), std::atan2(y, x)};
}

double rayleigh(std::span<const double> moments, double frequency) {
  const double length = mean_phase(moments, frequency).length;
  return length * length * static_cast<double>(moments.size());
}

// The best frequency within `width` of the guess, and how well it fits.
double best_near(std::span<const double> moments, double guess, double width) {
  const double span = moments.back() - moments.front();
  const auto steps = static_cast<size_t>(
      std::clamp(std::ceil(2 * width * span * 5), 4.0, static_cast<double>(kMostSteps)));
  double best = guess;
  double best_z = rayleigh(moments, guess);
  for (size_t i = 0; i <= steps; ++i) {
    const double frequency =
        guess - width + 2 * width * static_cast<double>(i) / static_cast<double>(steps);
    const double z = frequency > 0 ? rayleigh(moments, frequency) : 0;
    if (z > best_z) {
      best_z = z;
      best = frequency;
    }
  }
  return best;
}

// From the first few moments on, ever longer parts fix the frequency ever finer.
double refined(std::span<const double> moments, double guess) {
  double width = guess * kGapWidth;
  size_t count = std::min(moments.size(), kLeastMoments);
  double frequency = guess;
  while (true) {
    const auto part = moments.first(count);
    frequency = best_near(part, frequency, width);
    const double span = part.back() - part.front();
    width = std::min(width, 0.5 / std::max(span, 1e-9));
    if (count == moments.size()) return best_near(moments, frequency, width / 4);
    count = std::min(moments.size(), count * 2);
  }
}

// The gaps that occur most, of a moment to the three that follow it.
std::vector<double> frequent_gaps(std::span<const double> moments, double least, double most) {
  std::vector<double> gaps;
  for (size_t i = 0; i < moments.size(); ++i) {
    for (size_t next = i + 1; next <= i + 3 && next < moments.size(); ++next) {
      const double gap = moments[next] - moments[i];
      if (gap >= least && gap <= most) gaps.push_back(gap);
    }
  }
  std::ranges::sort(gaps);
  std::vector<std::pair<size_t, double>> counted;  // gaps within the width from each on
  for (size_t i = 0; i < gaps.size(); ++i) {
    const auto end = std::upper_bound(gaps.begin(), gaps.end(), gaps[i] * (1 + kGapWidth / 2));
    const auto count = static_cast<size_t>(end - gaps.begin()) - i;
    counted.emplace_back(count, gaps[i + count / 2]);
  }
  std::ranges::sort(counted, std::ranges::greater());
  std::vector<double> frequent;
  for (const auto& [count, gap] : counted) {
    const bool known = std::ranges::any_of(frequent, [gap = gap](double other) {
      return std::abs(other - gap) < gap * kGapWidth / 2;
    });
    if (!known && count >= kLeastOften) frequent.push_back(gap);
    if (frequent.size() == kCandidates) break;
  }
  return frequent;
}

double variance(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / n;
}

double false_alarm(std::span<const double> moments, double z, double frequencies) {
  const double time = std::sqrt(4 * std::numbers::pi * variance(moments));
  return std::min(1.0, std::exp(-z) * (1 + frequencies * time * std::sqrt(z)));
}

Period period_at(std::span<const double> all, double frequency, double least_s) {
  const std::vector<double> moments = apart(all, 0.25 / frequency);
  Period period{.period_s = 1 / frequency, .moments = moments.size()};
  if (moments.size() < kLeastMoments) return period;
  period.statistic = rayleigh(moments, frequency);
  period.p_value = false_alarm(moments, period.statistic, 1 / least_s);
  const double centre = mean_phase(moments, frequency).angle / (2 * std::numbers::pi);
  for (const double moment : moments) {
    const double cycles = (moment - moments.front()) * frequency - centre;
    if (std::abs(cycles - std::round(cycles)) <= 0.1) ++period.fitting;
  }
  return period;
}

// To a thousandth of what the moments' span resolves.
Period polished(std::span<const double> all, const Period& rough, double least_s) {
  const std::vector<double> moments = apart(all, rough.period_s / 4);
  double frequency = 1 / rough.period_s;
  double width = 0.1 / (moments.back() - moments.front());
  for (int finer = 0; finer < 5; ++finer) {
    frequency = best_near(moments, frequency, width);
    width /= 3;
  }
  return period_at(all, frequency, least_s);
}

}  // namespace

std::optional<Period> find_period(std::span<const double> moments_s, double least_s,
                                  double p_value) {
  const auto moments = moments_s.first(std::min(moments_s.size(), kMostMoments));
  if (moments.size() < kLeastMoments) return std::nullopt;
  const double longest = (moments.back() - moments.front()) / kCycles;
  std::vector<Period> found;
  for (const double gap : frequent_gaps(moments, least_s, longest)) {
    const std::vector<double> thinned = apart(moments, gap / 4);
    if (thinned.size() < kLeastMoments) continue;
    const double frequency = refined(thinned, 1 / gap);
    const double length = 1 / frequency;
    if (length < least_s || length > longest) continue;
    const Period period = period_at(moments, frequency, least_s);
    if (period.p_value <= p_value) found.push_back(period);
  }
  if (found.empty()) return std::nullopt;
  double best = 0;
  for (const Period& period : found) best = std::max(best, period.statistic);
  std::erase_if(found, [best](const Period& one) { return one.statistic < kAsGood * best; });
  return polished(moments, *std::ranges::max_element(found, {}, &Period::period_s), least_s);
}

}  // namespace rtsweep
