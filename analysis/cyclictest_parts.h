// SPDX-License-Identifier: GPL-2.0-or-later

// What the readers of cyclictest's formats share. Include cyclictest_output.h instead.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cyclictest_output.h"

namespace rtsweep::cyclictest {

// cyclictest itself keeps no more buckets than this (HIST_MAX), nor can it write a
// count that takes longer than 30 years at one sample per microsecond.
inline constexpr int64_t kMostBuckets = 1'000'000;
inline constexpr uint64_t kMostCycles = 1'000'000'000'000'000;
inline constexpr int kMostThreads = 8192;  // CPUs that a kernel can have

// What stats->min is before the first sample: a thread that never ran prints it.
inline constexpr int64_t kMinOfNothing = 1'000'000;

// kBadData, "mail.txt:46: WHAT".
Error bad_data(std::string_view name, size_t line, std::string_view what);

// The whole text as a number; empty when it is something else or does not fit.
std::optional<uint64_t> parse_count(std::string_view text);  // at most kMostCycles

// The lines without what mail programs and terminals added: quote marks ("> "), carriage
// returns, cursor movements. lines[i] is line i + 1 of the text.
std::vector<std::string> clean_lines(std::string_view text);

// The options that change what the output means.
struct Options {
  std::optional<int64_t> histogram;    // -h, -H
  bool nanoseconds = false;            // -N
  bool smp = false;                    // -S
  int64_t interval_us = 1000;          // -i
  std::optional<int64_t> distance_us;  // -d; without it 500
  std::optional<int64_t> priority;     // -p

  // Histogram mode forces the distance between the threads' intervals to 0.
  int64_t interval_of(int thread) const {
    return interval_us + thread * (histogram ? 0 : distance_us.value_or(500));
  }
};

// Reads a cyclictest command line: "cyclictest -mSp90 -i 997 -h100".
Options parse_options(std::string_view cmdline);

// Contradictions between a thread's numbers ("its minimum is above its maximum"); empty
// when there are none.
std::string contradiction(const CyclictestThread& thread, const CyclictestRun& run);

// The readers, by format.
Result<CyclictestRun> parse_json(std::string_view text, std::string_view name);
Result<CyclictestRun> parse_csv(const std::vector<std::string>& lines, std::string_view name);
Result<std::vector<CyclictestRun>> parse_text(const std::vector<std::string>& lines,
                                              std::string_view name, bool ends_with_newline);

// Reads a histogram whose "# Histogram" stands at lines[at], into the run; returns the
// index of the line behind it. `ends_with_newline`: the last line is a whole one.
Result<size_t> parse_histogram(const std::vector<std::string>& lines, size_t at,
                               std::string_view name, bool ends_with_newline, CyclictestRun& run);

}  // namespace rtsweep::cyclictest
