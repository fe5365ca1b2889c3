// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/progress.h"

#include <fmt/format.h>

#include "runner/base/clock.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

std::string result_text(const TrialResult& result) {
  if (!result.usable() && !result.reasons.empty()) return result.reasons.front().code;
  const auto max = result.max_us();
  if (!max) return "no samples";
  const auto p999 = result.merged().quantile(999'000);
  return fmt::format("max {} us, p99.9 {} us", *max,
                     p999 ? std::to_string(p999->count()) : "unknown");
}

}  // namespace

std::string cell_text(const Cell& cell) {
  // The kernel first: it is what people look for.
  std::vector<std::string> levels;
  for (const auto& [factor, level] : cell) {
    if (level.empty() || level == "default" || level == "native") continue;
    levels.insert(factor == "kernel" ? levels.begin() : levels.end(), level);
  }
  return join(levels, " ");
}

void Progress::say(std::string_view line) {
  const std::lock_guard guard(mutex_);
  clear_status();
  fmt::print(out_, "{}\n", line);
  draw_status();
}

void Progress::stage(const PlannedTrial& trial, std::string_view stage) {
  const std::lock_guard guard(mutex_);
  running_[trial.id] = cell_text(trial.cell) + ": " + std::string(stage);
  clear_status();
  draw_status();
}

void Progress::count(const Cell& cell, bool usable, std::optional<int64_t> max_us) {
  ++done_;
  if (!usable || !max_us || (worst_us_ && *worst_us_ >= *max_us)) return;
  worst_us_ = max_us;
  worst_cell_ = cell_text(cell);
}

void Progress::already_done(const PlannedTrial& trial, std::string_view verdict,
                            std::optional<int64_t> max_us) {
  const std::lock_guard guard(mutex_);
  expected_s_.erase(trial.id);
  count(trial.cell,
        verdict == verdict_name(Verdict::kPass) || verdict == verdict_name(Verdict::kFail), max_us);
}

void Progress::ended(const TrialResult& result, double wall_s) {
  const std::lock_guard guard(mutex_);
  running_.erase(result.id);
  expected_done_s_ += expected_s_[result.id];
  real_done_s_ += wall_s;
  expected_s_.erase(result.id);
  count(result.cell, result.usable(), result.max_us());
  clear_status();
  const auto left = eta_s();
  fmt::print(
      out_, "[{}/{}] {:<7} {} r{}: {}; took {}{}\n", done_, total_, verdict_name(result.verdict),
      cell_text(result.cell), result.repetition, result_text(result),
      human_duration(std::chrono::seconds(static_cast<int64_t>(wall_s))),
      left && done_ < total_
          ? ", " + human_duration(std::chrono::seconds(static_cast<int64_t>(*left))) + " left"
          : "");
  draw_status();
}

std::optional<double> Progress::eta_s() const {
  double left = 0;
  for (const auto& [trial, expected] : expected_s_) left += expected;
  // What the trials so far took, against what was expected of them, corrects the rest.
  const double ratio = expected_done_s_ > 0 ? real_done_s_ / expected_done_s_ : 1;
  return left * ratio / jobs_;
}

std::optional<std::chrono::seconds> Progress::eta() {
  const std::lock_guard guard(mutex_);
  const auto left = eta_s();
  if (!left) return std::nullopt;
  return std::chrono::seconds(static_cast<int64_t>(*left));
}

void Progress::clear_status() {
  if (columns_ > 0) fmt::print(out_, "\r\033[K");
}

void Progress::draw_status() {
  std::fflush(out_);
  if (columns_ == 0 || running_.empty()) return;
  std::vector<std::string> now;
  for (const auto& [trial, text] : running_) now.push_back(text);
  const std::string worst =
      worst_us_ ? fmt::format(" | worst so far {} us: {}", *worst_us_, worst_cell_) : "";
  const auto left = eta_s();
  const std::string line =
      fmt::format("{}/{} done, {} left | {}{}", done_, total_,
                  human_duration(std::chrono::seconds(static_cast<int64_t>(left.value_or(0)))),
                  join(now, "; "), worst);
  fmt::print(out_, "{}", line.substr(0, columns_ - 1));
  std::fflush(out_);
}

}  // namespace rtsweep
