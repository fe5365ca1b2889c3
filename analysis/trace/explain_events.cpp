// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/trace/attribution.h"
#include "analysis/trace/event_line.h"
#include "analysis/trace/explain_parts.h"
#include "analysis/trace/scan.h"
#include "analysis/trace/softirq_names.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

bool shows_interrupts(const Trace& trace) {
  return has_event(trace, "irq_handler_") || has_event(trace, "local_timer_") ||
         has_event(trace, "irq_noise") || has_event(trace, "softirq_entry");
}

// What is part of every latency is not its cause, unless there is nothing else.
bool is_ordinary(SegmentKind kind) {
  return kind == SegmentKind::kSwitch || kind == SegmentKind::kTimerInterrupt ||
         kind == SegmentKind::kRunning;
}

struct Share {
  SegmentKind kind = SegmentKind::kNotVisible;
  std::string who;
  std::string detail;
  int64_t length_ns = 0;
};

// The kind that took most of the latency, and in it the name that did: a storm of softirqs
// is one cause, whichever of them ran longest.
Share largest_share(const std::vector<Segment>& segments) {
  std::map<std::pair<SegmentKind, std::string>, Share> shares;
  std::map<SegmentKind, int64_t> kinds;
  int64_t sum = 0;
  for (const Segment& segment : segments) {
    Share& share = shares[{segment.kind, segment.who}];
    share.kind = segment.kind;
    share.who = segment.who;
    if (share.detail.empty()) share.detail = segment.detail;
    share.length_ns += segment.length_ns;
    kinds[segment.kind] += segment.length_ns;
    sum += segment.length_ns;
  }
  SegmentKind kind = SegmentKind::kNotVisible;
  int64_t most = 0;
  for (const bool ordinary : {false, true}) {
    for (const auto& [one, length_ns] : kinds) {
      if ((ordinary || !is_ordinary(one)) && length_ns > most) {
        kind = one;
        most = length_ns;
      }
    }
    if (most * 4 >= sum) break;
  }
  Share largest;
  for (const auto& [key, share] : shares) {
    if (share.kind == kind && share.length_ns > largest.length_ns) largest = share;
  }
  return largest;
}

// " (serial console)": the detail where it is work that is known, not where it was seen.
std::string work_words(const Share& share) {
  return share.detail.empty() || share.detail.starts_with("by ") ? "" : " (" + share.detail + ")";
}

// "a softirq of NET_RX" and the like: what stood in the way, as the subject of a sentence.
std::string cause_words(const Share& share) {
  const std::string who = share.who.empty() ? "" : " " + share.who;
  switch (share.kind) {
    case SegmentKind::kLateTimer:
      return "its timer interrupt came late, for a reason that the trace does not show";
    case SegmentKind::kMachineSilent:
      return share.detail.starts_with("only this CPU")
                 ? "the CPU stood still, as firmware (SMI) or a hypervisor makes it"
                 : "the whole machine stood still, as firmware (SMI) or a hypervisor makes it";
    case SegmentKind::kIdleExit:
      return "the CPU came out of idle" + who;
    case SegmentKind::kHardIrq:
      return share.who.empty() ? "a hard interrupt ran" : "the hard interrupt" + who + " ran";
    case SegmentKind::kTimerInterrupt:
      return "the timer interrupt ran";
    case SegmentKind::kSoftirq:
      return "the softirq" + who + (share.detail.empty() ? " ran" : " (" + share.detail + ") ran");
    case SegmentKind::kIrqsOff:
      return "interrupts were off in" + (who.empty() ? " the kernel" : who) + work_words(share);
    case SegmentKind::kPreemptOff:
      return who.substr(who.empty() ? 0 : 1) + " could not be preempted" + work_words(share);
    case SegmentKind::kHigherPriority:
      return share.detail.empty() ? who.substr(1) + " ran, of higher priority"
                                  : who.substr(1) + " ran, of the same priority";
    case SegmentKind::kMigration:
      return "it was moved from" + who;
    case SegmentKind::kLock:
      return "it waited for a lock" + (who.empty() ? "" : " while" + who + " ran");
    case SegmentKind::kFrequency:
      return "the CPU's frequency was changed";
    case SegmentKind::kSwitch:
      return "the scheduler switched";
    case SegmentKind::kRunning:
      return "the thread itself ran";
    case SegmentKind::kNotVisible:
      break;
  }
  return "the trace does not show what ran";
}

std::string latency_words(const Outlier& outlier) {
  if (outlier.expiry_known && outlier.marked && !outlier.to_switch)
    return "from programmed expiry to running";
  if (outlier.expiry_known) return "from programmed expiry to the context switch";
  if (outlier.ends_late) return "by the measuring program, up to its mark in the trace";
  return "from waking to the context switch (its timer is not in the trace)";
}

// Nothing stands out, or what stands out is not there.
void judge(const Trace& trace, const Share& cause, const Attribution& attribution,
           Explanation& result) {
  const auto next = [&](std::string_view text) { result.next.emplace_back(text); };
  if (attribution.lost) {
    result.conclusion = Conclusion::kNotProvable;
    next("a larger buffer (trace-cmd record -b KB) or fewer events, so that none are lost");
    return;
  }
  result.conclusion = Conclusion::kExplained;
  switch (cause.kind) {
    case SegmentKind::kLateTimer:
      result.conclusion = Conclusion::kUnknown;
      next("-e preemptirq: who has interrupts off (needs CONFIG_PREEMPTIRQ_TRACEPOINTS)");
      next("the hwlat tracer on this CPU: whether firmware takes it");
      break;
    case SegmentKind::kNotVisible:
    case SegmentKind::kRunning:
      result.conclusion = Conclusion::kUnknown;
      next(recording_command());
      break;
    case SegmentKind::kPreemptOff:
      if (!shows_interrupts(trace)) {
        result.conclusion = Conclusion::kUnknown;
        result.notes.emplace_back(
            "interrupts and softirqs are not traced: they may have had that time too");
        next(recording_command());
      } else if (cause.who.find(" in ") == std::string::npos) {
        next("-T (stack traces) or -e preemptirq: where preemption is off");
      }
      break;
    case SegmentKind::kHardIrq:
      if (cause.who.empty()) next("-e irq -e irq_vectors: which interrupt it is");
      break;
    default:
      break;
  }
}

void add_gap_note(const Trace& trace, const Attribution& attribution, Explanation& result) {
  if (!attribution.gap) return;
  const Gap& gap = *attribution.gap;
  std::string text =
      fmt::format("largest gap between events on CPU {}: {}, lines {} to {}", gap.cpu,
                  us_text(gap.length_ns()), gap.before_line, gap.after_line);
  if (gap.irqs_off) text += *gap.irqs_off ? ", interrupts off" : ", interrupts on";
  if (!gap.irqs_off) text += ", whether interrupts were off is not traced";
  const bool alone = std::ranges::all_of(
      trace.events, [&](const TraceEvent& event) { return event.cpu == gap.cpu; });
  if (alone) {
    text += "; no other CPU is in the trace";
  } else if (gap.machine_silent()) {
    text += fmt::format("; no other CPU had an event either ({:.0f} expected)", gap.expected);
  } else {
    text += fmt::format("; {} event{} on other CPUs meanwhile", gap.other_events,
                        gap.other_events == 1 ? "" : "s");
  }
  result.notes.emplace_back(text);
}

// Who gave its priority away: sched_pi_setprio names the owner of the lock.
void add_boost_note(const Trace& trace, const Outlier& outlier, Explanation& result) {
  for (const TraceEvent& event : trace.events) {
    if (event.name != "sched_pi_setprio" || event.time_ns < outlier.begin_ns ||
        event.time_ns > outlier.end_ns) {
      continue;
    }
    const auto from = number_field(event.text, "oldprio");
    const auto to = number_field(event.text, "newprio");
    if (!from || !to || *to >= *from) continue;
    result.notes.emplace_back(fmt::format(
        "line {}: {}-{} was boosted from {} to {}: it holds a lock that another waits for",
        event.line, field(event.text, "comm"), field(event.text, "pid"),
        priority_text(static_cast<int>(std::clamp<int64_t>(*from, -1, 140))),
        priority_text(static_cast<int>(std::clamp<int64_t>(*to, -1, 140)))));
  }
}

// ksoftirqd is woken to run a softirq: when that begins is what its user feels.
void add_softirq_note(const Trace& trace, const Outlier& outlier, Explanation& result) {
  if (!outlier.task.comm.starts_with("ksoftirqd")) return;
  for (const TraceEvent& event : trace.events) {
    if (event.name != "softirq_entry" || event.cpu != outlier.run_cpu ||
        event.time_ns < outlier.running_ns) {
      continue;
    }
    result.notes.emplace_back(
        fmt::format("line {}: softirq {} was entered {} after the waking", event.line,
                    softirq_name(number_field(event.text, "vec").value_or(-1)),
                    us_text(event.time_ns - outlier.waking_ns)));
    return;
  }
}

// A complaint beside the trace that names softirqs: is their raising in it?
void add_complaint_notes(const Trace& trace, Explanation& result) {
  std::string last;
  for (const TraceRemark& remark : trace.remarks) {
    const std::string meaning = complaint_meaning(remark.text);
    if (meaning.empty() || meaning == last) continue;
    last = meaning;
    result.notes.emplace_back(
        fmt::format("line {}: \"{}\": {}", remark.line, remark.text, meaning));
  }
}

void add_raised_softirqs(const Trace& trace, Explanation& result) {
  if (!has_event(trace, "softirq_")) return;
  std::vector<std::string> raised;
  std::vector<std::string> others;
  for (int vector = 0; vector < 10; ++vector) {
    const bool seen = std::ranges::any_of(trace.events, [vector](const TraceEvent& event) {
      return event.name == "softirq_raise" && number_field(event.text, "vec") == vector;
    });
    (seen ? raised : others).push_back(softirq_name(vector));
  }
  result.notes.emplace_back(fmt::format("softirqs raised in it: {}; not in it: {}",
                                        raised.empty() ? "none" : join(raised, ", "),
                                        join(others, ", ")));
}

Explanation without_outlier(const Trace& trace) {
  Explanation result{.source = trace.source, .subject = "event trace"};
  const bool scheduler = has_event(trace, "sched_switch");
  result.headline =
      scheduler ? "No way from waking to running is whole in this trace: nothing to explain."
                : fmt::format(
                      "Not usable for the analysis of a wake-up: none of its {} events is a "
                      "scheduler's.",
                      trace.events.size());
  result.notes.emplace_back("events in it: " + event_counts(trace, 8));
  if (!scheduler) {
    result.notes.emplace_back(
        "needed events were not recorded, so this does not say that there was no latency");
  }
  add_complaint_notes(trace, result);
  result.next.emplace_back(recording_command());
  return result;
}

// Nobody marked an outlier, and nothing waited long.
Explanation nothing_long(const Trace& trace, const Outlier& longest,
                         const ExplainOptions& options) {
  Explanation result{.source = trace.source, .subject = "event trace without a marked outlier"};
  const bool excerpt = !trace.cuts.empty() || !trace.lost.empty();
  result.conclusion = excerpt ? Conclusion::kNotProvable : Conclusion::kUnknown;
  result.headline = fmt::format(
      "{} no wake-up in it took {}, the longest {} ({}).",
      excerpt ? "The evidence is missing from this excerpt:" : "No outlier is in this trace:",
      us_text(options.breakpoint_ns), us_text(longest.latency_ns()), task_text(longest.task));
  result.evidence.push_back({longest.waking_line, fmt::format("the longest wake-up begins: {}",
                                                              task_text(longest.task))});
  result.evidence.push_back({longest.running_line, "and runs"});
  if (!trace.cuts.empty()) {
    result.notes.emplace_back(fmt::format(
        "parts were left out at line{} {}: the evidence for what is looked for is missing",
        trace.cuts.size() == 1 ? "" : "s", fmt::join(trace.cuts, ", ")));
  }
  add_raised_softirqs(trace, result);
  add_complaint_notes(trace, result);
  result.next.emplace_back("the whole trace, stopped at the outlier: cyclictest -b US --tracemark");
  result.next.emplace_back(recording_command());
  return result;
}

}  // namespace

Explanation explain_events(const Trace& trace, const ExplainOptions& options) {
  const auto outlier = find_outlier(trace, options);
  if (!outlier) return without_outlier(trace);
  if (!outlier->marked && outlier->latency_ns() < options.breakpoint_ns) {
    return nothing_long(trace, *outlier, options);
  }
  const Attribution attribution = attribute(trace, *outlier);
  const Share cause = largest_share(attribution.segments);
  Explanation result{.source = trace.source};
  result.subject = fmt::format("{} on CPU {}", task_text(outlier->task), outlier->run_cpu);
  if (!outlier->origin.empty()) result.subject += "; " + outlier->origin;
  result.latency_ns = outlier->latency_ns();
  result.latency_of = latency_words(*outlier);
  result.segments = attribution.segments;
  result.evidence = attribution.evidence;
  result.cause = cause.kind;
  result.cause_who = cause.who;
  result.cause_detail = cause.detail;
  result.headline = fmt::format("{} was late by {} on CPU {}: for {} {}.", task_text(outlier->task),
                                us_text(*result.latency_ns), outlier->run_cpu,
                                us_text(cause.length_ns), cause_words(cause));
  if (attribution.lost)
    result.headline = "Not provable, events are missing. Likely: " + result.headline;
  for (const std::string& doubt : attribution.doubts) result.notes.emplace_back(doubt);
  add_gap_note(trace, attribution, result);
  if (const std::string hint = thread_hint(cause.who); !hint.empty()) {
    result.notes.emplace_back(cause.who.substr(0, cause.who.find(' ')) + ": " + hint);
  }
  add_boost_note(trace, *outlier, result);
  add_softirq_note(trace, *outlier, result);
  add_complaint_notes(trace, result);
  if (!outlier->marked && !outlier->task.is_realtime()) {
    result.notes.emplace_back("not a real-time thread; no real-time thread waited as long");
  }
  if (outlier->ends_late) {
    result.notes.emplace_back(
        "its timer is not in the trace: begin and end may both be earlier, by what passed between "
        "reading the clock and writing the mark");
  }
  judge(trace, cause, attribution, result);
  return result;
}

}  // namespace rtsweep
