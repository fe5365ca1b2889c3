// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/tracer_probe.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "runner/base/text.h"
#include "runner/host/cpu_list.h"
#include "runner/measure/ring_buffer_page.h"
#include "runner/measure/thread_time.h"
#include "runner/measure/tracefs_instance.h"

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
constexpr char kClock[] = "mono";  // CLOCK_MONOTONIC, as cyclictest's

int buffer_kib(double records_per_s) {
  const double seconds = std::chrono::duration<double>(kBetweenReads).count() * kLateFactor;
  const double kib = records_per_s * seconds * kRecordBytes / 1024;
  return static_cast<int>(std::clamp<double>(std::ceil(kib), kLeastBufferKib, kMostBufferKib));
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
      : tracer_(tracer),
        context_(context),
        mount_(context.host),
        settings_(context.host),
        instance_(context.host) {}

  Result<void> prepare(ProbeEnd& /*end*/) override {
    RTSWEEP_CHECK_OK(check_tracer());
    RTSWEEP_CHECK_OK(named(read_layout()));
    begin_result();
    RTSWEEP_CHECK_OK(named(settings_.apply(tracer_.settings(context_, result_), context_.undo)));
    return named(prepare_instance());
  }

  Result<void> measure(const std::atomic<bool>* stop, ProbeEnd& /*end*/) override {
    const OnCpu housekeeping(housekeeping_cpu(context_.host, context_.cpus));
    const auto end = Clock::now() + std::chrono::seconds(context_.spec.duration_s);
    RTSWEEP_CHECK_OK(named(instance_.set("current_tracer", tracer_.name)));
    RTSWEEP_CHECK_OK(named(read_until(end, stop)));
    RTSWEEP_CHECK_OK(named(instance_.set("tracing_on", "0")));
    if (!tracer_.thread.empty()) result_.spun_s = kernel_thread_time(context_.host, tracer_.thread);
    RTSWEEP_CHECK_OK(named(drain()));
    result_.lost_events = instance_.lost_events();
    RTSWEEP_CHECK_OK(named(instance_.remove()));
    return named(settings_.restore());
  }

  Result<void> put_results(TrialSink& sink) override {
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

  Result<void> check_tracer() const {
    const auto tracers = context_.host.read(std::string(kTracefs) + "available_tracers");
    if (!tracers) return unsupported(tracers.error().message());
    const std::vector<std::string> names = words(*tracers);
    if (std::ranges::find(names, tracer_.name) != names.end()) return {};
    return unsupported(fmt::format("the running kernel was built without {}; it has {}",
                                   tracer_.option, *tracers));
  }

  Result<void> read_layout() {
    const std::string events = std::string(kTracefs) + "events/";
    RTSWEEP_TRY(const std::string text,
                context_.host.read(fmt::format("{}ftrace/{}/format", events, tracer_.name)));
    RTSWEEP_TRY(const RecordFormat format, parse_record_format(text));
    id_ = format.id;
    for (const std::string_view name : tracer_.fields) {
      const auto field = format.fields.find(name);
      if (field == format.fields.end()) {
        return Error(Errc::kNotSupported, fmt::format("its records have no field '{}'", name));
      }
      fields_.push_back(field->second);
    }
    RTSWEEP_TRY(const std::string header, context_.host.read(events + "header_page"));
    word_ = header.find("commit;\toffset:8;\tsize:4") != std::string::npos ? 4 : 8;
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

  Result<void> prepare_instance() {
    RTSWEEP_CHECK_OK(instance_.create());
    RTSWEEP_CHECK_OK(instance_.set("trace_clock", kClock));
    const int kib = buffer_kib(tracer_.records_per_s(context_.spec));
    RTSWEEP_CHECK_OK(instance_.set("buffer_size_kb", std::to_string(kib)));
    return instance_.open_buffers(context_.cpus);
  }

  Result<void> read_until(Clock::time_point end, const std::atomic<bool>* stop) {
    while (Clock::now() < end && !past_breakpoint_) {
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

  Result<void> drain() {
    return instance_.drain([this](int cpu, std::string_view page) {
      TracerCpu& own = *std::ranges::find(result_.cpus, cpu, &TracerCpu::cpu);
      return for_each_record(page, word_, id_,
                             [&](const RingRecord& record) { count(record, own); });
    });
  }

  void count(const RingRecord& record, TracerCpu& cpu) {
    for (size_t i = 0; i < fields_.size(); ++i) values_[i] = record.value(fields_[i]);
    const int64_t largest_ns = tracer_.count(values_, context_.spec.histogram_us, cpu);
    const auto& breakpoint_us = context_.spec.breakpoint_us;
    const bool past = breakpoint_us && largest_ns / 1000 > *breakpoint_us;
    past_breakpoint_ |= past;
    if (past || tracer_.keeps_all) add_line(record, cpu.cpu);
  }

  void add_line(const RingRecord& record, int cpu) {
    if (++number_of_lines_ > kMostLines) {
      ++lines_left_out_;
      return;
    }
    lines_ += fmt::format("cpu={} at_ns={}", cpu, record.time_ns);
    for (size_t i = 0; i < fields_.size(); ++i) {
      lines_ += fmt::format(" {}={}", tracer_.fields[i], values_[i]);
    }
    lines_ += '\n';
  }

  const Tracer& tracer_;
  const ProbeContext context_;
  TracefsMount mount_;
  TracefsSettings settings_;
  TracefsInstance instance_;  // removed before the settings are put back
  uint16_t id_ = 0;
  size_t word_ = 8;
  std::vector<RecordField> fields_;
  std::vector<int64_t> values_;
  TracerResult result_;
  std::string lines_;
  size_t number_of_lines_ = 0;
  size_t lines_left_out_ = 0;
  bool past_breakpoint_ = false;
};

}  // namespace

std::unique_ptr<Probe> make_tracer_probe(const Tracer& tracer, const ProbeContext& context) {
  return std::make_unique<TracerProbe>(tracer, context);
}

}  // namespace rtsweep
