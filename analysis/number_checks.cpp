// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>

#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"

namespace rtsweep::checks {
namespace {

// Longer than any wakeup that a machine survives: its watchdogs bite first.
constexpr int64_t kAbsurdLatencyUs = 60'000'000;
// No machine needs as long as this for every wakeup, but for one whose timers fire on
// the tick (1 to 10 ms).
constexpr int64_t kTickLikeMinimumUs = 1'000;

int64_t in_us(int64_t latency, const CyclictestRun& run) {
  return run.nanoseconds ? latency / 1000 : latency;
}

// Cycles that cyclictest skipped because a wakeup was late by whole intervals. The size of
// overflows is not known: each may have been as late as the latest.
double skipped_cycles(const CyclictestThread& thread, const CyclictestRun& run,
                      int64_t interval_us) {
  double skipped = 0;
  for (const auto& [latency, times] : thread.histogram) {
    const int64_t whole_intervals = in_us(latency, run) / interval_us;
    skipped += static_cast<double>(whole_intervals) * static_cast<double>(times);
  }
  const int64_t most = (thread.max ? in_us(*thread.max, run) : 0) / interval_us;
  return skipped + static_cast<double>(most) * static_cast<double>(thread.overflows.value_or(0));
}

bool same_numbers(const CyclictestThread& a, const CyclictestThread& b) {
  return a.cycles == b.cycles && a.min == b.min && a.max == b.max && a.overflows == b.overflows &&
         a.histogram == b.histogram;
}

std::string thread_name(const CyclictestThread& thread) {
  if (thread.cpu < 0) return fmt::format("thread {}", thread.thread);
  return fmt::format("thread {} on CPU {}", thread.thread, thread.cpu);
}

void check_extremes(const CyclictestThread& thread, const CyclictestRun& run, Reasons& reasons) {
  if (!thread.min || !thread.max) return;
  const int64_t min_us = in_us(*thread.min, run);
  const int64_t max_us = in_us(*thread.max, run);
  if (*thread.min < 0) {
    reasons.push_back(
        make_reason("negative_latency",
                    fmt::format("{} woke up {} us before its time", thread_name(thread), -min_us)));
  } else if (*thread.min == 0) {
    reasons.push_back(
        make_reason("zero_latency", fmt::format("{} has a minimum of 0", thread_name(thread))));
  }
  if (max_us > kAbsurdLatencyUs) {
    reasons.push_back(make_reason(
        "absurd_latency", fmt::format("{} has a maximum of {} us", thread_name(thread), max_us)));
  }
  if (min_us >= kTickLikeMinimumUs) {
    reasons.push_back(make_reason("coarse_timer", fmt::format("{} never woke up in less than {} us",
                                                              thread_name(thread), min_us)));
  }
}

// The smallest quantile of the report that overflows hide, if any.
std::optional<uint64_t> hidden_quantile(const CyclictestRun& run) {
  const LatencyHistogram merged = TrialResult{.cpus = cpu_results(run)}.merged();
  for (const uint64_t ppm : kReportQuantilesPpm) {
    if (merged.samples() > 0 && !merged.quantile(ppm)) return ppm;
  }
  return std::nullopt;
}

}  // namespace

const CyclictestRun* run_of(const TrialEvidence& evidence) {
  if (evidence.json) return &*evidence.json;
  return evidence.text ? &*evidence.text : nullptr;
}

void check_agreement(const TrialEvidence& evidence, Reasons& reasons) {
  if (!evidence.json || !evidence.text) return;
  const auto& json = evidence.json->threads;
  const auto& text = evidence.text->threads;
  if (json.size() == text.size() &&
      std::equal(json.begin(), json.end(), text.begin(), same_numbers)) {
    return;
  }
  reasons.push_back(make_reason("results_differ", "its JSON and its printed histogram differ"));
}

void check_cycles(const TrialEvidence& evidence, const CyclictestRun& run, Reasons& reasons) {
  const PlannedProbe& planned = evidence.planned;
  const auto wanted = static_cast<double>(planned.duration_s) * 1e6 /
                      static_cast<double>(std::max<int64_t>(1, planned.interval_us));
  const double tolerance = std::max(5.0, wanted / 100);
  for (const CyclictestThread& thread : run.threads) {
    if (thread.cycles.value_or(0) == 0) continue;  // has its own reason
    const double skipped = skipped_cycles(thread, run, std::max<int64_t>(1, planned.interval_us));
    if (static_cast<double>(*thread.cycles) + skipped >= wanted - tolerance) continue;
    reasons.push_back(
        make_reason("too_few_cycles", fmt::format("{} counted {} cycles of {:.0f}",
                                                  thread_name(thread), *thread.cycles, wanted)));
  }
}

void check_latencies(const CyclictestRun& run, Reasons& reasons) {
  for (const CyclictestThread& thread : run.threads) {
    if (thread.cycles == 0) {
      reasons.push_back(
          make_reason("thread_never_ran", fmt::format("{} never ran", thread_name(thread))));
    }
    check_extremes(thread, run, reasons);
    if (run.format == CyclictestFormat::kCsv && !thread.histogram.empty()) {
      reasons.push_back(make_reason(
          "maximum_unknown", fmt::format("the footer is lost, {} saw at least {} us",
                                         thread_name(thread), thread.histogram.rbegin()->first)));
    }
  }
}

// One overflow of a thread is its maximum, whose size is exact. Of more, the sizes are
// lost. That matters when a quantile is among them, unless the maximum has already decided.
void check_overflows(const CyclictestRun& run, std::optional<int64_t> limit_us, Reasons& reasons) {
  uint64_t overflows = 0;
  bool lost = false;
  bool decided = false;
  for (const CyclictestThread& thread : run.threads) {
    overflows += thread.overflows.value_or(0);
    lost = lost || thread.overflows.value_or(0) > 1;
    decided = decided || (limit_us && thread.max && in_us(*thread.max, run) > *limit_us);
  }
  if (overflows == 0) return;
  const auto hidden = hidden_quantile(run);
  const std::string what = fmt::format("{} sample(s) went past the histogram", overflows);
  if (!lost || !hidden || decided) {
    reasons.push_back(make_reason("overflow_known", what + ", their maximum is exact"));
    return;
  }
  reasons.push_back(make_reason(
      "histogram_overflow", fmt::format("{}, and {} is not known", what, quantile_name(*hidden))));
}

void check_limit(const TrialEvidence& evidence, const CyclictestRun& run, Reasons& reasons) {
  if (!evidence.planned.limit_us) return;
  for (const CyclictestThread& thread : run.threads) {
    if (!thread.max || in_us(*thread.max, run) <= *evidence.planned.limit_us) continue;
    reasons.push_back(make_reason(
        "limit_exceeded",
        fmt::format("{} had a latency of {} us, the limit is {} us", thread_name(thread),
                    in_us(*thread.max, run), *evidence.planned.limit_us)));
  }
}

}  // namespace rtsweep::checks
