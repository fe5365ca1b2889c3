// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "analysis/run_report.h"

namespace rtsweep::testing {

// {latency in us, samples}
using Counts = std::initializer_list<std::pair<int64_t, uint64_t>>;

// What one CPU saw: exact counts below `end_us`, overflows from there on.
CpuResult cpu_with(int cpu, Counts counts, int64_t end_us = 1000);

// A trial that measured in real time and passed.
TrialResult trial_with(int id, Cell cell, std::vector<CpuResult> cpus);

// Everything that a report must show, small enough to check by hand: three kernels,
// two architectures and two loads in virtual time; a second repetition of one cell;
// PASS, FAIL, INVALID, ERROR and a trial that was cut off; an overflow; a thread that
// never ran; a kernel without PREEMPT_RT; an impossible cell.
//
// Latencies in us and samples, by trial:
//   #1  6.1-rt  arm64 idle       37x1 40x90 60x8 140x1           PASS
//   #2  6.1-rt  arm64 hackbench  39x10 50x85 160x4 208x1         FAIL, limit 150
//   #3  6.1-rt  armhf idle       36x50 44x49 65x1                PASS
//   #4  6.1-rt  armhf hackbench  36x20 (load died)               INVALID
//   #5  6.12-rt arm64 idle       34x60 46x39 90x1                PASS
//   #6  6.12-rt arm64 hackbench  panic                           ERROR
//   #7  6.1     arm64 idle       35x90 400x8, 2 past 1000 us     PASS (expected without RT)
//   #8  6.1     arm64 hackbench  CPU 0: 35x99 70x1; CPU 1 never ran  INVALID
//   #9  6.1-rt  arm64 idle       38x50 42x50 (repetition 2)      PASS
//   #10 6.12-rt armhf idle       begun, never ended              ERROR
//   6.12-rt armhf hackbench      impossible
RunReport sample_report();

// Text that would harm a terminal, an HTML page, a JSON document or a table.
inline const std::string kHostile =
    "</script><script>alert(1)</script><img src=x "
    "onerror=alert(2)>\"'&|`*_\x1b[31m\xff\xe2\x80\xae\n# x";

// The sample with that text in every string of it.
RunReport hostile_report();

// The content of tests/golden/report/NAME. With RTSWEEP_UPDATE_GOLDEN in the
// environment, `actual` is written there first.
std::string golden(const std::string& name, const std::string& actual);

}  // namespace rtsweep::testing
