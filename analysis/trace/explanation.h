// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// What a part of a latency was spent on.
enum class SegmentKind {
  kLateTimer,       // the timer interrupt came late, and the trace does not show why
  kMachineSilent,   // no CPU did anything: firmware (SMI) or a hypervisor
  kIdleExit,        // out of an idle state
  kHardIrq,         // a hard interrupt handler
  kTimerInterrupt,  // the interrupt that woke the thread, up to the waking
  kSoftirq,
  kIrqsOff,         // interrupts were off
  kPreemptOff,      // preemption was off in a thread of lower priority
  kHigherPriority,  // a thread of higher priority, or of the same (first come, first served)
  kMigration,       // to another CPU
  kLock,            // the thread waited for a lock that another held
  kFrequency,       // a change of the CPU's frequency
  kSwitch,          // the last steps of the scheduler
  kRunning,         // the thread itself, until it read the clock
  kNotVisible,      // the trace does not cover it
};

// "hard_irq", "late_timer": as --json spells it.
std::string_view segment_code(SegmentKind kind);
// "hard interrupt", "late timer interrupt": as people read it.
std::string_view segment_name(SegmentKind kind);

struct Segment {
  SegmentKind kind = SegmentKind::kNotVisible;
  int64_t begin_ns = 0;  // of the trace clock
  int64_t length_ns = 0;
  int cpu = -1;
  std::string who;     // interrupt, softirq, thread, caller; empty: not to be told
  std::string detail;  // more of it in words
  size_t line = 0;     // of the file, where it is seen first; 0: nowhere
};

struct EvidenceLine {
  size_t line = 0;
  std::string text;
};

enum class Conclusion {
  kExplained,
  kUnknown,      // the trace is whole, but does not show the cause
  kNotProvable,  // the trace has holes where the cause would be
};

// "explained", "unknown", "not_provable".
std::string_view conclusion_code(Conclusion conclusion);

// What is to be said about one trace.
struct Explanation {
  std::string source;   // "trace.txt", "mail.txt:256"
  std::string subject;  // what the trace is of, one line
  Conclusion conclusion = Conclusion::kUnknown;
  std::string headline;               // one sentence
  std::optional<int64_t> latency_ns;  // the segments add up to it
  std::string latency_of;             // "from programmed expiry to running"
  std::optional<SegmentKind> cause;   // also when it is not proved: the likeliest
  std::string cause_who;
  std::string cause_detail;            // more of it in words: "serial console"
  std::vector<Segment> segments;       // in the order of time
  std::vector<EvidenceLine> evidence;  // lines of the file
  std::vector<std::string> notes;      // what limits the finding
  std::vector<std::string> next;       // what to trace next, where it is not explained
};

}  // namespace rtsweep
