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

// One reason for all threads with the same fault: about the worst of them.
class Faults {
 public:
  explicit Faults(std::string_view code) : code_(code) {}

  void add(int64_t badness, std::string what) {
    ++threads_;
    if (threads_ > 1 && badness <= worst_) return;
    worst_ = badness;
    what_ = std::move(what);
  }

  void report(Reasons& reasons) const {
    if (threads_ == 0) return;
    const std::string more = threads_ > 1 ? fmt::format(" (and {} more)", threads_ - 1) : "";
    reasons.push_back(make_reason(code_, what_ + more));
  }

 private:
  std::string_view code_;
  std::string what_;
  int64_t worst_ = 0;
  int threads_ = 0;
};

void check_minima(const CyclictestRun& run, Reasons& reasons) {
  Faults negative("negative_latency");
  Faults zero("zero_latency");
  Faults coarse("coarse_timer");
  for (const CyclictestThread& thread : run.threads) {
    if (!thread.min) continue;
    const int64_t min_us = in_us(*thread.min, run);
    const std::string name = thread_name(thread);
    if (*thread.min < 0) {
      negative.add(-min_us, fmt::format("{} woke up {} us before its time", name, -min_us));
    } else if (*thread.min == 0) {
      zero.add(0, fmt::format("{} has a minimum of 0", name));
    } else if (min_us >= kTickLikeMinimumUs) {
      coarse.add(min_us, fmt::format("{} never woke up in less than {} us", name, min_us));
    }
  }
  for (const Faults& faults : {negative, zero, coarse}) faults.report(reasons);
}

void check_maxima(const CyclictestRun& run, int64_t longest_us, Reasons& reasons) {
  Faults absurd("absurd_latency");
  for (const CyclictestThread& thread : run.threads) {
    if (!thread.max || in_us(*thread.max, run) <= longest_us) continue;
    const int64_t max_us = in_us(*thread.max, run);
    absurd.add(max_us, fmt::format("{} has a maximum of {} us", thread_name(thread), max_us));
  }
  absurd.report(reasons);
}

// What a file does not say of its threads.
void check_completeness(const CyclictestRun& run, Reasons& reasons) {
  Faults idle("thread_never_ran");
  Faults uncounted("samples_unknown");
  Faults without_maximum("maximum_unknown");
  for (const CyclictestThread& thread : run.threads) {
    const std::string name = thread_name(thread);
    if (thread.cycles == 0) idle.add(0, fmt::format("{} never ran", name));
    if (!thread.cycles) uncounted.add(0, fmt::format("{} does not say its samples", name));
    if (thread.max || thread.histogram.empty()) continue;
    const int64_t highest = in_us(thread.histogram.rbegin()->first, run);
    without_maximum.add(highest,
                        fmt::format("the footer is lost, {} saw at least {} us", name, highest));
  }
  for (const Faults& faults : {idle, uncounted, without_maximum}) faults.report(reasons);
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
  const int64_t interval_us = std::max<int64_t>(1, planned.interval_us);
  const auto wanted =
      static_cast<double>(planned.duration_s) * 1e6 / static_cast<double>(interval_us);
  // osnoise has few periods: the first and the last of them may be cut off.
  const double least = planned.name == "osnoise" ? 2.0 : 5.0;
  const double tolerance = std::max(least, wanted / 100);
  Faults few("too_few_cycles");
  for (const CyclictestThread& thread : run.threads) {
    if (thread.cycles.value_or(0) == 0) continue;  // has its own reason
    const double missing =
        wanted - static_cast<double>(*thread.cycles) - skipped_cycles(thread, run, interval_us);
    if (missing <= tolerance) continue;
    few.add(
        static_cast<int64_t>(missing),
        fmt::format("{} counted {} cycles of {:.0f}", thread_name(thread), *thread.cycles, wanted));
  }
  few.report(reasons);
}

void check_latencies(const CyclictestRun& run, int64_t duration_s, Reasons& reasons) {
  check_completeness(run, reasons);
  check_minima(run, reasons);
  const int64_t longest_us = duration_s > 0 ? duration_s * 1'000'000 : kAbsurdLatencyUs;
  check_maxima(run, std::min(longest_us, kAbsurdLatencyUs), reasons);
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
  const int64_t limit_us = *evidence.planned.limit_us;
  Faults exceeded("limit_exceeded");
  for (const CyclictestThread& thread : run.threads) {
    if (!thread.max || in_us(*thread.max, run) <= limit_us) continue;
    const int64_t max_us = in_us(*thread.max, run);
    exceeded.add(max_us, fmt::format("{} had a latency of {} us, the limit is {} us",
                                     thread_name(thread), max_us, limit_us));
  }
  exceeded.report(reasons);
}

}  // namespace rtsweep::checks
