// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/correlate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/period.h"
#include "analysis/statistics/distributions.h"

namespace rtsweep {
namespace {

// Hits nearer than this many intervals to one another have one cause.
constexpr int64_t kOneCauseIntervals = 5;

constexpr size_t kHitsPerWindow = 5;  // that the test for bursts expects

// The hits of one cause: the first of them stands for all.
std::vector<LatencyHit> incidents_of(const TrialCourse& course) {
  std::vector<LatencyHit> hits = course.hits;
  std::erase_if(hits, [&](const LatencyHit& hit) {
    return hit.at_us < course.begin_us || hit.at_us > course.end_us;
  });
  std::ranges::stable_sort(hits, {}, &LatencyHit::at_us);
  std::vector<LatencyHit> incidents;
  int64_t before = 0;
  for (const LatencyHit& hit : hits) {
    const bool same =
        !incidents.empty() && hit.at_us - before < kOneCauseIntervals * course.interval_us;
    before = hit.at_us;
    if (!same) incidents.push_back(hit);
  }
  return incidents;
}

class Correlator {
 public:
  Correlator(const TrialCourse& course, const CorrelateOptions& options)
      : course_(course), options_(options), hits_(incidents_of(course)) {}

  std::vector<Correlation> run() {
    if (hits_.size() < options_.least_hits || course_.end_us <= course_.begin_us) return {};
    period();
    bursts();
    phases();
    cpus();
    drift();
    std::ranges::stable_sort(found_, {}, &Correlation::p_value);
    return std::move(found_);
  }

 private:
  double length_us() const { return static_cast<double>(course_.end_us - course_.begin_us); }

  void add(Correlation one) {
    one.hits = hits_.size();
    if (one.p_value <= options_.p_value) found_.push_back(std::move(one));
  }

  void period() {
    std::vector<double> moments;
    for (const LatencyHit& hit : hits_) {
      // When the thread should have run: the cause's time, not that of its end.
      moments.push_back(static_cast<double>(hit.at_us - hit.latency_us - course_.begin_us) / 1e6);
    }
    std::ranges::sort(moments);
    const auto period = find_period(moments, options_.least_period_ms / 1e3, options_.p_value);
    if (!period) return;
    Correlation one{.code = "period",
                    .text = fmt::format("The hits come every {:.4g} ms: {} of {} fit (within a "
                                        "tenth of the period).",
                                        period->period_s * 1e3, period->fitting, period->moments),
                    .test = fmt::format("Rayleigh test over all periods from {:g} ms on",
                                        options_.least_period_ms),
                    .statistic = period->statistic,
                    .p_value = period->p_value,
                    .period_ms = period->period_s * 1e3};
    one.hints = interrupts_of(period->period_s);
    add(std::move(one));
  }

  // Interrupts that fired about once in a period on some CPU.
  std::vector<std::string> interrupts_of(double period_s) const {
    std::vector<std::string> hints;
    if (!course_.counters) return hints;
    const double expected = length_us() / 1e6 / period_s;
    const Counters& end = course_.counters->end;
    for (const auto& [name, counts] : end.interrupts) {
      const auto before = course_.counters->begin.interrupts.find(name);
      for (size_t i = 0; i < counts.size(); ++i) {
        const bool known =
            before != course_.counters->begin.interrupts.end() && i < before->second.size();
        const auto fired = static_cast<double>(counts[i] - (known ? before->second[i] : 0));
        if (std::abs(fired - expected) > std::max(1.0, expected * 0.02)) continue;
        const int cpu = i < end.interrupt_cpus.size() ? end.interrupt_cpus[i] : static_cast<int>(i);
        hints.push_back(fmt::format("interrupt {} fired {:.0f} times on CPU {}: once in a period",
                                    name, fired, cpu));
      }
    }
    if (hints.size() > 5) hints.clear();  // a coincidence, not a hint
    return hints;
  }

  // Counts of equal windows against Poisson's: sum (k - mean)^2 / mean is chi-squared with a
  // degree fewer than windows (Fisher's index of dispersion; Cox and Lewis, The Statistical
  // Analysis of Series of Events, 1966, section 6.2).
  void bursts() {
    const size_t windows = std::max<size_t>(2, hits_.size() / kHitsPerWindow);
    std::vector<double> counts(windows);
    for (const LatencyHit& hit : hits_) {
      const double part = static_cast<double>(hit.at_us - course_.begin_us) / length_us();
      const auto window = static_cast<size_t>(part * static_cast<double>(windows));
      counts.at(std::min(windows - 1, window)) += 1;
    }
    const double mean = static_cast<double>(hits_.size()) / static_cast<double>(windows);
    double sum = 0;
    for (const double count : counts) sum += (count - mean) * (count - mean) / mean;
    const double degrees = static_cast<double>(windows - 1);
    scatter_ = std::max(1.0, sum / degrees);
    add({.code = "bursts",
         .text = fmt::format("The hits come in bursts: from window to window of {:.3g} s their "
                             "number scatters {:.1f} times as much as by chance.",
                             length_us() / 1e6 / static_cast<double>(windows), scatter_),
         .test = fmt::format("index of dispersion, {} windows", windows),
         .statistic = sum,
         .p_value = statistics::chi_squared_upper(sum, degrees)});
  }

  // P(at least k of n) of the binomial distribution, for hits that come in bursts with as
  // many fewer of them as their scatter says (the design effect).
  double share_p_value(size_t with_it, double share) const {
    const auto n = static_cast<uint64_t>(std::floor(static_cast<double>(hits_.size()) / scatter_));
    const auto k = static_cast<uint64_t>(std::floor(static_cast<double>(with_it) / scatter_));
    return n == 0 || share >= 1 ? 1 : statistics::binomial_upper(k, n, share);
  }

  struct PhaseShare {
    double us = 0;
    size_t hits = 0;
  };

  std::map<std::string, PhaseShare> phase_shares() const {
    std::map<std::string, PhaseShare> shares;
    for (const LoadPhase& phase : course_.phases) {
      const int64_t begin = std::max(phase.begin_us, course_.begin_us);
      const int64_t end = std::min(phase.end_us, course_.end_us);
      if (end <= begin) continue;
      PhaseShare& share = shares[phase.name];
      share.us += static_cast<double>(end - begin);
      for (const LatencyHit& hit : hits_) {
        const int64_t at = hit.at_us - hit.latency_us;
        if (at >= begin && at < end) ++share.hits;
      }
    }
    return shares;
  }

  void phases() {
    const auto shares = phase_shares();
    const Correlation* strongest = nullptr;
    std::vector<Correlation> all;
    for (const auto& [name, share] : shares) {
      const double part = share.us / length_us();
      const double p = share_p_value(share.hits, part) * static_cast<double>(shares.size());
      all.push_back({.code = "load_phase",
                     .text = fmt::format("{} of {} hits fell into the load's phase \"{}\", which "
                                         "took {:.0f} % of the time.",
                                         share.hits, hits_.size(), name, part * 100),
                     .test = fmt::format("exact binomial test, {} phases", shares.size()),
                     .statistic = static_cast<double>(share.hits),
                     .p_value = std::min(1.0, p),
                     .phase = name});
    }
    for (const Correlation& one : all) {
      if (strongest == nullptr || one.p_value < strongest->p_value) strongest = &one;
    }
    if (strongest != nullptr) add(*strongest);
  }

  void cpus() {
    const std::set<int> measured(course_.cpus.begin(), course_.cpus.end());
    if (measured.size() < 2) return;
    std::map<int, size_t> counts;
    for (const LatencyHit& hit : hits_) ++counts[hit.cpu];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    const auto cpus = static_cast<double>(measured.size());
    add({.code = "cpu",
         .text = fmt::format("{} of {} hits were on CPU {}, one of {} that were measured.",
                             most->second, hits_.size(), most->first, measured.size()),
         .test = fmt::format("exact binomial test, {} CPUs", measured.size()),
         .statistic = static_cast<double>(most->second),
         .p_value = std::min(1.0, share_p_value(most->second, 1 / cpus) * cpus),
         .cpu = most->first});
  }

  // Laplace's test for a trend: the mean time of n hits is normal around the middle with a
  // variance of T^2 / 12 n (Cox and Lewis 1966, section 3.3).
  void drift() {
    double sum = 0;
    size_t late = 0;
    for (const LatencyHit& hit : hits_) {
      const double part = static_cast<double>(hit.at_us - course_.begin_us) / length_us();
      sum += part;
      late += part >= 0.5 ? 1 : 0;
    }
    const double n = static_cast<double>(hits_.size()) / scatter_;
    const double mean = sum / static_cast<double>(hits_.size());
    const double u = (mean - 0.5) * std::sqrt(12 * n);
    Correlation one{.code = "drift",
                    .text = fmt::format("The hits became {} frequent: {} of {} in the second half "
                                        "of the measurement.",
                                        u > 0 ? "more" : "less", late, hits_.size()),
                    .test = "Laplace's test for a trend",
                    .statistic = u,
                    .p_value = 2 * statistics::normal_upper(std::abs(u))};
    one.hints = temperature_hints();
    add(std::move(one));
  }

  std::vector<std::string> temperature_hints() const {
    std::vector<std::string> hints;
    if (!course_.counters) return hints;
    for (const auto& [zone, end] : course_.counters->end.temperatures_c) {
      const auto begin = course_.counters->begin.temperatures_c.find(zone);
      if (begin == course_.counters->begin.temperatures_c.end()) continue;
      if (std::abs(end - begin->second) < 5) continue;
      hints.push_back(
          fmt::format("{} went from {:.0f} to {:.0f} C meanwhile", zone, begin->second, end));
    }
    return hints;
  }

  const TrialCourse& course_;
  const CorrelateOptions& options_;
  std::vector<LatencyHit> hits_;
  double scatter_ = 1;  // of their counts, over chance's
  std::vector<Correlation> found_;
};

}  // namespace

std::vector<Correlation> correlate(const TrialCourse& course, const CorrelateOptions& options) {
  return Correlator(course, options).run();
}

}  // namespace rtsweep
