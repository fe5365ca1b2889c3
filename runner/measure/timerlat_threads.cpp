// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/timerlat_threads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "runner/base/unique_fd.h"

namespace rtsweep {
namespace {

std::filesystem::path file_of(int cpu) {
  return fmt::format("osnoise/per_cpu/cpu{}/timerlat_fd", cpu);
}

bool prepare(int cpu, int priority) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  const sched_param param{.sched_priority = priority};
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::mlockall(MCL_CURRENT | MCL_FUTURE) == 0 &&
         ::sched_setaffinity(0, sizeof set, &set) == 0 &&
         ::sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

// Only system calls: other threads of the forked process may have held locks. One byte into
// `ready` says that it begins. A read() transfers nothing and fails when the tracer ends.
[[noreturn]] void serve(const char* file, int cpu, int priority, int ready) {
  if (prepare(cpu, priority)) {
    char nothing = 0;
    const int fd = ::open(file, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && ::write(ready, &nothing, sizeof nothing) > 0 && ::close(ready) == 0) {
      while (::read(fd, &nothing, sizeof nothing) >= 0) {
      }
    }
  }
  ::_exit(errno != 0 ? errno : EXIT_FAILURE);
}

// Until each has written its byte, or has ended.
size_t wait_for_bytes(int fd, size_t most) {
  size_t count = 0;
  char byte = 0;
  while (count < most) {
    const ssize_t got = ::read(fd, &byte, sizeof byte);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) ++count;
  }
  return count;
}

}  // namespace

bool has_user_timerlat(const HostRoot& host, const std::string& tracefs) {
  std::error_code ec;
  return std::filesystem::exists(host.path(tracefs) / file_of(0), ec);
}

Result<void> TimerlatUsers::start(const std::filesystem::path& tracefs,
                                  const std::vector<int>& cpus, int priority) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("make a pipe", errno);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  for (const int cpu : cpus) {
    const std::string file = tracefs / file_of(cpu);
    const pid_t pid = ::fork();
    if (pid < 0) return Error::from_errno("start a thread of timerlat", errno);
    if (pid == 0) serve(file.c_str(), cpu, priority, writing.get());
    pids_.push_back(pid);
  }
  writing.reset();
  if (wait_for_bytes(reading.get(), pids_.size()) == pids_.size()) return {};
  RTSWEEP_CHECK_OK(check());
  return Error(Errc::kChildFailed, "a user thread of timerlat did not begin");
}

Result<void> TimerlatUsers::check() {
  for (const pid_t pid : pids_) {
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        ended.si_pid == 0) {
      continue;
    }
    if (ended.si_code == CLD_EXITED) {
      return Error::from_errno("a user thread of timerlat ended", ended.si_status);
    }
    return Error(Errc::kChildFailed,
                 fmt::format("a user thread of timerlat ended by signal {}", ended.si_status));
  }
  return {};
}

void TimerlatUsers::end() {
  for (const pid_t pid : pids_) ::kill(pid, SIGKILL);
  for (const pid_t pid : pids_) ::waitpid(pid, nullptr, 0);
  pids_.clear();
}

}  // namespace rtsweep
