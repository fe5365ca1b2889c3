// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/text.h"
#include "runner/capture/hit_times.h"
#include "runner/capture/planted_wakeups.h"
#include "runner/capture/trace_events.h"
#include "runner/host/host_root.h"
#include "runner/host/read_values.h"

namespace rtsweep {
namespace {

constexpr char kInstance[] = "rtsweep";
constexpr int kProofWakeups = 5;
constexpr int kCostWakeups = 51;
// 32-bit kernels before 6.2 lose the upper half of an event's numbers in histogram variables, and
// with it the expiry.
constexpr int64_t kAbsurd_ns = 1'000'000'000;
// Names of threads that tracefs remembers; its own default is 128.
constexpr char kSavedCmdlines[] = "4096";

// Enough for the window and for outliers of ten breakpoints at 64 KiB a millisecond, eight times as
// much with functions; at most one part in 256 of the memory for all of them. No more than
// needed: what was recorded is read from its old end.
int64_t fitting_buffer_kib(const CaptureSpec& spec, size_t cpus) {
  const std::string total = colon_field(text_of(HostRoot(), "proc/meminfo"), "MemTotal");
  const std::vector<std::string> parts = words(total);
  const int64_t kib = parts.empty() ? 0 : number_in(parts.front()).value_or(0);
  const int64_t most = kib / 256 / static_cast<int64_t>(std::max<size_t>(cpus, 1));
  const int64_t span_us = spec.window_us + 10 * spec.breakpoint_us;
  const int64_t wanted = span_us * 64 / 1000 * (spec.functions.empty() ? 1 : 8);
  return std::max<int64_t>(256, std::min(wanted, most));
}

// Where in the kernel the timer's interrupt came in and where the CPU was given up: the places that
// show who had interrupts or preemption off. At every wakeup, as it cannot be known yet
// which one is late.
Result<void> add_stacks(const TraceInstance& trace) {
  RTSWEEP_CHECK_OK(trace.append("events/sched/sched_waking/trigger",
                                "stacktrace if comm == \"cyclictest\" && prio < 100"));
  return trace.append("events/sched/sched_switch/trigger",
                      "stacktrace if next_comm == \"cyclictest\" && next_prio < 100");
}

}  // namespace

Capture::Capture(const CaptureSpec& spec, std::vector<int> cpus, TraceInstance trace)
    : spec_(spec), cpus_(std::move(cpus)), trace_(std::move(trace)), broken_(spec_) {
  result_.breakpoint_us = spec.breakpoint_us;
  result_.clock = "mono";
}

Capture::~Capture() {
  end();
  watch_.reset();
  if (cmdlines_size_.empty()) return;
  if (const auto top = TraceInstance::top())
    (void)top->write("saved_cmdlines_size", cmdlines_size_);
}

Result<std::unique_ptr<Capture>> Capture::arm(const CaptureSpec& spec, std::vector<int> cpus,
                                              int priority) {
  RTSWEEP_TRY(TraceInstance trace, TraceInstance::create(kInstance));
  std::unique_ptr<Capture> capture(new Capture(spec, std::move(cpus), std::move(trace)));
  RTSWEEP_TRY(const PlantedWakeups untraced,
              plant_wakeups(capture->cpus_.front(), priority, kCostWakeups));
  capture->result_.untraced_us = untraced.median_us();
  RTSWEEP_CHECK_OK(capture->set_up());
  auto proved = capture->prove(priority);
  if (!proved && capture->watch_ && spec.method == "auto") {
    RTSWEEP_CHECK_OK(capture->fall_back(proved.error().message()));
    proved = capture->prove(priority);
  }
  capture->result_.proved = proved.has_value();
  if (!proved) capture->result_.not_proved = proved.error().message();
  RTSWEEP_CHECK_OK(capture->trace_.write("trace", ""));  // clears it
  if (capture->watch_) RTSWEEP_CHECK_OK(capture->watch_->arm());
  return capture;
}

Result<void> Capture::set_up() {
  RTSWEEP_TRY(const TraceInstance top, TraceInstance::top());
  RTSWEEP_TRY(const std::string cmdlines, top.read("saved_cmdlines_size"));
  RTSWEEP_CHECK_OK(top.write("saved_cmdlines_size", kSavedCmdlines));
  cmdlines_size_ = std::string(trim(cmdlines));
  RTSWEEP_TRY(const std::string header, top.read("events/header_page"));
  RTSWEEP_TRY(layout_, parse_header_page(header));
  RTSWEEP_CHECK_OK(trace_.write("trace_clock", "mono"));
  result_.buffer_kib = spec_.buffer_kib.value_or(fitting_buffer_kib(spec_, cpus_.size()));
  RTSWEEP_CHECK_OK(trace_.write("buffer_size_kb", std::to_string(result_.buffer_kib)));
  RTSWEEP_CHECK_OK(set_watch());
  RTSWEEP_TRY(TracedEvents traced, enable_events(trace_, spec_));
  result_.events = std::move(traced.enabled);
  result_.missing_events = std::move(traced.missing);
  return {};
}

// The kernel's own way where it has it, unless the plan wants the other.
Result<void> Capture::set_watch() {
  result_.method = "break";
  result_.why = "the plan says so";
  if (spec_.method == "break") return spec_.stacks ? add_stacks(trace_) : Result<void>();
  auto watch = OutlierWatch::set(trace_, spec_, layout_);
  if (watch) {
    watch_ = std::move(*watch);
    result_.method = "trigger";
    result_.why.clear();
    return {};
  }
  if (spec_.method == "trigger") return std::move(watch).error();
  result_.why = watch.error().message();
  return spec_.stacks ? add_stacks(trace_) : Result<void>();
}

Result<void> Capture::fall_back(const std::string& why) {
  watch_.reset();
  result_.method = "break";
  result_.why = why;
  RTSWEEP_CHECK_OK(trace_.write("tracing_on", "1"));
  return spec_.stacks ? add_stacks(trace_) : Result<void>();
}

Result<void> Capture::prove(int priority) {
  for (const int cpu : cpus_) RTSWEEP_CHECK_OK(prove_on(cpu, priority));
  if (watch_) RTSWEEP_CHECK_OK(watch_->arm());
  RTSWEEP_TRY(const PlantedWakeups traced, plant_wakeups(cpus_.front(), priority, kCostWakeups));
  result_.traced_us = traced.median_us();
  return {};
}

// A wakeup must be recorded; where the kernel sees outliers itself, it must have seen it, and
// have stopped recording.
Result<void> Capture::prove_on(int cpu, int priority) {
  // Triggers that cut time stamps to 32 bits look right in a machine's first 4.3 s.
  using namespace std::chrono_literals;
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(4400ms));
  if (watch_) RTSWEEP_CHECK_OK(watch_->arm_for_proof());
  RTSWEEP_TRY(const PlantedWakeups planted, plant_wakeups(cpu, priority, kProofWakeups));
  RTSWEEP_TRY(const std::string recorded, trace_.read(fmt::format("per_cpu/cpu{}/trace", cpu)));
  const std::string pid = fmt::format("pid={} ", planted.pid);
  if (recorded.find("sched_waking: comm=cyclictest " + pid) == std::string::npos ||
      recorded.find("next_comm=cyclictest next_" + pid) == std::string::npos) {
    return Error(Errc::kBadData, fmt::format("no planted wakeup on CPU {} was recorded", cpu));
  }
  if (!watch_) return {};
  const std::vector<LateWakeup> hits = watch_->hits();
  RTSWEEP_TRY(const bool stopped, watch_->has_stopped());
  const auto hit = std::ranges::find(hits, planted.pid, &LateWakeup::pid);
  if (stopped && hit != hits.end() && hit->until_sleep_ns < kAbsurd_ns) return {};
  if (hit != hits.end() && hit->until_sleep_ns >= kAbsurd_ns) {
    return Error(Errc::kNotSupported, "this kernel's triggers cut 64-bit numbers to 32 bits");
  }
  return Error(Errc::kBadData,
               fmt::format("no planted wakeup on CPU {} fired the trigger of outliers", cpu));
}

void Capture::begin() {
  if (watch_) watch_->begin(cpus_);
}

void Capture::end() {
  (void)trace_.write("tracing_on", "0");
  if (!watch_) return;
  watch_->end();
  cost_ = watch_->cost();
  result_.cpu_s = cost_.cpu_s;
  result_.unarmed_ms = watch_->unarmed_ms();
}

Result<void> Capture::save_broken(const CyclictestSpike& spike, int pid) {
  RTSWEEP_CHECK_OK(trace_.write("tracing_on", "0"));
  const int64_t stopped_ns = monotonic_ns();
  SavedTrace trace;
  trace.wakeup = {.pid = pid,
                  .cpu = cpus_.at(static_cast<size_t>(spike.thread)),
                  .at_ns = stopped_ns,
                  .expiry_ns = (spike.timestamp_us - spike.latency) * 1000,
                  .until_sleep_ns = spike.latency * 1000};
  RTSWEEP_TRY(trace.cpus, read_all_pages(trace_.directory(), layout_));
  keep_window(trace.cpus, trace.wakeup.expiry_ns - spec_.window_us * 1000, layout_);
  RTSWEEP_CHECK_OK(trace_.write("trace", ""));
  RTSWEEP_CHECK_OK(trace_.write("tracing_on", "1"));
  trace.unarmed_ms = static_cast<double>(monotonic_ns() - stopped_ns) / 1e6;
  result_.unarmed_ms += trace.unarmed_ms;
  broken_.add(std::move(trace));
  return {};
}

void Capture::take_hits(std::span<const CyclictestSpike> spikes) {
  for (const CyclictestSpike& spike : spikes) {
    const auto thread = static_cast<size_t>(spike.thread);
    result_.hits.push_back({.thread = spike.thread,
                            .cpu = thread < cpus_.size() ? cpus_[thread] : -1,
                            .latency_us = spike.latency,
                            .at_us = spike.timestamp_us});
  }
  result_.hits_complete = spikes.size() < kMostSpikes;
  if (watch_) complete_times(result_.hits, watch_->late());
}

Result<std::vector<TraceFile>> Capture::finish(std::span<const CyclictestSpike> spikes) {
  take_hits(spikes);
  SavedTraces& saved = watch_ ? watch_->saved() : broken_;
  result_.not_kept = saved.not_kept();
  if (watch_ && !watch_->failed().empty()) {
    result_.proved = false;
    result_.not_proved = watch_->failed();
  }
  return make_files(saved.take());
}

Result<std::vector<TraceFile>> Capture::make_files(std::vector<SavedTrace> traces) {
  std::vector<TraceFile> files;
  if (traces.empty()) return files;
  RTSWEEP_TRY(const TraceDescription description, describe_trace(trace_, result_.events));
  RTSWEEP_TRY(const std::string kallsyms, HostRoot().read("proc/kallsyms"));
  for (const SavedTrace& trace : traces) {
    const CaptureHit* hit = hit_of(trace.wakeup, result_.hits);
    if (hit == nullptr) {
      ++result_.near_misses;
      continue;
    }
    RTSWEEP_TRY(std::string content,
                outlier_trace_dat(trace, *hit, spec_.breakpoint_us, description, kallsyms));
    files.push_back({fmt::format("outlier-{}.dat", files.size() + 1), std::move(content)});
    for (const CpuPages& cpu : trace.cpus) result_.lost_events += cpu.lost ? 1 : 0;
    result_.outliers.push_back({.file = files.back().name,
                                .latency_us = hit->latency_us,
                                .cpu = hit->cpu,
                                .pid = trace.wakeup.pid,
                                .at_us = hit->at_us,
                                .expiry_ns = trace.wakeup.expiry_ns,
                                .unarmed_ms = trace.unarmed_ms});
  }
  return files;
}

}  // namespace rtsweep
