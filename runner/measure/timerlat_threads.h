// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "runner/base/result.h"
#include "runner/host/host_root.h"
#include "runner/measure/tracer_probe.h"

namespace rtsweep {

// Whether this kernel takes threads of user space for timerlat: it then also says when they
// are back in the kernel, which is the "user" part. Linux 6.5 (timerlat_fd). `tracefs` is
// below the root.
bool has_user_timerlat(const HostRoot& host, const std::string& tracefs);

// One thread a CPU that reads timerlat_fd: sleeps until its timer, returns to user space and
// comes back at once. Each is a process of its own, since the kernel sends SIGKILL to whoever
// has the file open when the tracer stops, be it by tracing_on (stop_per_cpu_kthreads of
// trace_osnoise.c). They end
// with this object, and with the thread that started them.
class TimerlatUsers : public TracerThreads {
 public:
  TimerlatUsers() = default;
  TimerlatUsers(const TimerlatUsers&) = delete;
  TimerlatUsers& operator=(const TimerlatUsers&) = delete;
  ~TimerlatUsers() override { end(); }

  // The tracer must run. `tracefs`: where it is mounted. Returns when all of them measure.
  Result<void> start(const std::filesystem::path& tracefs, const std::vector<int>& cpus,
                     int priority);

  // An error when one of them has ended by itself.
  Result<void> check() override;

 private:
  void end();

  std::vector<pid_t> pids_;
};

}  // namespace rtsweep
