// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/selftest/guest_pause.h"

#include <chrono>
#include <csignal>
#include <random>
#include <thread>

#include "runner/base/clock.h"
#include "runner/host/read_values.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

// By then the probe runs: it starts when the guest has proved its tracing.
constexpr auto kBefore = 4s;

}  // namespace

pid_t find_emulator(const std::filesystem::path& directory) {
  const HostRoot host;
  for (const std::string& pid : names_in(host, "proc")) {
    if (!number_in(pid)) continue;
    const std::string command = text_of(host, "proc/" + pid + "/cmdline");
    if (command.find("qemu-system") != std::string::npos &&
        command.find(directory.string()) != std::string::npos) {
      return static_cast<pid_t>(*number_in(pid));
    }
  }
  return 0;
}

std::vector<MadeDelay> pause_guest(const std::filesystem::path& directory, int count,
                                   const std::stop_token& stop) {
  std::vector<MadeDelay> paused;
  const pid_t emulator = find_emulator(directory);
  if (emulator == 0) return paused;
  std::mt19937 random(7);
  std::uniform_int_distribution<int> length(30, 60);
  std::uniform_int_distribution<int> between(250, 450);
  std::this_thread::sleep_for(kBefore);
  for (int i = 0; i < count && !stop.stop_requested(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(between(random)));
    const int64_t begin = monotonic_ns();
    ::kill(emulator, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(length(random)));
    ::kill(emulator, SIGCONT);
    paused.push_back({begin, monotonic_ns()});
  }
  return paused;
}

}  // namespace rtsweep
