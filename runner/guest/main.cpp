// SPDX-License-Identifier: GPL-2.0-or-later

// The first program of a VM's userland (PID 1): prepares the machine, measures one
// trial with the same code as on real hardware, streams the files to the host over a
// serial line, and powers off. What to measure stands in /etc/rtsweep/trial.json.

#include <fcntl.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runner/base/files.h"
#include "runner/measure/frames.h"
#include "runner/measure/measure_trial.h"

namespace rtsweep {
namespace {

constexpr char kSpecFile[] = "/etc/rtsweep/trial.json";
constexpr char kScratch[] = "/tmp/rtsweep";

struct Mount {
  const char* type;
  const char* target;
  const char* options;
};

constexpr Mount kMounts[] = {
    {"proc", "/proc", ""},         {"sysfs", "/sys", ""},     {"devtmpfs", "/dev", ""},
    {"devpts", "/dev/pts", ""},    {"tmpfs", "/dev/shm", ""}, {"tmpfs", "/run", ""},
    {"tmpfs", "/tmp", "size=50%"},
};

// A mount that fails shows later, by what is missing: the measuring code then says so.
void mount_all() {
  for (const Mount& mount : kMounts) {
    ::mkdir(mount.target, 0755);
    ::mount(mount.type, mount.target, mount.type, 0, mount.options);
  }
}

// Socket loads need the loopback interface, which is down after boot.
void bring_up_loopback() {
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  ::ioctl(fd.get(), SIOCSIFFLAGS, &request);
}

Result<void> insert_module(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Error::from_errno("open " + path, errno);
  if (::syscall(SYS_finit_module, fd.get(), "", 0) != 0 && errno != EEXIST) {
    return Error::from_errno("insert module " + path, errno);
  }
  return {};
}

// The serial line to the host: the one on the PCI bus, whatever number the kernel gave it.
Result<std::string> find_results_line() {
  std::error_code ec;
  for (const auto& tty : std::filesystem::directory_iterator("/sys/class/tty", ec)) {
    const std::string name = tty.path().filename();
    const std::string device = std::filesystem::canonical(tty.path() / "device", ec).string();
    if (name.starts_with("ttyS") && device.starts_with("/sys/devices/") &&
        device.find("/pci") != std::string::npos) {
      return "/dev/" + name;
    }
  }
  return Error(Errc::kNotSupported, "no serial line on the PCI bus to send results over");
}

Result<UniqueFd> open_results() {
  RTSWEEP_TRY(const std::string path, find_results_line());
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!fd) return Error::from_errno("open " + path, errno);
  termios line{};
  ::tcgetattr(fd.get(), &line);
  ::cfmakeraw(&line);
  ::cfsetspeed(&line, B115200);
  if (::tcsetattr(fd.get(), TCSANOW, &line) != 0) return Error::from_errno(path, errno);
  return fd;
}

Result<TrialSpec> read_spec() {
  RTSWEEP_TRY(const std::string text, read_file(kSpecFile));
  try {
    return nlohmann::json::parse(text).get<TrialSpec>();
  } catch (const nlohmann::json::exception& wrong) {
    return Error(Errc::kBadData, std::string(kSpecFile) + ": " + wrong.what());
  }
}

Result<void> measure() {
  RTSWEEP_TRY(const UniqueFd line, open_results());
  StreamSink sink(line.get());
  const auto result = [&]() -> Result<void> {
    RTSWEEP_TRY(const TrialSpec spec, read_spec());
    for (const std::string& module : spec.modules) RTSWEEP_CHECK_OK(insert_module(module));
    return measure_trial(HostRoot(), spec, builtin_loads(), kScratch, sink);
  }();
  if (!result) {
    const nlohmann::json why = {{"message", result.error().message()}};
    RTSWEEP_CHECK_OK(sink.put(trial_file::kError, why.dump()));
  }
  ::tcdrain(line.get());
  return result;
}

// Orphans become children of PID 1, which has to collect them.
void reap_until_gone(pid_t worker) {
  while (true) {
    const pid_t pid = ::waitpid(-1, nullptr, 0);
    if (pid == worker || (pid < 0 && errno != EINTR)) return;
  }
}

// So that counters are read right before and right after the measurement, and not when
// hundreds of the load's tasks leave a turn. Not a real-time priority: beside a busy
// interrupt thread it would make the kernel throttle real-time tasks. Loads are started
// with 0 again.
void read_counters_in_time() { ::setpriority(PRIO_PROCESS, 0, -20); }

int guest_main() {
  mount_all();
  bring_up_loopback();
  ::setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
  ::setenv("HOME", "/tmp", 1);
  ::setenv("LC_ALL", "C", 1);
  const pid_t worker = ::fork();
  if (worker == 0) {
    read_counters_in_time();
    const auto result = measure();
    if (!result) std::fprintf(stderr, "rtsweep-guest: %s\n", result.error().message().c_str());
    std::fflush(stderr);
    ::_exit(result ? 0 : 1);
  }
  reap_until_gone(worker);
  ::sync();
  ::reboot(RB_POWER_OFF);
  return 1;
}

}  // namespace
}  // namespace rtsweep

int main() {
  if (::getpid() != 1) {
    std::fprintf(stderr, "rtsweep-guest is the init of a VM; see rtsweep run\n");
    return 1;
  }
  return rtsweep::guest_main();
}
