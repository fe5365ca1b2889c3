// SPDX-License-Identifier: GPL-2.0-or-later

// trace_dat_seeds DIRECTORY: a small whole trace.dat for the fuzzer to begin with.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/support/trace_dat_builder.h"

int main(int argc, char** argv) {
  using namespace rtsweep::testing;
  if (argc != 2) {
    std::fputs("trace_dat_seeds DIRECTORY\n", stderr);
    return 1;
  }
  TraceDatBuilder file(2);
  file.comm(1000, "cyclictest");
  file.hrtimer_start({1, 1'000, 1000, 1, 2}, 7, 1'000'000);
  file.sched_switch({1, 2'000, 1000, 1, 2}, {"cyclictest", 1000, 4}, 1, {"bash", 77, 120});
  file.hrtimer_expire_entry({1, 1'300'000, 77, 9, 1}, 7, 1'300'000);
  file.kernel_stack({1, 1'300'000, 77, 9, 1}, {kTestDoNasty, kTestNastyIoctl});
  file.sched_waking({1, 1'301'000, 77, 9, 2}, {"cyclictest", 1000, 4}, 1);
  file.lose(1, 3);
  file.sched_switch({1, 1'308'000, 77, 1, 2}, {"bash", 77, 120}, 0, {"cyclictest", 1000, 4});
  file.print({1, 1'315'000, 1000, 0, 0}, "hit latency threshold (310 > 50)");
  file.timerlat({0, 1'400'000, 80, 0, 0}, 12, 1, 11'700);
  std::filesystem::create_directories(argv[1]);
  std::ofstream(std::filesystem::path(argv[1]) / "small.dat", std::ios::binary) << file.finish();
  return 0;
}
