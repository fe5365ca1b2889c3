// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/explanation.h"

#include <array>

namespace rtsweep {
namespace {

struct KindWords {
  SegmentKind kind;
  std::string_view code;
  std::string_view name;
};
constexpr std::array<KindWords, 15> kKinds = {
    {{SegmentKind::kLateTimer, "late_timer", "late timer interrupt"},
     {SegmentKind::kMachineSilent, "machine_silent", "whole machine silent"},
     {SegmentKind::kIdleExit, "idle_exit", "idle exit"},
     {SegmentKind::kHardIrq, "hard_irq", "hard interrupt"},
     {SegmentKind::kTimerInterrupt, "timer_interrupt", "timer interrupt"},
     {SegmentKind::kSoftirq, "softirq", "softirq"},
     {SegmentKind::kIrqsOff, "irqs_off", "interrupts off"},
     {SegmentKind::kPreemptOff, "preempt_off", "preemption off"},
     {SegmentKind::kHigherPriority, "higher_priority", "higher priority"},
     {SegmentKind::kMigration, "migration", "migration"},
     {SegmentKind::kLock, "lock", "waiting for a lock"},
     {SegmentKind::kFrequency, "frequency", "frequency change"},
     {SegmentKind::kSwitch, "switch", "context switch"},
     {SegmentKind::kRunning, "running", "running"},
     {SegmentKind::kNotVisible, "not_visible", "not in the trace"}}};

const KindWords& words_of(SegmentKind kind) {
  for (const KindWords& words : kKinds) {
    if (words.kind == kind) return words;
  }
  return kKinds.back();
}

}  // namespace

std::string_view segment_code(SegmentKind kind) { return words_of(kind).code; }
std::string_view segment_name(SegmentKind kind) { return words_of(kind).name; }

std::string_view conclusion_code(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::kExplained:
      return "explained";
    case Conclusion::kUnknown:
      return "unknown";
    case Conclusion::kNotProvable:
      break;
  }
  return "not_provable";
}

}  // namespace rtsweep
