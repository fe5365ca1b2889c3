// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/tracer_probe.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "runner/base/text.h"
#include "runner/capture/record_cursor.h"
#include "runner/capture/ring_pages.h"
#include "runner/capture/trace_instance.h"
#include "runner/host/counters.h"
#include "runner/host/cpu_list.h"
#include "runner/measure/record_format.h"
#include "runner/measure/thread_time.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kBetweenReads = 4s;
constexpr auto kLookForStop = 1s;
// Bytes of a record with its header, rounded up; and the reader may be late by so much.
constexpr double kRecordBytes = 96;
constexpr double kLateFactor = 4;
constexpr int kLeastBufferKib = 256;
constexpr int kMostBufferKib = 32'768;
// Lines of the text file: more would say no more, and have to leave a VM.
constexpr size_t kMostLines = 10'000;
constexpr char kInstance[] = "rtsweep-probe";
constexpr char kClock[] = "mono";  // CLOCK_MONOTONIC, as cyclictest's

int buffer_kib(double records_per_s) {
  const double seconds = std::chrono::duration<double>(kBetweenReads).count() * kLateFactor;
  const double kib = records_per_s * seconds * kRecordBytes / 1024;
  return static_cast<int>(std::clamp<double>(std::ceil(kib), kLeastBufferKib, kMostBufferKib));
}

std::string below_root(const std::filesystem::path& path) { return path.relative_path().string(); }

// Of "entries: 5\noverrun: 12\ncommit overrun: 0\n..." (per_cpu/cpuN/stats) what was lost.
uint64_t lost_in(const std::string& stats) {
  constexpr std::string_view kLost[] = {"overrun:", "commit overrun:", "dropped events:"};
  uint64_t lost = 0;
  for (const std::string& line : split(stats, '\n')) {
    for (const std::string_view name : kLost) {
      if (!line.starts_with(name)) continue;
      uint64_t value = 0;
      const std::string_view number = trim(std::string_view(line).substr(name.size()));
      std::from_chars(number.data(), number.data() + number.size(), value);
      lost += value;
    }
  }
  return lost;
}

// The first CPU that the boot parameters left to everything else.
int housekeeping_cpu(const HostRoot& host, const std::vector<int>& cpus) {
  const auto text = host.read("sys/devices/system/cpu/isolated");
  const auto isolated = text ? parse_cpu_list(*text) : Result<std::vector<int>>(std::vector<int>());
  for (const int cpu : cpus) {
    if (!isolated || std::ranges::find(*isolated, cpu) == isolated->end()) return cpu;
  }
  return cpus.empty() ? 0 : cpus.front();
}

// This thread, on one CPU for a time.
class OnCpu {
 public:
  explicit OnCpu(int cpu) {
    ::sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(cpu), &set);
    ::sched_setaffinity(0, sizeof(set), &set);
  }
  OnCpu(const OnCpu&) = delete;
  OnCpu& operator=(const OnCpu&) = delete;
  ~OnCpu() { ::sched_setaffinity(0, sizeof(before_), &before_); }

 private:
  cpu_set_t before_{};
};

class TracerProbe : public Probe {
 public:
  TracerProbe(const Tracer& tracer, const ProbeContext& context)
      : tracer_(tracer), context_(context) {}

  Result<void> prepare() override {
    RTSWEEP_CHECK_OK(make_instance());
    RTSWEEP_CHECK_OK(named(read_layout()));
    begin_result();
    settings_.emplace(context_.host, below_root(tracefs_));
    RTSWEEP_CHECK_OK(named(settings_->apply(
        tracer_.settings(context_, below_root(tracefs_), result_), context_.undo)));
    RTSWEEP_CHECK_OK(named(instance_->write("tracing_cpumask", cpu_mask(context_.cpus))));
    RTSWEEP_CHECK_OK(named(instance_->write("trace_clock", kClock)));
    const int kib = buffer_kib(tracer_.records_per_s(context_.spec));
    return named(instance_->write("buffer_size_kb", std::to_string(kib)));
  }

  Result<ProbeEnd> measure(const std::atomic<bool>* stop) override {
    const ObserverWatch watch;
    const OnCpu housekeeping(housekeeping_cpu(context_.host, context_.cpus));
    // Starting a tracer takes some 20 ms, in which it does not measure yet.
    RTSWEEP_CHECK_OK(named(instance_->write("current_tracer", std::string(tracer_.name))));
    RTSWEEP_CHECK_OK(named(start_threads()));
    const auto begin = Clock::now();
    const auto time_over = begin + std::chrono::seconds(context_.spec.duration_s);
    RTSWEEP_CHECK_OK(named(read_until(time_over, stop)));
    // Before the tracer stops, which kills them.
    if (threads_) RTSWEEP_CHECK_OK(named(threads_->check()));
    threads_.reset();
    RTSWEEP_CHECK_OK(named(instance_->write("tracing_on", "0")));
    const ProbeEnd end{.wall_s = std::chrono::duration<double>(Clock::now() - begin).count()};
    if (!tracer_.thread.empty()) result_.spun_s = kernel_thread_time(context_.host, tracer_.thread);
    observer_ = watch.cost();
    RTSWEEP_CHECK_OK(named(drain()));
    result_.lost_events = lost_events();
    // Only now: another tracer clears the buffers (tracer_init of kernel/trace/trace.c).
    RTSWEEP_CHECK_OK(named(instance_->write("current_tracer", "nop")));
    return end;
  }

  ObserverCost observer() const override { return observer_; }

  Result<void> put_numbers(TrialSink& sink) override {
    instance_.reset();
    RTSWEEP_CHECK_OK(named(settings_->restore()));
    const std::string name(tracer_.name);
    RTSWEEP_CHECK_OK(sink.put(name + ".json", nlohmann::json(result_).dump() + "\n"));
    if (lines_left_out_ > 0) lines_ += fmt::format("# and {} more\n", lines_left_out_);
    return lines_.empty() ? Result<void>() : sink.put(name + ".txt", lines_);
  }

 private:
  Result<void> named(Result<void> result) const {
    if (result) return result;
    return Error(result.error().code(),
                 fmt::format("probe {}: {}", tracer_.name, result.error().message()));
  }

  Error unsupported(const std::string& why) const {
    return {Errc::kNotSupported, fmt::format("probe {} is not there: {}", tracer_.name, why)};
  }

  // In the undo list first: a tracer that goes on costs every task of the machine.
  Result<void> make_instance() {
    const auto top = TraceInstance::top();
    if (!top) return unsupported(top.error().message());
    tracefs_ = top->directory();
    const std::filesystem::path directory = tracefs_ / "instances" / kInstance;
    if (context_.undo != nullptr) {
      RTSWEEP_CHECK_OK(context_.undo->remember(
          {{.kind = UndoEntry::Kind::kTraceInstance, .name = below_root(directory)}}));
    }
    auto instance = TraceInstance::create(kInstance);
    if (!instance) return unsupported(instance.error().message());
    instance_.emplace(std::move(*instance));
    return check_tracer();
  }

  // In an instance there are only those tracers that can be in one.
  Result<void> check_tracer() const {
    const auto tracers = instance_->read("available_tracers");
    if (!tracers) return unsupported(tracers.error().message());
    const std::vector<std::string> names = words(*tracers);
    if (std::ranges::find(names, tracer_.name) != names.end()) return {};
    return unsupported(
        fmt::format("the running kernel has it for no instance of ftrace, only {}; "
                    "it needs {} and Linux {}",
                    join(names, " "), tracer_.option, tracer_.since));
  }

  Result<void> read_layout() {
    RTSWEEP_TRY(const TraceInstance top, TraceInstance::top());
    RTSWEEP_TRY(const std::string text,
                top.read(fmt::format("events/ftrace/{}/format", tracer_.name)));
    RTSWEEP_TRY(format_, parse_record_format(text));
    for (const std::string_view name : tracer_.fields) {
      const auto field = format_.fields.find(name);
      if (field == format_.fields.end()) {
        return Error(Errc::kNotSupported, fmt::format("its records have no field '{}'", name));
      }
      fields_.push_back(field->second);
    }
    RTSWEEP_TRY(const std::string header, top.read("events/header_page"));
    RTSWEEP_TRY(layout_, parse_header_page(header));
    return {};
  }

  void begin_result() {
    result_.probe = tracer_.name;
    result_.interval_us = context_.spec.interval_us;
    result_.histogram_us = context_.spec.histogram_us;
    result_.clock = kClock;
    for (const int cpu : context_.cpus) {
      TracerCpu& own = result_.cpus.emplace_back();
      own.cpu = cpu;
      for (const std::string_view kind : tracer_.kinds) own.kinds[std::string(kind)];
    }
    values_.resize(tracer_.fields.size());
  }

  Result<void> start_threads() {
    if (tracer_.start_threads == nullptr) return {};
    RTSWEEP_TRY(threads_, tracer_.start_threads(context_, below_root(tracefs_)));
    return {};
  }

  Result<void> read_until(Clock::time_point end, const std::atomic<bool>* stop) {
    while (Clock::now() < end) {
      const auto next = std::min(end, Clock::now() + kBetweenReads);
      if (!sleep_until(next, stop)) return {};
      if (next < end) RTSWEEP_CHECK_OK(drain());
    }
    return {};
  }

  // Whether the time has come, rather than somebody's wish to stop.
  static bool sleep_until(Clock::time_point time, const std::atomic<bool>* stop) {
    while (Clock::now() < time) {
      if (stop != nullptr && *stop) return false;
      const auto step = stop == nullptr ? time : std::min(time, Clock::now() + kLookForStop);
      std::this_thread::sleep_until(step);
    }
    return true;
  }

  std::filesystem::path per_cpu(int cpu, const char* file) const {
    return fmt::format("per_cpu/cpu{}/{}", cpu, file);
  }

  Result<void> drain() {
    for (TracerCpu& cpu : result_.cpus) {
      const auto file = instance_->directory() / per_cpu(cpu.cpu, "trace_pipe_raw");
      RTSWEEP_TRY(const std::string pages, read_ring_pages(file, layout_));
      for (size_t at = 0; at < pages.size(); at += layout_.page_bytes) {
        count_page(std::string_view(pages).substr(at, layout_.page_bytes), cpu);
      }
    }
    return {};
  }

  void count_page(std::string_view page, TracerCpu& cpu) {
    RecordCursor cursor(page, {.commit_size = layout_.long_bytes,
                               .data_offset = layout_.data_offset,
                               .big_endian = std::endian::native == std::endian::big});
    RawRecord record;
    while (cursor.next(record)) {
      if (format_.fits(record.data)) count(record, cpu);
    }
  }

  void count(const RawRecord& record, TracerCpu& cpu) {
    for (size_t i = 0; i < fields_.size(); ++i) values_[i] = fields_[i].value_in(record.data);
    const int64_t largest_ns = tracer_.count(values_, context_.spec.histogram_us, cpu);
    const bool past = context_.capture && largest_ns / 1000 > context_.capture->breakpoint_us;
    if (past || tracer_.keeps_all) add_line(record, cpu.cpu);
  }

  // Records that found no room, by the instance's own count.
  uint64_t lost_events() const {
    uint64_t lost = 0;
    for (const TracerCpu& cpu : result_.cpus) {
      const auto stats = instance_->read(per_cpu(cpu.cpu, "stats"));
      if (stats) lost += lost_in(*stats);
    }
    return lost;
  }

  void add_line(const RawRecord& record, int cpu) {
    if (++number_of_lines_ > kMostLines) {
      ++lines_left_out_;
      return;
    }
    lines_ += fmt::format("cpu={} at_ns={}", cpu, record.time);
    for (size_t i = 0; i < fields_.size(); ++i) {
      lines_ += fmt::format(" {}={}", tracer_.fields[i], values_[i]);
    }
    lines_ += '\n';
  }

  const Tracer& tracer_;
  const ProbeContext context_;
  std::filesystem::path tracefs_;
  std::optional<TracefsSettings> settings_;
  std::optional<TraceInstance> instance_;   // removed before the settings are put back
  std::unique_ptr<TracerThreads> threads_;  // ended before it
  RecordFormat format_;
  std::vector<RecordField> fields_;
  RingPageLayout layout_;
  std::vector<int64_t> values_;
  TracerResult result_;
  ObserverCost observer_;
  std::string lines_;
  size_t number_of_lines_ = 0;
  size_t lines_left_out_ = 0;
};

}  // namespace

std::unique_ptr<Probe> make_tracer_probe(const Tracer& tracer, const ProbeContext& context) {
  return std::make_unique<TracerProbe>(tracer, context);
}

}  // namespace rtsweep
