// SPDX-License-Identifier: GPL-2.0-or-later

// The traces of outliers: were they recorded at all, and is nothing missing in them.

#include <fmt/format.h>

#include "analysis/reason_catalogue.h"
#include "analysis/trial_check_parts.h"

namespace rtsweep::checks {
namespace {

// Tracing that takes more of a wakeup than this share of the breakpoint makes outliers itself.
constexpr double kCostShare = 0.5;

void check_proof(const CaptureResult& capture, Reasons& reasons) {
  if (capture.proved) return;
  reasons.push_back(make_reason(
      "trace_not_proved", capture.not_proved.empty() ? "no trace was armed" : capture.not_proved));
}

void check_losses(const CaptureResult& capture, Reasons& reasons) {
  if (capture.lost_events == 0) return;
  reasons.push_back(
      make_reason("outlier_trace_lost_events",
                  fmt::format("events are missing at {} place(s) of the outliers' traces",
                              capture.lost_events)));
}

void check_hits(const CaptureResult& capture, Reasons& reasons) {
  if (!capture.hits_complete) {
    reasons.push_back(make_reason(
        "hits_incomplete", fmt::format("only the first {} samples past the breakpoint are known "
                                       "by time and value",
                                       capture.hits.size())));
  }
  if (capture.proved && !capture.hits.empty() && capture.outliers.empty()) {
    reasons.push_back(make_reason(
        "outlier_untraced",
        fmt::format("none of {} sample(s) past the breakpoint has a trace", capture.hits.size())));
  }
}

void check_cost(const CaptureResult& capture, Reasons& reasons) {
  const double most = kCostShare * static_cast<double>(capture.breakpoint_us);
  if (capture.traced_us.value_or(0) <= most) return;
  reasons.push_back(make_reason(
      "tracing_cost",
      fmt::format("with tracing a wakeup takes {:.0f} us in the median, without it {:.0f}, and the "
                  "breakpoint is {} us",
                  *capture.traced_us, capture.untraced_us.value_or(0), capture.breakpoint_us)));
}

}  // namespace

void check_capture(const TrialEvidence& evidence, Reasons& reasons) {
  if (!evidence.planned.breakpoint_us || evidence.tracer || run_of(evidence) == nullptr) return;
  const CaptureResult capture = evidence.capture.value_or(CaptureResult());
  check_proof(capture, reasons);
  check_losses(capture, reasons);
  check_hits(capture, reasons);
  check_cost(capture, reasons);
}

}  // namespace rtsweep::checks
