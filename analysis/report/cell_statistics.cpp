// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/cell_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/wording.h"
#include "analysis/statistics/moments.h"
#include "analysis/statistics/quantiles.h"
#include "analysis/statistics/rates.h"
#include "analysis/trial_statistics.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr double kConfidence = 0.95;
constexpr size_t kLeastTrialsAsUnit = 3;
constexpr uint64_t kSentenceQuantilesPpm[] = {999'000, 999'900, 999'990};
constexpr double kHalfBucket = 0.5;  // a latency is in the middle of its bucket

CellQuantile over_trials(const std::vector<Numbers>& trials, uint64_t ppm) {
  CellQuantile quantile{.ppm = ppm};
  std::vector<double> logs;
  for (const Numbers& numbers : trials) {
    const auto value = numbers.quantile_us(ppm);
    if (!value) return quantile;
    logs.push_back(std::log(static_cast<double>(*value) + kHalfBucket));
  }
  const statistics::Interval interval = statistics::mean_interval(logs, kConfidence);
  const auto latency = [](double log) { return std::max(0.0, std::exp(log) - kHalfBucket); };
  quantile.value_us = latency(statistics::mean(logs));
  quantile.lower_us = latency(interval.lower);
  quantile.upper_us = latency(interval.upper);
  return quantile;
}

CellQuantile of_samples(const statistics::Buckets& buckets, uint64_t overflows, uint64_t ppm) {
  const auto estimate = statistics::bucket_quantile(
      buckets, overflows, static_cast<double>(ppm) / 1'000'000, kConfidence);
  return {ppm, estimate.value, estimate.lower, estimate.upper};
}

void describe_maxima(CellStatistics& cell, const std::vector<Numbers>& trials) {
  std::vector<double> maxima, logs;
  for (const Numbers& numbers : trials) {
    maxima.push_back(static_cast<double>(*numbers.max_us));
    logs.push_back(std::log(maxima.back() + kHalfBucket));
  }
  const auto [least, most] = std::minmax_element(maxima.begin(), maxima.end());
  cell.least_max_us = static_cast<int64_t>(*least);
  cell.most_max_us = static_cast<int64_t>(*most);
  cell.median_max_us = statistics::median(maxima);
  if (trials.size() > 1) cell.max_scatter = std::expm1(std::sqrt(statistics::variance(logs)));
}

std::string limit_text(const std::optional<double>& us) {
  return us ? fmt::format("{:.0f}", *us) : "open";
}

std::string quantile_text(const CellQuantile& quantile) {
  return fmt::format("{} {:.0f} us [{}, {}]", quantile_name(quantile.ppm), *quantile.value_us,
                     limit_text(quantile.lower_us), limit_text(quantile.upper_us));
}

std::string unit_text(const CellStatistics& cell) {
  if (cell.over_trials) return fmt::format("95 %, over {} trials", cell.trials);
  return cell.trials == 1 ? "95 % if samples are independent, for this boot only"
                          : "95 % if samples are independent, for these two boots only";
}

}  // namespace

std::optional<CellStatistics> statistics_of_cell(const CellTrials& cell) {
  std::vector<Numbers> trials;
  for (const TrialResult* trial : cell.usable()) {
    Numbers numbers = numbers_of(*trial);
    const bool whole = numbers.samples > 0 && numbers.histogram.samples() == numbers.samples;
    if (numbers.max_us && whole) trials.push_back(std::move(numbers));
  }
  if (trials.empty()) return std::nullopt;
  CellStatistics result{.trials = trials.size()};
  result.over_trials = trials.size() >= kLeastTrialsAsUnit;
  LatencyHistogram together = trials.front().histogram;
  for (size_t i = 1; i < trials.size(); ++i) together.merge(trials[i].histogram);
  result.samples = together.samples();
  const auto buckets = result.over_trials ? statistics::Buckets{} : buckets_of(together);
  for (const uint64_t ppm : kReportQuantilesPpm) {
    result.quantiles.push_back(result.over_trials ? over_trials(trials, ppm)
                                                  : of_samples(buckets, together.overflows(), ppm));
  }
  describe_maxima(result, trials);
  result.proven_tail =
      statistics::proven_tail_probability(static_cast<double>(result.samples), kConfidence);
  return result;
}

std::string CellStatistics::sentence() const {
  std::vector<std::string> parts;
  for (const CellQuantile& quantile : quantiles) {
    const bool shown = std::ranges::find(kSentenceQuantilesPpm, quantile.ppm) !=
                       std::ranges::end(kSentenceQuantilesPpm);
    if (shown && quantile.value_us) parts.push_back(quantile_text(quantile));
  }
  std::string text;
  if (!parts.empty()) text = fmt::format("{} ({}). ", join(parts, ", "), unit_text(*this));
  if (trials > 1) {
    text +=
        fmt::format("Maximum {} to {} us, median {:g}", least_max_us, most_max_us, median_max_us);
    if (max_scatter) text += fmt::format(", scatter {:.0f} %", 100 * *max_scatter);
    text += ". ";
  }
  return text + fmt::format("Of what is rarer than 1 in {} samples nothing is known.",
                            grouped(static_cast<uint64_t>(1 / proven_tail)));
}

}  // namespace rtsweep
