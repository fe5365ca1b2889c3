// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/outlier_watch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace rtsweep {
namespace {

constexpr char kHitsInstance[] = "rtsweep-hits";
constexpr char kLateEvent[] = "events/synthetic/rtsweep_late";

int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

void keep_off(const std::vector<int>& measured) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF)); ++cpu) {
    if (std::ranges::find(measured, cpu) == measured.end()) CPU_SET(static_cast<size_t>(cpu), &set);
  }
  if (CPU_COUNT(&set) > 0) ::sched_setaffinity(0, sizeof set, &set);
}

// Before all that is not real-time, so that little time passes until the next snapshot can be
// taken; behind all that is.
void go_before_loads() {
  sched_param parameters{};
  parameters.sched_priority = 1;
  ::sched_setscheduler(0, SCHED_FIFO, &parameters);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Result<std::unique_ptr<OutlierWatch>> OutlierWatch::set(const TraceInstance& trace,
                                                        const CaptureSpec& spec,
                                                        const RingPageLayout& layout) {
  std::unique_ptr<OutlierWatch> watch(new OutlierWatch(trace, spec, layout));
  RTSWEEP_TRY(OutlierTrigger trigger, OutlierTrigger::set(trace));
  watch->trigger_.emplace(std::move(trigger));
  // Where a sample is nearly sure to be an outlier: a stack takes its time, too.
  if (spec.stacks) RTSWEEP_CHECK_OK(watch->trigger_->add_stacks(spec.breakpoint_us * 800));
  RTSWEEP_CHECK_OK(watch->open_hits());
  return watch;
}

OutlierWatch::~OutlierWatch() {
  end();
  pipe_.reset();
  hits_.reset();
}

Result<void> OutlierWatch::open_hits() {
  RTSWEEP_TRY(TraceInstance hits, TraceInstance::create(kHitsInstance));
  hits_.emplace(std::move(hits));
  RTSWEEP_CHECK_OK(hits_->write("trace_clock", "mono"));
  RTSWEEP_CHECK_OK(hits_->write("buffer_size_kb", "256"));
  // A reader is woken at the first entry, and not when the buffer is half full.
  if (hits_->has("buffer_percent")) RTSWEEP_CHECK_OK(hits_->write("buffer_percent", "0"));
  RTSWEEP_CHECK_OK(hits_->write(std::string(kLateEvent) + "/enable", "1"));
  const std::string pipe = (hits_->directory() / "trace_pipe").string();
  pipe_.reset(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!pipe_) return Error::from_errno("open " + pipe, errno);
  return {};
}

Result<void> OutlierWatch::arm_for_proof() {
  RTSWEEP_CHECK_OK(trigger_->set_threshold(0));
  RTSWEEP_CHECK_OK(trace_.write("trace", ""));  // clears it
  return trigger_->go_on();
}

Result<void> OutlierWatch::arm() {
  const int64_t breakpoint_ns = spec_.breakpoint_us * 1000;
  RTSWEEP_CHECK_OK(hits_->write(std::string(kLateEvent) + "/filter",
                                late_filter("until_sleep_ns", breakpoint_ns)));
  (void)hits();
  RTSWEEP_CHECK_OK(trace_.write("trace", ""));
  return let_go_on(breakpoint_ns);
}

Result<void> OutlierWatch::let_go_on(int64_t threshold_ns) {
  if (threshold_ns != threshold_ns_) RTSWEEP_CHECK_OK(trigger_->set_threshold(threshold_ns));
  threshold_ns_ = threshold_ns;
  armed_at_ns_ = now_ns();
  return trigger_->go_on();
}

void OutlierWatch::begin(const std::vector<int>& measured) {
  stop_.reset(::eventfd(0, EFD_CLOEXEC));
  thread_ = std::thread([this, measured] { watch(measured); });
}

void OutlierWatch::end() {
  if (!thread_.joinable()) return;
  const uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

// What came right before the end is taken too.
void OutlierWatch::watch(const std::vector<int>& measured) {
  keep_off(measured);
  go_before_loads();
  pollfd fds[] = {{.fd = pipe_.get(), .events = POLLIN, .revents = 0},
                  {.fd = stop_.get(), .events = POLLIN, .revents = 0}};
  while (fds[1].revents == 0) {
    if (::poll(fds, 2, -1) < 0 && errno != EINTR) break;
    take_hits();
  }
  note_cost();
}

void OutlierWatch::note_cost() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  cost_ = {.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime),
           .switches = usage.ru_nvcsw,
           .preemptions = usage.ru_nivcsw};
}

// The first past the threshold since recording went on; those behind it have no trace.
bool OutlierWatch::has_stopped_at(const LateWakeup& wakeup) const {
  if (wakeup.at_ns < armed_at_ns_ || wakeup.until_sleep_ns <= threshold_ns_) return false;
  const auto stopped = trigger_->has_stopped();
  return stopped && *stopped;
}

void OutlierWatch::take_hits() {
  for (const LateWakeup& wakeup : hits()) {
    late_.push_back(wakeup);
    if (!has_stopped_at(wakeup)) continue;
    const auto saved = save(wakeup);
    if (!saved && failed_.empty()) failed_ = saved.error().message();
  }
}

Result<void> OutlierWatch::save(const LateWakeup& wakeup) {
  SavedTrace trace{.wakeup = wakeup};
  RTSWEEP_TRY(trace.cpus, read_all_pages(trace_.directory(), layout_));
  keep_window(trace.cpus, wakeup.expiry_ns - spec_.window_us * 1000, layout_);
  RTSWEEP_CHECK_OK(let_go_on(saved_.threshold_with(trace)));
  trace.unarmed_ms = static_cast<double>(armed_at_ns_ - wakeup.at_ns) / 1e6;
  unarmed_ms_ += trace.unarmed_ms;
  saved_.add(std::move(trace));
  return {};
}

std::vector<LateWakeup> OutlierWatch::hits() {
  std::vector<LateWakeup> found;
  char bytes[4096];
  while (true) {
    const ssize_t count = ::read(pipe_.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return found;
    text_.append(bytes, static_cast<size_t>(count));
    for (size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1)) {
      const auto hit = parse_late_wakeup(std::string_view(text_).substr(0, end));
      if (hit) found.push_back(*hit);
    }
  }
}

}  // namespace rtsweep
