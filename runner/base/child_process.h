// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"

namespace rtsweep {

// How a process ended: by exit code, or by a signal.
struct ExitStatus {
  int code = 0;    // meaningful when signal is 0
  int signal = 0;  // 0: it exited by itself

  bool clean() const { return signal == 0 && code == 0; }
  std::string text() const;  // "exit code 1", "killed by signal 9 (Killed)"
};

struct ChildOptions {
  std::filesystem::path output;            // standard output, appended; empty is /dev/null
  std::filesystem::path errors;            // standard error; empty goes where the output goes
  std::filesystem::path directory;         // empty is ours
  std::map<std::string, std::string> env;  // added to our environment
  std::vector<int> cpus;                   // may run there only; empty is anywhere
  std::optional<int> niceness;             // of its SCHED_OTHER threads; empty is ours
};

// A program that runs beside us: started in a process group of its own, so that it
// and all that it starts can be stopped together; killed by the kernel when the
// thread that started it ends, so that a killed runner leaves nothing behind.
//
// Waiting is a poll on a pidfd: no signal handler, no polling loop.
class ChildProcess {
 public:
  // kNotSupported when the program is not found; kIo when it cannot be started.
  static Result<ChildProcess> start(const std::vector<std::string>& argv,
                                    const ChildOptions& options);

  ChildProcess(ChildProcess&&) = default;
  ChildProcess& operator=(ChildProcess&&) = default;
  ~ChildProcess();  // kills the group if it is still there

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable once it has ended

  // How it ended, or nothing if it still runs after `timeout`. Without a timeout,
  // waits for ever. May be called again after the end.
  Result<std::optional<ExitStatus>> wait(std::optional<std::chrono::milliseconds> timeout = {});

  bool running();

  // Asks the whole group with `signal`, and kills what is left after `grace`.
  Result<ExitStatus> stop(int signal, std::chrono::milliseconds grace);

 private:
  ChildProcess(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  void kill_group(int signal) const;

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  std::optional<ExitStatus> ended_;
};

}  // namespace rtsweep
