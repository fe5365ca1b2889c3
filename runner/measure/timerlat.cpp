// SPDX-License-Identifier: GPL-2.0-or-later

// timerlat of kernel/trace/trace_osnoise.c (Linux 5.14): a thread a CPU sleeps until a timer;
// one record when the timer's interrupt handler runs, one when the thread does, and, of a
// thread of user space, one when it is back in the kernel, each with its distance from the
// programmed expiry.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "runner/measure/thread_time.h"
#include "runner/measure/timerlat_threads.h"
#include "runner/measure/tracer_probe.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kFields[] = {"context", "timer_latency"};
constexpr std::string_view kKinds[] = {"irq", "thread"};
// A record's context: IRQ_CONTEXT, THREAD_CONTEXT, THREAD_URET of trace_osnoise.c.
constexpr std::string_view kContexts[] = {"irq", "thread", "user"};

std::vector<TracefsSetting> settings(const ProbeContext& context, const std::string& tracefs,
                                     TracerResult& result) {
  const bool user = has_user_timerlat(context.host, tracefs);
  for (TracerCpu& cpu : result.cpus) {
    if (user) cpu.kinds["user"];
  }
  return {{"osnoise/options", user ? "NO_OSNOISE_WORKLOAD" : "OSNOISE_WORKLOAD", true},
          {"osnoise/cpus", fmt::format("{}", fmt::join(context.cpus, ","))},
          {"osnoise/timerlat_period_us", std::to_string(context.spec.interval_us)},
          {"osnoise/stop_tracing_us", "0"},
          {"osnoise/stop_tracing_total_us", "0"},
          {"osnoise/print_stack", "0"}};
}

int64_t count(std::span<const int64_t> values, int64_t histogram_us, TracerCpu& cpu) {
  const auto context = static_cast<size_t>(values[0]);
  if (context >= std::size(kContexts)) return 0;
  cpu.kinds[std::string(kContexts[context])].add(values[1], histogram_us);
  return values[1];
}

// A new thread of the kernel's gives itself FIFO 95 (timerlat_main): only after that can it
// be given another priority.
Result<void> set_priority(pid_t pid, int priority) {
  constexpr int kMostTries = 1000;
  for (int tries = 0; ::sched_getscheduler(pid) != SCHED_FIFO; ++tries) {
    if (tries == kMostTries) return Error(Errc::kTimeout, "its threads do not start");
    std::this_thread::sleep_for(1ms);
  }
  const sched_param param{.sched_priority = priority};
  if (::sched_setscheduler(pid, SCHED_FIFO, &param) == 0) return {};
  return Error::from_errno("set the priority of its threads", errno);
}

Result<std::unique_ptr<TracerThreads>> start_threads(const ProbeContext& context,
                                                     const std::string& tracefs) {
  if (has_user_timerlat(context.host, tracefs)) {
    auto users = std::make_unique<TimerlatUsers>();
    RTSWEEP_CHECK_OK(users->start(context.host.path(tracefs), context.cpus, context.spec.priority));
    return std::unique_ptr<TracerThreads>(std::move(users));
  }
  for (const pid_t pid : kernel_threads(context.host, "timerlat")) {
    RTSWEEP_CHECK_OK(set_priority(pid, context.spec.priority));
  }
  return std::unique_ptr<TracerThreads>();
}

double records_per_s(const ProbeSpec& spec) { return 3e6 / static_cast<double>(spec.interval_us); }

constexpr Tracer kTimerlat = {.name = "timerlat",
                              .option = "CONFIG_TIMERLAT_TRACER",
                              .since = "5.17",
                              .fields = kFields,
                              .settings = settings,
                              .count = count,
                              .records_per_s = records_per_s,
                              .kinds = kKinds,
                              .start_threads = start_threads};

}  // namespace

std::unique_ptr<Probe> make_timerlat(const ProbeContext& context) {
  return make_tracer_probe(kTimerlat, context);
}

}  // namespace rtsweep
