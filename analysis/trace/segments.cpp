// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/trace/explain_parts.h"
#include "analysis/trace/scan.h"
#include "analysis/trace/softirq_names.h"

namespace rtsweep {
namespace {

// The last steps of the scheduler take this long at most; longer is something else.
constexpr int64_t kLongestSwitch = 10'000;
// A timer interrupt this late has a cause that is worth being named.
constexpr int64_t kShortestLateness = 10'000;
// No idle state takes this long to leave: the deepest of a server package, with its caches
// flushed, a few hundred microseconds (exit_latency in cpuidle's tables).
constexpr int64_t kLongestIdleExit = 2'000'000;

// The innermost activity of a kind that covers a piece: the one that began last.
const Activity* covering(const std::vector<const Activity*>& alive, ActivityKind kind,
                         int64_t begin, int64_t end) {
  const Activity* found = nullptr;
  for (const Activity* one : alive) {
    const Activity& activity = *one;
    if (activity.kind != kind || !activity.covers(begin, end)) continue;
    const bool better =
        found == nullptr || (found->guessed && !activity.guessed) ||
        (found->guessed == activity.guessed && activity.begin_ns >= found->begin_ns);
    if (better) found = &activity;
  }
  return found;
}

// `timeline` holds what touches the span: its activities by their begin, its changes of the
// frequency. The pieces come in the order of time.

class PieceClassifier {
 public:
  PieceClassifier(const CpuTimeline& timeline, const PhaseSpan& span, const TaskRef& task,
                  const std::optional<Gap>& silent, const StackClues& clues)
      : timeline_(timeline), span_(span), task_(task), silent_(silent), clues_(clues) {}

  Segment classify(int64_t begin, int64_t end) {
    begin_ = begin;
    end_ = end;
    const auto& activities = timeline_.activities;
    for (; next_ < activities.size() && activities[next_].begin_ns <= begin; ++next_) {
      alive_.push_back(&activities[next_]);
    }
    std::erase_if(alive_, [begin](const Activity* one) { return one->end_ns <= begin; });
    hard_ = find(ActivityKind::kHardIrq);
    soft_ = find(ActivityKind::kSoftirq);
    irqs_off_ = find(ActivityKind::kIrqsOff);
    preempt_off_ = find(ActivityKind::kPreemptOff);
    idle_ = find(ActivityKind::kIdle);
    running_ = find(ActivityKind::kTask);
    if (silent_ && silent_->begin_ns <= begin && end <= silent_->end_ns) {
      return segment(SegmentKind::kMachineSilent, "",
                     "no event on any CPU: firmware (SMI) or the hypervisor");
    }
    switch (span_.phase) {
      case Phase::kInterrupt:
        return waiting_for_interrupt();
      case Phase::kWaking:
        return waking();
      case Phase::kCpu:
        return waiting_for_cpu();
      case Phase::kAfter:
        break;
    }
    return after_running();
  }

 private:
  const Activity* find(ActivityKind kind) const { return covering(alive_, kind, begin_, end_); }

  Segment segment(SegmentKind kind, std::string who, std::string detail = {},
                  const Activity* seen = nullptr) const {
    return {.kind = kind,
            .begin_ns = begin_,
            .length_ns = end_ - begin_,
            .cpu = timeline_.cpu,
            .who = std::move(who),
            .detail = std::move(detail),
            .line = seen == nullptr         ? 0
                    : seen->begin_line != 0 ? seen->begin_line
                                            : seen->end_line};
  }

  // An interrupt is late because another runs, interrupts are off, or the CPU sleeps.
  // Softirqs and threads alone do not hold it up.
  Segment waiting_for_interrupt() {
    if (hard_ != nullptr) return hard_interrupt();
    if (irqs_off_ != nullptr) return interrupts_off();
    if (changes_frequency()) return frequency();
    const bool idle = idle_ != nullptr || (running_ != nullptr && running_->task.is_idle());
    if (idle && end_ - begin_ > kLongestIdleExit) {
      return stood_still("no idle state takes as long to leave", idle_);
    }
    if (idle_ != nullptr) return segment(SegmentKind::kIdleExit, idle_->who, "", idle_);
    if (idle) {
      return segment(SegmentKind::kIdleExit, "", "the CPU was idle; cpu_idle is not traced",
                     running_);
    }
    return end_ - begin_ < kShortestLateness ? late_timer() : long_late_timer();
  }

  // The stack of the interrupt that was late says what it came into: where interrupts were
  // switched on again, or where they had been on all the time.
  Segment long_late_timer() {
    const Interrupted& into = clues_.late;
    if (into.where == Interrupted::Where::kUser) {
      return stood_still("user space was interrupted, where interrupts are on", running_);
    }
    // Without another CPU that went on, a machine that stood still looks the same.
    const bool proved = !clues_.alone || switches_interrupts_on(into.functions);
    if (into.where != Interrupted::Where::kKernel || !proved) return late_timer();
    std::string who = running_ == nullptr ? "" : task_text(running_->task) + " in ";
    return segment(SegmentKind::kIrqsOff, who + calls_text(into.functions),
                   work_detail(into.functions, "by the stack of the interrupt that was late"),
                   running_);
  }

  Segment stood_still(std::string_view why, const Activity* seen) const {
    return segment(SegmentKind::kMachineSilent, "", "only this CPU is known: " + std::string(why),
                   seen);
  }

  static std::string work_detail(const std::vector<std::string_view>& functions,
                                 std::string_view otherwise) {
    const std::string work = work_of_calls(functions);
    return work.empty() ? std::string(otherwise) : work;
  }

  Segment late_timer() const {
    const std::string during =
        running_ == nullptr ? "" : "while " + task_text(running_->task) + " was running";
    return segment(SegmentKind::kLateTimer, "", during, running_);
  }

  Segment waking() {
    if (hard_ != nullptr && !is_timer_interrupt(hard_->who) && !hard_->who.empty()) {
      return hard_interrupt();
    }
    return segment(SegmentKind::kTimerInterrupt, hard_ == nullptr ? "" : hard_->who, "", hard_);
  }

  Segment waiting_for_cpu() {
    if (hard_ != nullptr) return hard_interrupt();
    if (soft_ != nullptr) return softirq();
    if (running_ == nullptr) return segment(SegmentKind::kNotVisible, "");
    if (running_->task.is_idle()) return out_of_idle();
    if (is_above(running_->task)) return higher_priority();
    if (changes_frequency()) return frequency();
    if (end_ == span_.end_ns && end_ - begin_ <= kLongestSwitch) {
      return segment(SegmentKind::kSwitch, "", "from " + task_text(running_->task), running_);
    }
    if (irqs_off_ != nullptr) return interrupts_off();
    return preemption_off();
  }

  Segment preemption_off() const {
    std::string who = task_text(running_->task);
    std::string detail;
    if (preempt_off_ != nullptr && !preempt_off_->who.empty()) {
      who += " in " + preempt_off_->who;
    } else if (running_->end_ns >= span_.end_ns && !clues_.switching.empty()) {
      who += " in " + calls_text(clues_.switching);
      detail = work_detail(clues_.switching, "by the stack of its sched_switch");
    }
    return segment(SegmentKind::kPreemptOff, who, detail,
                   preempt_off_ != nullptr ? preempt_off_ : running_);
  }

  // The idle loop sees the request to schedule, leaves idle and schedules.
  Segment out_of_idle() {
    if (idle_ != nullptr) return segment(SegmentKind::kIdleExit, idle_->who, "", idle_);
    if (irqs_off_ != nullptr) return interrupts_off();
    if (end_ == span_.end_ns && end_ - begin_ <= kLongestSwitch) {
      return segment(SegmentKind::kSwitch, "", "from the idle task", running_);
    }
    return segment(SegmentKind::kIdleExit, "", "", running_);
  }

  Segment after_running() {
    if (hard_ != nullptr) return hard_interrupt();
    // Past the last event of the CPU it was still running: it read the clock then.
    if (running_ == nullptr && begin_ >= timeline_.last_ns) return running_itself();
    if (running_ != nullptr && running_->task.same_thread(task_)) {
      if (soft_ != nullptr) return softirq();
      return running_itself();
    }
    if (const Activity* slept = left_blocked()) {
      return segment(SegmentKind::kLock, running_ == nullptr ? "" : task_text(running_->task),
                     "it had to sleep (state " + slept->left_as + ") before it was done", slept);
    }
    return waiting_for_cpu();
  }

  Segment running_itself() const {
    return segment(SegmentKind::kRunning, "", "until it read the clock", running_);
  }

  // The thread's own last turn before this piece, when it went to sleep after it and has
  // not been woken since.
  const Activity* left_blocked() const {
    const Activity* last = nullptr;
    for (const Activity& activity : timeline_.activities) {
      if (activity.kind == ActivityKind::kTask && activity.task.same_thread(task_) &&
          activity.end_ns <= begin_ && activity.begin_ns >= span_.begin_ns) {
        last = &activity;
      }
    }
    const bool slept = last != nullptr && !last->left_as.empty() && last->left_as[0] != 'R';
    return slept ? last : nullptr;
  }

  Segment hard_interrupt() const {
    return segment(SegmentKind::kHardIrq, hard_->who,
                   hard_->who.empty() ? "by the flag column; its name is not traced" : "", hard_);
  }

  Segment softirq() const {
    std::string detail(softirq_work(soft_->who));
    if (running_ != nullptr && !running_->task.is_idle()) {
      detail += (detail.empty() ? "in " : ", in ") + task_text(running_->task);
    }
    return segment(SegmentKind::kSoftirq, soft_->who, detail, soft_);
  }

  Segment interrupts_off() const {
    std::string who = irqs_off_->who;
    if (running_ != nullptr) {
      who = task_text(running_->task) + (who.empty() ? "" : " in " + who);
    }
    return segment(SegmentKind::kIrqsOff, who,
                   irqs_off_->guessed ? "by the flag column on both sides" : "", irqs_off_);
  }

  bool is_above(const TaskRef& other) const {
    return other.priority && task_.priority && *other.priority <= *task_.priority;
  }

  Segment higher_priority() const {
    const bool same = *running_->task.priority == *task_.priority;
    return segment(SegmentKind::kHigherPriority, task_text(running_->task),
                   same ? "of the same priority: first come, first served" : "", running_);
  }

  // cpu_frequency is written when the change is done.
  const TraceEvent* frequency_change() const {
    const auto event = std::ranges::lower_bound(timeline_.events, end_, {}, &TraceEvent::time_ns);
    return event != timeline_.events.end() && (*event)->time_ns == end_ ? *event : nullptr;
  }

  bool changes_frequency() const { return frequency_change() != nullptr; }

  Segment frequency() const {
    const TraceEvent* event = frequency_change();
    Segment found = segment(SegmentKind::kFrequency, "", event->text, nullptr);
    found.line = event->line;
    return found;
  }

  const CpuTimeline& timeline_;
  const PhaseSpan& span_;
  const TaskRef& task_;
  const std::optional<Gap>& silent_;
  const StackClues& clues_;
  size_t next_ = 0;                     // of the activities, not yet begun
  std::vector<const Activity*> alive_;  // begun, and not ended before this piece
  int64_t begin_ = 0;
  int64_t end_ = 0;
  const Activity* hard_ = nullptr;
  const Activity* soft_ = nullptr;
  const Activity* irqs_off_ = nullptr;
  const Activity* preempt_off_ = nullptr;
  const Activity* idle_ = nullptr;
  const Activity* running_ = nullptr;
};

}  // namespace

std::vector<Segment> segments_of(const CpuTimeline& timeline, const PhaseSpan& span,
                                 const TaskRef& task, const std::optional<Gap>& silent,
                                 const StackClues& clues) {
  std::set<int64_t> limits = {span.begin_ns, span.end_ns};
  const auto limit = [&](int64_t time) {
    if (time > span.begin_ns && time < span.end_ns) limits.insert(time);
  };
  CpuTimeline near{.cpu = timeline.cpu, .last_ns = timeline.last_ns};
  for (const Activity& activity : timeline.activities) {
    if (activity.end_ns < span.begin_ns || activity.begin_ns > span.end_ns) continue;
    limit(activity.begin_ns);
    limit(activity.end_ns);
    near.activities.push_back(activity);
  }
  for (const TraceEvent* event : timeline.events) {
    const bool changes =
        event->name == "cpu_frequency" && number_field(event->text, "cpu_id") == timeline.cpu;
    if (!changes || event->time_ns < span.begin_ns || event->time_ns > span.end_ns) continue;
    near.events.push_back(event);
    limit(event->time_ns);
  }
  std::ranges::stable_sort(near.activities, {}, &Activity::begin_ns);
  if (silent) {
    limit(silent->begin_ns);
    limit(silent->end_ns);
  }
  PieceClassifier classifier(near, span, task, silent, clues);
  std::vector<Segment> segments;
  for (auto at = limits.begin(); std::next(at) != limits.end(); ++at) {
    segments.push_back(classifier.classify(*at, *std::next(at)));
  }
  return segments;
}

std::vector<Segment> merge_segments(std::vector<Segment> segments) {
  std::vector<Segment> merged;
  for (Segment& segment : segments) {
    if (segment.length_ns == 0) continue;
    const bool same_kind =
        !merged.empty() && merged.back().kind == segment.kind && merged.back().cpu == segment.cpu;
    // The way from the idle state's exit to the scheduler belongs to it.
    const bool goes_on =
        same_kind && (merged.back().who == segment.who ||
                      (segment.kind == SegmentKind::kIdleExit && segment.who.empty()));
    if (goes_on) {
      merged.back().length_ns += segment.length_ns;
      continue;
    }
    merged.push_back(std::move(segment));
  }
  return merged;
}

}  // namespace rtsweep
