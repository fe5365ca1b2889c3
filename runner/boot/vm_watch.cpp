// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_watch.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "analysis/console_log.h"
#include "runner/base/child_process.h"
#include "runner/base/clock.h"
#include "runner/base/files.h"
#include "runner/boot/vm_process.h"
#include "runner/measure/frames.h"
#include "runner/measure/trial_sink.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Kind = TrialEnd::Kind;

// How often the sizes of the files that the VM writes are looked at. The host is not
// what is measured here.
constexpr auto kLook = 50ms;
constexpr auto kKillGrace = 2s;
// A guest that has told everything and then does not manage to power off.
constexpr auto kPowerOffTime = 60s;

std::string text_of(const fs::path& path) {
  auto text = read_file(path);
  return text ? std::move(text).value() : std::string();
}

// What the VM has told so far. Files are read again only when they have grown.
class VmView {
 public:
  VmView(const VmConfig& config, const Listener& listener) : config_(config), listener_(listener) {}

  void look() {
    if (grown(config_.results, results_size_)) look_at_results();
    if (grown(config_.console, console_size_)) look_at_console();
  }

  bool booted() const { return booted_; }
  bool measuring() const { return measuring_; }
  bool measured() const { return measured_; }
  bool complete() const { return complete_; }
  bool dead() const { return dead_; }

 private:
  static bool grown(const fs::path& path, uintmax_t& size) {
    std::error_code ec;
    const uintmax_t now = fs::file_size(path, ec);
    if (ec || now == size) return false;
    size = now;
    return true;
  }

  void look_at_results() {
    const std::vector<Frame> frames = decode_frames(text_of(config_.results)).frames;
    if (frames.empty()) return;
    if (!booted_) listener_("starting the load");
    booted_ = true;
    const auto measuring = std::ranges::find(frames, trial_file::kMeasuring, &Frame::name);
    if (measuring != frames.end()) {
      if (!measuring_) listener_("measuring");
      measuring_ = true;
      measured_ = measuring + 1 != frames.end();
    }
    complete_ = std::ranges::any_of(frames, [](const Frame& frame) {
      return frame.name == trial_file::kComplete || frame.name == trial_file::kError;
    });
  }

  void look_at_console() {
    for (const ConsoleFinding& finding : scan_console(text_of(config_.console))) {
      if (finding.fatal) dead_ = true;
    }
  }

  const VmConfig& config_;
  const Listener& listener_;
  uintmax_t results_size_ = 0;
  uintmax_t console_size_ = 0;
  bool booted_ = false;
  bool measuring_ = false;
  bool measured_ = false;  // the first of the measurement's files is here
  bool complete_ = false;
  bool dead_ = false;
};

// How the host treats a VM while it measures.
class HostWatch {
 public:
  explicit HostWatch(pid_t pid) : pid_(pid), waited_before_(waited_for_cpu_s(host_, pid)) {}

  // To be called from time to time; `seconds` since the last time.
  void look(double seconds) {
    if (is_stopped(host_, pid_)) paused_s_ += seconds;
    if (const auto waited = waited_for_cpu_s(host_, pid_)) waited_now_ = waited;
  }

  double paused_s() const { return paused_s_; }
  std::optional<double> waited_s() const {
    if (!waited_before_ || !waited_now_) return std::nullopt;
    return *waited_now_ - *waited_before_;
  }

 private:
  HostRoot host_;
  pid_t pid_;
  std::optional<double> waited_before_;
  std::optional<double> waited_now_;
  double paused_s_ = 0;
};

class Watch {
 public:
  Watch(const VmConfig& config, const VmTimeouts& timeouts, const Listener& listener)
      : timeouts_(timeouts), view_(config, listener) {}

  // Why the VM must be ended now, or nothing.
  std::optional<Kind> reason_to_end(double seconds, bool stop) {
    view_.look();
    if (view_.booted() && !boot_s_) boot_s_ = seconds;
    if (view_.measuring() && !measuring_since_) measuring_since_ = seconds;
    if (view_.measured() && !measured_since_) measured_since_ = seconds;
    if (view_.dead() && !dead_since_) dead_since_ = seconds;
    if (view_.complete() && !complete_since_) complete_since_ = seconds;
    if (stop) return Kind::kStopped;
    if (complete_since_ && seconds - *complete_since_ > to_s(kPowerOffTime)) return Kind::kComplete;
    if (dead_since_ && seconds - *dead_since_ > to_s(timeouts_.after_death)) return Kind::kVmDied;
    if (!view_.booted() && seconds > to_s(timeouts_.boot)) return Kind::kBootTimeout;
    if (seconds > to_s(timeouts_.trial)) return Kind::kTrialTimeout;
    return std::nullopt;
  }

  // The VM has gone by itself: did it do what it was started for?
  Kind kind_of_own_end() {
    view_.look();
    return view_.complete() ? Kind::kComplete : Kind::kVmDied;
  }

  bool measures() const { return measuring_since_ && !measured_since_; }
  std::optional<double> boot_s() const { return boot_s_; }
  std::optional<double> measuring_s() const {
    if (!measuring_since_ || !measured_since_) return std::nullopt;
    return *measured_since_ - *measuring_since_;
  }

 private:
  static double to_s(std::chrono::seconds time) { return static_cast<double>(time.count()); }

  VmTimeouts timeouts_;
  VmView view_;
  std::optional<double> boot_s_;
  std::optional<double> measuring_since_;
  std::optional<double> measured_since_;
  std::optional<double> dead_since_;
  std::optional<double> complete_since_;
};

}  // namespace

Result<TrialEnd> watch_vm(const VmConfig& config, const VmTimeouts& timeouts, const fs::path& log,
                          const std::atomic<bool>& stop, const Listener& listener) {
  listener("booting");
  const double begin = boottime_s();
  Watch watch(config, timeouts, listener);
  RTSWEEP_TRY(ChildProcess vm, ChildProcess::start(qemu_arguments(config), {.output = log}));
  TrialEnd end;
  std::optional<HostWatch> host;
  double looked = 0;
  while (true) {
    RTSWEEP_TRY(const std::optional<ExitStatus> status, vm.wait(kLook));
    const double seconds = boottime_s() - begin;
    const auto reason = watch.reason_to_end(seconds, stop);
    if (config.clock == VmClock::kReal && watch.measures()) {
      if (!host) host.emplace(vm.pid());
      host->look(seconds - std::exchange(looked, seconds));
      end.paused_s = host->paused_s();
      end.waited_s = host->waited_s();
    }
    looked = seconds;
    end.boot_s = watch.boot_s();
    end.measuring_s = watch.measuring_s();
    end.wall_s = boottime_s() - begin;
    if (status) {
      end.kind = watch.kind_of_own_end();
      end.message = status->clean() ? "" : "QEMU: " + status->text() + ": " + text_of(log);
      return end;
    }
    if (reason) {
      RTSWEEP_CHECK_OK(vm.stop(SIGTERM, kKillGrace));
      end.kind = *reason;
      return end;
    }
  }
}

}  // namespace rtsweep
