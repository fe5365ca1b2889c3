// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/environment.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <boost/process/search_path.hpp>
#include <boost/process/start_dir.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace rtsweep {
namespace {

namespace bp = boost::process;

// What the child does to itself between fork and exec: only system calls.
struct ChildSetup : bp::extend::handler {
  explicit ChildSetup(const ChildOptions& options)
      : pinned(!options.cpus.empty()), niceness(options.niceness) {
    CPU_ZERO(&set);
    for (const int cpu : options.cpus) CPU_SET(static_cast<size_t>(cpu), &set);
  }

  template <typename Executor>
  void on_exec_setup(Executor& /*executor*/) const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (pinned) ::sched_setaffinity(0, sizeof(set), &set);
    if (niceness) ::setpriority(PRIO_PROCESS, 0, *niceness);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
  }

  bool pinned;
  std::optional<int> niceness;
  cpu_set_t set{};
};

int open_pidfd(pid_t pid) { return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)); }

Result<UniqueFd> open_output(const std::filesystem::path& path) {
  const std::filesystem::path target = path.empty() ? std::filesystem::path("/dev/null") : path;
  UniqueFd fd(::open(target.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!fd) return Error::from_errno("open " + target.string(), errno);
  return fd;
}

// Boost takes FILE*, which it dup2()s into the child.
struct FileCloser {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, FileCloser>;

Result<File> open_file(const std::filesystem::path& path) {
  RTSWEEP_TRY(const UniqueFd fd, open_output(path));
  File file(::fdopen(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3), "a"));
  if (!file) return Error::from_errno("open " + path.string(), errno);
  return file;
}

ExitStatus status_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {.code = 0, .signal = WTERMSIG(wait_status)};
  return {.code = WEXITSTATUS(wait_status), .signal = 0};
}

}  // namespace

std::string ExitStatus::text() const {
  if (signal == 0) return "exit code " + std::to_string(code);
  return "killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& argv,
                                         const ChildOptions& options) {
  const std::string& program = argv.front();
  const bool is_path = program.find('/') != std::string::npos;
  const std::string exe = is_path ? program : bp::search_path(program).string();
  if (exe.empty() || ::access(exe.c_str(), X_OK) != 0) {
    return Error(Errc::kNotSupported, "no program '" + program + "' on this machine");
  }
  RTSWEEP_TRY(const File out, open_file(options.output));
  RTSWEEP_TRY(const File err, open_file(options.errors.empty() ? options.output : options.errors));

  bp::environment env = boost::this_process::environment();
  for (const auto& [name, value] : options.env) env[name] = value;
  std::error_code ec;
  bp::child child(bp::exe = exe, bp::args = std::vector<std::string>(argv.begin() + 1, argv.end()),
                  bp::start_dir = options.directory.empty() ? "." : options.directory.string(),
                  bp::std_in<bp::null, bp::std_out> out.get(), bp::std_err > err.get(), env,
                  ChildSetup(options), ec);
  if (ec) return Error(Errc::kIo, "start " + program + ": " + ec.message());
  const pid_t pid = child.id();
  child.detach();
  UniqueFd pidfd(open_pidfd(pid));
  if (!pidfd) return Error::from_errno("pidfd_open for " + program, errno);
  return ChildProcess(pid, std::move(pidfd));
}

ChildProcess::~ChildProcess() {
  if (!pidfd_) return;  // moved from
  kill_group(SIGKILL);
  if (!ended_) ::waitpid(pid_, nullptr, 0);
}

void ChildProcess::kill_group(int signal) const { ::kill(-pid_, signal); }

Result<std::optional<ExitStatus>> ChildProcess::wait(
    std::optional<std::chrono::milliseconds> timeout) {
  if (ended_) return ended_;
  const auto deadline = std::chrono::steady_clock::now() + timeout.value_or(std::chrono::hours(0));
  while (true) {
    pollfd watched{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const int ms = timeout ? static_cast<int>(std::clamp<int64_t>(left.count(), 0, INT32_MAX)) : -1;
    const int ready = ::poll(&watched, 1, ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return Error::from_errno("poll", errno);
    if (ready == 0) return std::optional<ExitStatus>();
    int status = 0;
    if (::waitpid(pid_, &status, 0) < 0) return Error::from_errno("waitpid", errno);
    ended_ = status_of(status);
    return ended_;
  }
}

bool ChildProcess::running() {
  const auto status = wait(std::chrono::milliseconds(0));
  return status && !*status;
}

Result<ExitStatus> ChildProcess::stop(int signal, std::chrono::milliseconds grace) {
  kill_group(signal);
  RTSWEEP_TRY(std::optional<ExitStatus> status, wait(grace));
  kill_group(SIGKILL);  // the leader may have gone without its group
  if (!status) {
    RTSWEEP_TRY(status, wait());
  }
  return *status;
}

}  // namespace rtsweep
