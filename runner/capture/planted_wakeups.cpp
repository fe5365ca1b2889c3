// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/planted_wakeups.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <thread>

namespace rtsweep {
namespace {

constexpr int64_t kInterval_ns = 1'000'000;

int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

int become_the_probe(int cpu, int priority) {
  ::pthread_setname_np(::pthread_self(), "cyclictest");
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) return errno;
  sched_param parameters{};
  parameters.sched_priority = priority;
  return ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &parameters);
}

void measure(int count, std::vector<double>& latencies_us) {
  int64_t next = now_ns();
  for (int i = 0; i < count; ++i) {
    next += kInterval_ns;
    const timespec until{.tv_sec = static_cast<time_t>(next / 1'000'000'000),
                         .tv_nsec = static_cast<long>(next % 1'000'000'000)};
    ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    const int64_t now = now_ns();
    latencies_us.push_back(static_cast<double>(now - next) / 1e3);
    while (next < now) next += kInterval_ns;
  }
}

}  // namespace

std::optional<double> PlantedWakeups::median_us() const {
  if (latencies_us.empty()) return std::nullopt;
  std::vector<double> sorted = latencies_us;
  std::ranges::sort(sorted);
  return sorted[(sorted.size() - 1) / 2];
}

Result<PlantedWakeups> plant_wakeups(int cpu, int priority, int count) {
  PlantedWakeups planted;
  planted.latencies_us.reserve(static_cast<size_t>(count));
  int failed = 0;
  std::thread thread([&] {
    planted.pid = static_cast<int>(::syscall(SYS_gettid));
    failed = become_the_probe(cpu, priority);
    if (failed == 0) measure(count, planted.latencies_us);
  });
  thread.join();
  if (failed != 0)
    return Error::from_errno("a SCHED_FIFO thread on CPU " + std::to_string(cpu), failed);
  return planted;
}

}  // namespace rtsweep
