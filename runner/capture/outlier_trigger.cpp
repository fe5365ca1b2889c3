// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/outlier_trigger.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
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
    {"rtsweep_switched", "u64 latency_ns; s64 expires; pid_t pid"},
    {"rtsweep_late", "u64 latency_ns; u64 until_sleep_ns; s64 expires; int pid"},
};

constexpr char kLateTrigger[] = "events/synthetic/rtsweep_late/trigger";

struct Trigger {
  const char* file;
  const char* text;
};

// In the order in which they can be set: each names variables of those before it, and takes them
// away by reading them, so that each passes the expiry on. The clock is given each time, since
// a histogram with time stamps sets the instance's clock.
constexpr Trigger kTriggers[] = {
    {"events/timer/hrtimer_start/trigger",
     "hist:keys=common_pid:rts_exp=expires:clock=mono if comm == \"cyclictest\""},
    {"events/sched/sched_waking/trigger",
     "hist:keys=pid:rts_w=common_timestamp-$rts_exp,rts_e=$rts_exp:clock=mono:"
     "onmatch(timer.hrtimer_start).rtsweep_waking($rts_w,pid) "
     "if comm == \"cyclictest\" && prio < 100"},
    {"events/sched/sched_switch/trigger",
     "hist:keys=next_pid:rts_s=common_timestamp-$rts_e,rts_f=$rts_e:clock=mono:"
     "onmatch(sched.sched_waking).rtsweep_switched($rts_s,$rts_f,next_pid) "
     "if next_comm == \"cyclictest\" && next_prio < 100"},
    {"events/synthetic/rtsweep_switched/trigger",
     "hist:keys=pid:rts_l=latency_ns,rts_x=expires:clock=mono"},
    {"events/timer/hrtimer_start/trigger",
     "hist:keys=common_pid:rts_t=common_timestamp-$rts_x,rts_k=$rts_l,rts_y=$rts_x:clock=mono:"
     "onmatch(synthetic.rtsweep_switched).rtsweep_late($rts_k,$rts_t,$rts_y,common_pid) "
     "if comm == \"cyclictest\""},
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
    (void)trace.append(kTriggers[i].file, std::string("!") + kTriggers[i].text);
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

std::optional<int64_t> cpu_of(std::string_view line) {
  const size_t open = line.find(" [");
  if (open == std::string_view::npos) return std::nullopt;
  return field(line.substr(open), " [");
}

}  // namespace

Result<OutlierTrigger> OutlierTrigger::set(const TraceInstance& trace) {
  RTSWEEP_TRY(const TraceInstance top, TraceInstance::top());
  if (!top.has("synthetic_events") || !trace.has("snapshot") ||
      !trace.has("events/sched/sched_switch/hist")) {
    return Error(Errc::kNotSupported,
                 "the kernel has no histogram triggers or no snapshots (CONFIG_HIST_TRIGGERS, "
                 "CONFIG_SYNTH_EVENTS, CONFIG_TRACER_SNAPSHOT)");
  }
  remove_all(trace);  // of a runner that was killed
  RTSWEEP_CHECK_OK(define_events(top));
  OutlierTrigger trigger(trace);
  for (const Trigger& one : kTriggers) RTSWEEP_CHECK_OK(trace.append(one.file, one.text));
  return trigger;
}

OutlierTrigger::OutlierTrigger(OutlierTrigger&& other) noexcept
    : trace_(std::exchange(other.trace_, nullptr)), armed_(std::move(other.armed_)) {}

OutlierTrigger::~OutlierTrigger() {
  if (trace_ == nullptr) return;
  (void)disarm();
  remove_all(*trace_);
}

Result<void> OutlierTrigger::arm(int64_t threshold_ns) {
  RTSWEEP_CHECK_OK(disarm());
  const std::string trigger = "snapshot:1 if " + late_filter("until_sleep_ns", threshold_ns);
  RTSWEEP_CHECK_OK(trace_->append(kLateTrigger, trigger));
  armed_ = trigger;
  return {};
}

Result<void> OutlierTrigger::disarm() {
  if (armed_.empty()) return {};
  armed_.clear();
  return trace_->append(kLateTrigger, "!snapshot");
}

Result<bool> OutlierTrigger::has_fired() const {
  RTSWEEP_TRY(const std::string triggers, trace_->read(kLateTrigger));
  return triggers.find("snapshot:count=0") != std::string::npos;
}

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
  const auto latency = field(fields, " latency_ns=");
  const auto until_sleep = field(fields, " until_sleep_ns=");
  const auto expiry = field(fields, " expires=");
  const auto pid = field(fields, " pid=");
  if (!cpu || !at || !latency || !until_sleep || !expiry || !pid) return std::nullopt;
  return LateWakeup{.pid = static_cast<int>(*pid),
                    .cpu = static_cast<int>(*cpu),
                    .at_ns = *at,
                    .expiry_ns = *expiry,
                    .latency_ns = *latency,
                    .until_sleep_ns = *until_sleep};
}

}  // namespace rtsweep
