// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/return_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/statistics/applicability.h"
#include "analysis/statistics/distributions.h"
#include "analysis/statistics/gev_errors.h"
#include "analysis/statistics/moments.h"

namespace rtsweep::statistics {
namespace {

constexpr double kSignificant = 0.01;
constexpr unsigned kLags = 10;
constexpr double kFurthest = 10;  // times the measured time
constexpr size_t kLeastRunsTogether = 5;
constexpr double kConfidence = 0.95;

using Refusals = std::vector<Refusal>;

std::vector<double> all_maxima(const TailData& data) {
  std::vector<double> all;
  for (const auto& run : data.runs) all.insert(all.end(), run.begin(), run.end());
  return all;
}

std::string duration(double seconds) {
  if (seconds < 5400) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{:.3g} h", seconds / 3600);
  return fmt::format("{:.3g} days", seconds / 86400);
}

bool is_dependent(const std::vector<double>& run) {
  const auto lags = std::min<unsigned>(kLags, static_cast<unsigned>(run.size() / 5));
  if (lags == 0) return false;
  return ljung_box(normal_scores(run), lags).p_value < kSignificant;
}

double drift_of(const std::vector<double>& run, double width) {
  std::vector<double> logs;
  for (const double maximum : run) logs.push_back(std::log(maximum + width / 2));
  return logs.size() < 2 ? 0 : kpss_level(logs, kpss_lags(logs.size()));
}

// Each run fails a test at 1 % by chance: more of them than that explains?
bool more_than_chance(size_t failed, size_t runs) {
  return failed > 0 && binomial_upper(failed, runs, kSignificant) <= kSignificant * 1.0001;
}

void check_measurement(const TailData& data, Refusals& refusals) {
  if (data.omitted > 0) {
    refusals.push_back({"omitted_activations",
                        fmt::format("{} activations were skipped and not put back", data.omitted)});
  }
  if (data.hardware_latency) {
    refusals.push_back(
        {"hardware_latency", "stalls by firmware (SMI) are among the maxima: separate them first"});
  }
  if (data.several_boots_in_a_run) {
    refusals.push_back({"unknown_runs",
                        "the maxima come from several boots, and which is which is "
                        "not known"});
  }
  if (data.runs.size() > 1 && data.runs.size() < kLeastRunsTogether) {
    refusals.push_back({"few_runs", fmt::format("{} runs: one alone can be judged, or {} and more "
                                                "together",
                                                data.runs.size(), kLeastRunsTogether)});
  }
}

void check_stationarity(const TailData& data, Refusals& refusals) {
  size_t dependent = 0;
  size_t drifting = 0;
  double most = 0;
  for (const auto& run : data.runs) {
    dependent += is_dependent(run) ? 1 : 0;
    const double drift = drift_of(run, data.width);
    drifting += drift > kKpssOnePercent ? 1 : 0;
    most = std::max(most, drift);
  }
  if (more_than_chance(dependent, data.runs.size())) {
    refusals.push_back({"dependent_intervals",
                        "the interval maxima depend on each other (Ljung-Box p < 1 %): try longer "
                        "intervals"});
  }
  if (more_than_chance(drifting, data.runs.size())) {
    refusals.push_back(
        {"drift", fmt::format("the maxima drift during the run (KPSS {:.2f})", most)});
  }
}

// Linear between order statistics, as numpy's default.
double empirical_quantile(const std::vector<double>& ordered, double probability) {
  const double position = probability * static_cast<double>(ordered.size() - 1);
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, ordered.size() - 1);
  return ordered[below] +
         (position - static_cast<double>(below)) * (ordered[above] - ordered[below]);
}

double threshold_at(const std::vector<double>& ordered, double probability, double width) {
  return (std::floor(empirical_quantile(ordered, probability) / width) + 1) * width;
}

// Does the upper fifth, fitted alone, say the same as the whole? (As TailID looks for rare causes
// in the highest quantiles: Manau et al., ECRTS 2025.)
bool tail_agrees(const std::vector<double>& ordered, double probability, const GroupedMaxima& whole,
                 const Gev& gev) {
  const double above = probability + (1 - probability) * 0.8;
  const GroupedMaxima top =
      group_maxima(ordered, whole.width, threshold_at(ordered, above, whole.width));
  if (top.kept() < 10 || top.buckets.size() < 3) return true;
  const auto likelihood = likelihood_of(top);
  const auto own = fit_gev(likelihood, gev);
  if (!own) return true;
  const double gain = std::max(0.0, 2 * (own->log_likelihood - likelihood(gev)));
  return chi_squared_upper(gain, 3) >= kSignificant;
}

// The fit at a cut that the differences between runs ask for.
struct Cut {
  double value = 0;
  double inflation = 1;
};

Cut cut_for(const TailData& data, const CheckedFit& checked, double probability) {
  if (data.runs.size() < kLeastRunsTogether) return {profile_cut(kConfidence)};
  std::vector<GevLikelihood> runs;
  for (const auto& run : data.runs) {
    runs.push_back(likelihood_of(group_maxima(run, data.width, checked.maxima.censored_below)));
  }
  const auto adjusted = adjust_for_runs(runs, checked.fit.gev, probability, kConfidence);
  // A shape at the edge of the data has no second derivatives to tell.
  if (!std::isfinite(adjusted.cut)) return {profile_cut(kConfidence)};
  return {adjusted.cut, std::max(1.0, adjusted.inflation)};
}

std::string proven_by(const std::vector<double>& maxima, double width, double measured) {
  const double highest = *std::max_element(maxima.begin(), maxima.end()) + width;
  return fmt::format(
      "In {} nothing reached {:g} us: with 95 % confidence that is rarer than once in {}, under "
      "the same load and causes.",
      duration(measured), highest, duration(measured / -std::log(1 - kConfidence)));
}

TailLevel level_of(const TailData& data, const CheckedFit& checked, double period,
                   double measured) {
  // Events come at a rate of one per period: an interval is passed with 1 - exp(-1 / T).
  const double probability = -std::expm1(-data.interval_seconds / period);
  const Cut cut = cut_for(data, checked, probability);
  return {.level = gev_level(checked.fit.gev, probability),
          .interval = gev_level_interval(likelihood_of(checked.maxima), checked.fit, probability,
                                         cut.value),
          .period_seconds = period,
          .measured_seconds = measured,
          .gev = checked.fit.gev,
          .threshold = checked.maxima.censored_below,
          .maxima = checked.maxima.kept(),
          .inflation = cut.inflation};
}

}  // namespace

double goodness_of_fit(const GroupedMaxima& maxima, const Gev& gev) {
  const double n = static_cast<double>(maxima.kept() + maxima.censored);
  const double least = std::max(5.0, n / 30);
  const bool censored = maxima.censored > 0;
  double below = censored ? gev_cdf(gev, maxima.censored_below) : 0;
  const auto square = [](double seen, double expected) {
    return (seen - expected) * (seen - expected) / expected;
  };
  double sum = censored ? square(static_cast<double>(maxima.censored), n * below) : 0;
  size_t cells = censored ? 1 : 0;
  double seen = 0;
  const auto close_cell = [&](double edge) {
    const double here = gev_cdf(gev, edge);
    if (n * (here - below) < least || n * (1 - here) < least) return;
    sum += square(seen, n * (here - below));
    ++cells;
    below = here;
    seen = 0;
  };
  for (const Bucket& bucket : maxima.buckets) {
    close_cell(bucket.lower);
    seen += static_cast<double>(bucket.count);
    close_cell(bucket.lower + maxima.width);
  }
  sum += square(seen, std::max(n * (1 - below), 1e-9));
  ++cells;
  constexpr size_t kParameters = 3;
  if (cells < kParameters + 2) return 1;
  return chi_squared_upper(sum, static_cast<double>(cells - 1 - kParameters));
}

std::optional<CheckedFit> fit_with_threshold(const std::vector<double>& maxima, double width) {
  constexpr double kQuantiles[] = {0, 0.25, 0.5, 0.75, 0.9};
  const auto ordered = sorted(maxima);
  for (const double quantile : kQuantiles) {
    const double threshold = quantile == 0 ? 0 : threshold_at(ordered, quantile, width);
    GroupedMaxima grouped = group_maxima(ordered, width, threshold);
    if (grouped.kept() < 40 || grouped.buckets.size() < 4) return std::nullopt;
    const auto fit = fit_gev(likelihood_of(grouped), start_for(grouped));
    if (!fit || goodness_of_fit(grouped, fit->gev) < kSignificant) continue;
    if (!tail_agrees(ordered, quantile, grouped, fit->gev)) continue;
    return CheckedFit{*fit, std::move(grouped)};
  }
  return std::nullopt;
}

TailAnswer return_level(const TailData& data, double period_seconds) {
  TailAnswer answer;
  const auto maxima = all_maxima(data);
  if (maxima.empty()) {
    answer.refusals.push_back({"no_maxima", "no interval maxima were kept"});
    return answer;
  }
  const double measured = static_cast<double>(maxima.size()) * data.interval_seconds;
  answer.proven = proven_by(maxima, data.width, measured);
  check_measurement(data, answer.refusals);
  check_stationarity(data, answer.refusals);
  if (period_seconds > kFurthest * measured) {
    answer.refusals.push_back(
        {"too_far", fmt::format("once in {} is more than {:g} times the {} measured",
                                duration(period_seconds), kFurthest, duration(measured))});
  }
  const auto checked = fit_with_threshold(maxima, data.width);
  if (!checked) {
    answer.refusals.push_back({"no_fit", fmt::format("no tail of at least 40 of the {} interval "
                                                     "maxima (4 different values) follows an "
                                                     "extreme value distribution",
                                                     maxima.size())});
  }
  if (answer.refusals.empty()) answer.level = level_of(data, *checked, period_seconds, measured);
  return answer;
}

std::string TailLevel::sentence() const {
  const std::string upper =
      std::isinf(interval.upper) ? "no upper limit" : fmt::format("{:.0f}", interval.upper);
  return fmt::format(
      "About once in {} this kernel is expected to exceed {:.0f} us (95 % interval {:.0f} to {}), "
      "if the load and the causes stay those seen in these {}; causes rarer than once in {} cannot "
      "be excluded.",
      duration(period_seconds), level, interval.lower, upper, duration(measured_seconds),
      duration(measured_seconds / 3));
}

}  // namespace rtsweep::statistics
