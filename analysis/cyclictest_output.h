// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cyclictest_spike.h"
#include "analysis/run_report.h"
#include "runner/base/result.h"

namespace rtsweep {

// What was read. A text run may hold several kinds; the richest one names it.
enum class CyclictestFormat {
  kJson,       // --json (2.0 and later), --output (before)
  kHistogram,  // -h, -H, --histfile
  kSummary,    // "T: 0 ( 1449) P:80 ...", from -q or from a live display
  kVerbose,    // -v: every sample
  kCsv,        // a histogram that somebody turned into CSV; its footer is lost
  kLava,       // test cases "t0-max-latency" of a LAVA job
};

std::string_view cyclictest_format_name(CyclictestFormat format);  // "JSON", "histogram", ...

// One measuring thread. What the output does not say is empty, never 0.
struct CyclictestThread {
  int thread = 0;
  int cpu = -1;  // where it was pinned; -1: not said
  std::optional<int64_t> tid;
  std::optional<int64_t> priority;
  std::optional<int64_t> interval_us;
  std::optional<uint64_t> cycles;         // samples, overflows included
  std::optional<int64_t> min, max;        // in the run's unit; empty also when it never ran
  std::optional<double> avg;              // cut to a whole number in text formats
  std::map<int64_t, uint64_t> histogram;  // latency in the run's unit -> samples
  std::optional<uint64_t> overflows;      // empty: no histogram, or its footer is lost
  std::optional<uint64_t> smis;           // --smi
};

// uname of the measured machine. `realtime` is what /sys/kernel/realtime said, which
// does not exist on mainline RT kernels: false proves nothing.
struct CyclictestSysinfo {
  std::string sysname, nodename, release, version, machine;
  std::optional<bool> realtime;
};

// One run of cyclictest, whichever way it was written down.
struct CyclictestRun {
  std::string source;  // "results.json"; "mail.txt:46", "all.json#2" where it holds several
  CyclictestFormat format = CyclictestFormat::kJson;
  std::string version;  // as printed: 2.4 prints "2.40", 2.10 prints "2.10"
  std::string cmdline;
  std::string start_time, end_time;  // RFC 2822, as printed
  std::optional<int> return_code;    // not to be believed: 0 after a breaktrace
  CyclictestSysinfo sysinfo;
  std::string policy;                      // "fifo"
  bool nanoseconds = false;                // -N: the unit of all latencies
  std::optional<int64_t> histogram_limit;  // latencies from here on are overflows
  std::vector<CyclictestThread> threads;   // in order: threads[i].thread is i
  std::optional<int64_t> break_thread;     // tid of the thread that ended a -b run
  std::optional<int64_t> break_value;      // its latency
  std::vector<CyclictestSpike> spikes;
  std::vector<std::string> warnings;          // cyclictest's own WARN: and FATAL: lines
  std::map<std::string, std::string> header;  // "# Kernel: ..." lines that a wrapper put before
};

// Reads what cyclictest of rt-tests 1.0 to 2.10 wrote: JSON, histogram, summary lines,
// a live display with its cursor movements, verbose samples; also when a mail program
// quoted and wrapped it, as CSV, and as the mail of a LAVA job. Several runs in one text
// stay apart. `name` is the file's, for messages and for CyclictestRun::source.
//
// What is cut off, absurd or contradicts itself is kBadData, naming file and line. Values
// that cyclictest can really print, however bad (negative, 270 s), are returned as they are:
// judge_latencies() of trial_checks.h says what they are worth.
Result<std::vector<CyclictestRun>> parse_cyclictest(std::string_view text, std::string_view name);

// The run in the terms of the report: microseconds (nanoseconds are cut, as cyclictest
// does), one histogram limit for all threads. A thread without a histogram has all its
// cycles as overflows. `cpu` is the thread's number where the output does not say it.
std::vector<CpuResult> cpu_results(const CyclictestRun& run);

}  // namespace rtsweep
