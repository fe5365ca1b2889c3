// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/outlier_trigger.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

struct SyntheticEvent {
  const char* name;
  const char* fields;
};

constexpr SyntheticEvent kEvents[] = {
    {"rtsweep_waking", "u64 latency_ns; pid_t pid"},
    {"rtsweep_switched", "u64 latency_ns; pid_t pid"},
    {"rtsweep_late", "u64 until_sleep_ns; s64 expires; int pid"},
};

constexpr char kLateTrigger[] = "events/synthetic/rtsweep_late/trigger";

struct Trigger {
  const char* file;
  std::string text;
};

// The probe's own system call, and no interrupt that came in while it ran (the tick starts its
// timer again): bits 8 and 16 of the flags are hard and soft interrupts (trace_flag_type).
const std::string kByTheProbe = "comm == \"cyclictest\" && !(common_flags & 24)";

// In the order in which they can be set: each names variables of those before it, and takes them
// away by reading them, so that each passes the expiry on. The clock is given each time, since
// a histogram with time stamps sets the instance's clock.
const Trigger kTriggers[] = {
    {"events/timer/hrtimer_start/trigger",
     "hist:keys=common_pid:rts_exp=expires:clock=mono if " + kByTheProbe},
    {"events/sched/sched_waking/trigger",
     "hist:keys=pid:rts_w=common_timestamp-$rts_exp,rts_e=$rts_exp:clock=mono:"
     "onmatch(timer.hrtimer_start).rtsweep_waking($rts_w,pid) "
     "if comm == \"cyclictest\" && prio < 100"},
    {"events/sched/sched_switch/trigger",
     "hist:keys=next_pid:rts_s=common_timestamp-$rts_e,rts_f=$rts_e:clock=mono:"
     "onmatch(sched.sched_waking).rtsweep_switched($rts_s,next_pid) "
     "if next_comm == \"cyclictest\" && next_prio < 100"},
    {"events/timer/hrtimer_start/trigger",
     "hist:keys=common_pid:rts_t=common_timestamp-$rts_f,rts_y=$rts_f:clock=mono:"
     "onmatch(sched.sched_switch).rtsweep_late($rts_t,$rts_y,common_pid) if " +
         kByTheProbe},
};

Result<void> define_events(const TraceInstance& top) {
  for (const SyntheticEvent& event : kEvents) {
    RTSWEEP_CHECK_OK(top.append("synthetic_events", std::string(event.name) + " " + event.fields));
  }
  return {};
}

// Best effort: what is not there any more is no failure.
void remove_all(const TraceInstance& trace) {
  for (size_t i = std::size(kTriggers); i-- > 0;) {
    (void)trace.append(kTriggers[i].file, "!" + kTriggers[i].text);
  }
  const auto top = TraceInstance::top();
  if (!top) return;
  for (size_t i = std::size(kEvents); i-- > 0;) {
    (void)top->append("synthetic_events", std::string("!") + kEvents[i].name);
  }
}

// The number behind "name=" in the line.
std::optional<int64_t> field(std::string_view line, std::string_view name) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  int64_t value = 0;
  const char* begin = line.data() + at + name.size();
  const auto [end, failed] = std::from_chars(begin, line.data() + line.size(), value);
  if (failed != std::errc() || end == begin) return std::nullopt;
  return value;
}

// "   13.629622:" before the name of the event.
std::optional<int64_t> stamp_ns(std::string_view line, size_t event) {
  const std::vector<std::string> before = words(line.substr(0, event));
  if (before.empty()) return std::nullopt;
  double seconds = 0;
  const std::string& word = before.back();
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (failed != std::errc() || *end != ':') return std::nullopt;
  return std::llround(seconds * 1e6) * 1000;
}

// The expiry that ends in the same 32 bits and is nearest to where the time stamp says it was.
int64_t whole_expiry(int64_t expiry_ns, int64_t at_ns, int64_t until_sleep_ns) {
  constexpr int64_t kTurn = int64_t{1} << 32;
  const int64_t about = at_ns - until_sleep_ns;
  if (about < 0 || until_sleep_ns < 0 || std::abs(about - expiry_ns) < kTurn / 2) return expiry_ns;
  const int64_t turns =
      std::llround(static_cast<double>(about - expiry_ns) / static_cast<double>(kTurn));
  return expiry_ns + turns * kTurn;
}

std::optional<int64_t> cpu_of(std::string_view line) {
  const size_t open = line.find(" [");
  if (open == std::string_view::npos) return std::nullopt;
  return field(line.substr(open), " [");
}

}  // namespace

Result<OutlierTrigger> OutlierTrigger::set(const TraceInstance& trace) {
  RTSWEEP_TRY(const TraceInstance top, TraceInstance::top());
  if (!top.has("synthetic_events") || !trace.has("events/sched/sched_switch/hist")) {
    return Error(
        Errc::kNotSupported,
        "the kernel has no histogram triggers (CONFIG_HIST_TRIGGERS, CONFIG_SYNTH_EVENTS)");
  }
  remove_all(trace);  // of a runner that was killed
  RTSWEEP_CHECK_OK(define_events(top));
  OutlierTrigger trigger(trace);
  for (const Trigger& one : kTriggers) RTSWEEP_CHECK_OK(trace.append(one.file, one.text));
  return trigger;
}

OutlierTrigger::OutlierTrigger(OutlierTrigger&& other) noexcept
    : trace_(std::exchange(other.trace_, nullptr)), has_threshold_(other.has_threshold_) {}

OutlierTrigger::~OutlierTrigger() {
  if (trace_ == nullptr) return;
  if (has_threshold_) (void)trace_->append(kLateTrigger, "!traceoff");
  remove_all(*trace_);
}

Result<void> OutlierTrigger::set_threshold(int64_t threshold_ns) {
  if (has_threshold_) RTSWEEP_CHECK_OK(trace_->append(kLateTrigger, "!traceoff"));
  has_threshold_ = false;
  RTSWEEP_CHECK_OK(
      trace_->append(kLateTrigger, "traceoff if " + late_filter("until_sleep_ns", threshold_ns)));
  has_threshold_ = true;
  return {};
}

Result<bool> OutlierTrigger::has_stopped() const {
  RTSWEEP_TRY(const std::string on, trace_->read("tracing_on"));
  return trim(on) == "0";
}

Result<void> OutlierTrigger::go_on() const { return trace_->write("tracing_on", "1"); }

Result<void> OutlierTrigger::add_stacks(int64_t threshold_ns) const {
  const std::string trigger = "stacktrace if " + late_filter("latency_ns", threshold_ns);
  RTSWEEP_CHECK_OK(trace_->append("events/synthetic/rtsweep_waking/trigger", trigger));
  return trace_->append("events/synthetic/rtsweep_switched/trigger", trigger);
}

std::string late_filter(std::string_view field, int64_t threshold_ns) {
  return fmt::format("{0} > {1} && {0} < 3600000000000", field, threshold_ns);
}

std::optional<LateWakeup> parse_late_wakeup(std::string_view line) {
  const size_t event = line.find("rtsweep_late: ");
  if (event == std::string_view::npos) return std::nullopt;
  const std::string_view fields = line.substr(event);
  const auto cpu = cpu_of(line);
  const auto at = stamp_ns(line, event);
  const auto until_sleep = field(fields, " until_sleep_ns=");
  const auto expiry = field(fields, " expires=");
  const auto pid = field(fields, " pid=");
  if (!cpu || !at || !until_sleep || !expiry || !pid) return std::nullopt;
  return LateWakeup{.pid = static_cast<int>(*pid),
                    .cpu = static_cast<int>(*cpu),
                    .at_ns = *at,
                    .expiry_ns = whole_expiry(*expiry, *at, *until_sleep),
                    .until_sleep_ns = *until_sleep};
}

}  // namespace rtsweep
