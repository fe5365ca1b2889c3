// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/trial_checks.h"

namespace rtsweep::testing {

// 10 s at 1000 us are 10000 cycles; 9999 of them at 50 us and one at 80 us.
inline CyclictestThread good_thread(int number) {
  return {.thread = number,
          .cpu = number,
          .cycles = 10'000,
          .min = 50,
          .max = 80,
          .avg = 50.0,
          .histogram = {{50, 9'999}, {80, 1}},
          .overflows = 0};
}

inline CyclictestRun good_run() {
  return {.histogram_limit = 400, .threads = {good_thread(0), good_thread(1)}};
}

inline MachineFacts good_facts() {
  return {.kernel_release = "6.12.9-rt",
          .cmdline = "console=ttyAMA0 numa=fake=2 quiet",
          .preempt_rt = true,
          .online_cpus = {0, 1},
          .clocksource = "arch_sys_counter",
          .numa_nodes = 2};
}

inline LoadResult good_load() {
  return {.name = "hackbench", .alive = true, .work = 5000, .unit = "messages", .floor = 1000};
}

inline TrialEvidence good_trial() {
  return {.planned = {.interval_us = 1000, .duration_s = 10, .histogram_us = 400, .limit_us = 100},
          .expected_release = "6.12.9-rt",
          .boot_parameters = {"numa=fake=2"},
          .before = good_facts(),
          .after = good_facts(),
          .probe = ProbeEnding{},
          .json = good_run(),
          .text = good_run(),
          .loads = {good_load()}};
}

inline std::vector<std::string> codes_of(const std::vector<Reason>& reasons) {
  std::vector<std::string> codes;
  for (const Reason& reason : reasons) codes.push_back(reason.code);
  return codes;
}

inline std::vector<std::string> judge(const TrialEvidence& evidence) {
  return codes_of(judge_trial(evidence));
}

}  // namespace rtsweep::testing
