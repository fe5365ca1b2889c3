// SPDX-License-Identifier: GPL-2.0-or-later

// Everything that cyclictest prints, in the midst of whatever else a terminal, a log or a
// mail holds. A run begins with a command line at a prompt, with cyclictest's first line
// ("# /dev/cpu_dma_latency set to 0us"), or where a thread's number comes again with
// another tid; lines that say nothing of a run are passed over.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/cyclictest_lava.h"
#include "analysis/cyclictest_parts.h"
#include "analysis/cyclictest_summary.h"
#include "analysis/number_list.h"
#include "runner/base/text.h"

namespace rtsweep::cyclictest {
namespace {

// "root@board:~# sudo ./cyclictest -m -S": from the program on. Prose that mentions
// cyclictest has no prompt before it or no option behind it.
std::optional<std::string> command_at_prompt(std::string_view line) {
  constexpr std::string_view kProgram = "cyclictest ";
  const size_t at = line.find(kProgram);
  if (at == std::string_view::npos || line.substr(at + kProgram.size()).substr(0, 1) != "-") {
    return std::nullopt;
  }
  std::string_view before = line.substr(0, at);
  before = trim(before.substr(0, before.find_last_of(" \t") + 1));
  if (before.ends_with("sudo")) before = trim(before.substr(0, before.size() - 4));
  const bool prompt = before.empty() || before.ends_with('#') || before.ends_with('$');
  return prompt ? std::optional(std::string(trim(line.substr(at)))) : std::nullopt;
}

// The value of "# Break value: 2128" for the key "# Break value:".
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  return trim(line.substr(key.size()));
}

// What -v showed of one thread.
struct Samples {
  uint64_t printed = 0;
  uint64_t last_cycle = 0;
  std::map<int64_t, uint64_t> histogram;
};

class TextReader {
 public:
  TextReader(const std::vector<std::string>& lines, std::string_view name, bool whole_lines)
      : lines_(lines), name_(name), whole_lines_(whole_lines) {}

  Result<std::vector<CyclictestRun>> read() {
    while (at_ < lines_.size()) {
      RTSWEEP_TRY(const size_t used, read_line());
      at_ += used;
    }
    RTSWEEP_CHECK_OK(finish_run());
    if (runs_.size() == 1) runs_.front().source = name_;
    return std::move(runs_);
  }

 private:
  Error bad(size_t line, std::string_view what) const { return bad_data(name_, line, what); }

  bool has_data() const { return !run_.threads.empty() || !samples_.empty() || has_histogram_; }

  // The number of lines that it took.
  Result<size_t> read_line() {
    const std::string& line = lines_[at_];
    if (auto command = command_at_prompt(line)) return begin_run(std::move(*command));
    if (line.starts_with("# /dev/cpu_dma_latency set to")) {
      if (has_data()) RTSWEEP_CHECK_OK(finish_run());
      return size_t{1};
    }
    if (trim(line) == "# Histogram") return read_histogram();
    if (line.starts_with("# ")) return read_comment(line);
    if (const auto spike = parse_spike(line)) {
      run_.spikes.push_back(*spike);
      return size_t{1};
    }
    if (const auto sample = parse_verbose(line)) return read_sample(*sample);
    RTSWEEP_TRY(const auto summary, parse_summary(lines_, at_, name_));
    if (summary) return read_summary(*summary);
    RTSWEEP_TRY(const auto lava, parse_lava(lines_, at_, name_));
    if (lava) return read_lava(*lava);
    return read_remark(line);
  }

  Result<size_t> begin_run(std::string command) {
    RTSWEEP_CHECK_OK(finish_run());
    run_.cmdline = std::move(command);
    return size_t{1};
  }

  Result<size_t> read_remark(const std::string& line) {
    if (line.starts_with("WARN: ") || line.starts_with("FATAL: ")) run_.warnings.push_back(line);
    const size_t policy = line.find("policy: ");
    const size_t end = line.find(": loadavg:");
    if (policy != std::string::npos && end != std::string::npos && policy + 8 <= end) {
      run_.policy = line.substr(policy + 8, end - policy - 8);
    }
    return size_t{1};
  }

  // Comments before the data are a wrapper's; those behind it are cyclictest's.
  Result<size_t> read_comment(const std::string& line) {
    if (const auto ids = value_of(line, "# Thread Ids:")) return read_tids(*ids);
    if (const auto value = value_of(line, "# Break thread:"))
      run_.break_thread = parse_whole(*value);
    if (const auto value = value_of(line, "# Break value:")) run_.break_value = parse_whole(*value);
    if (line.starts_with("# Break ") || line.starts_with("# cyclictest current status")) {
      return size_t{1};
    }
    const size_t colon = line.find(':');
    if (colon == std::string::npos) return size_t{1};
    if (has_histogram_) RTSWEEP_CHECK_OK(finish_run());
    run_.header[std::string(trim(line.substr(2, colon - 2)))] = trim(line.substr(colon + 1));
    return size_t{1};
  }

  Result<size_t> read_tids(std::string_view ids) {
    const std::vector<std::string> tids = words(ids);
    for (size_t i = 0; i < std::min(tids.size(), run_.threads.size()); ++i) {
      run_.threads[i].tid = parse_whole(tids[i]);
    }
    return size_t{1};
  }

  void note_begin(CyclictestFormat format) {
    if (!has_data()) begin_ = at_ + 1;
    run_.format = format;
  }

  CyclictestThread* find_thread(int number) {
    for (CyclictestThread& thread : run_.threads) {
      if (thread.thread == number) return &thread;
    }
    return nullptr;
  }

  // A live display shows the same thread again and again; the last time counts.
  Result<size_t> read_summary(const SummaryLine& summary) {
    RTSWEEP_CHECK_OK(check_not_cut(summary));
    if (is_another_run(summary.thread)) RTSWEEP_CHECK_OK(finish_run());
    note_begin(CyclictestFormat::kSummary);
    run_.nanoseconds = run_.nanoseconds || summary.nanoseconds;
    if (CyclictestThread* known = find_thread(summary.thread.thread)) {
      *known = summary.thread;
    } else {
      run_.threads.push_back(summary.thread);
    }
    return summary.used;
  }

  bool is_another_run(const CyclictestThread& thread) {
    if (has_histogram_) return true;
    const CyclictestThread* known = find_thread(thread.thread);
    if (known == nullptr) return false;
    const bool other_tid = known->tid && thread.tid && *known->tid != *thread.tid;
    return other_tid || known->cycles.value_or(0) > thread.cycles.value_or(0);
  }

  // The last line of a text that does not end in a newline may have lost digits: whole
  // ones are padded to eight.
  Result<void> check_not_cut(const SummaryLine& summary) const {
    if (whole_lines_ || at_ + summary.used < lines_.size() || summary.used > 1) return {};
    const std::string& line = lines_[at_];
    const size_t max = line.rfind("Max:");
    if (max == std::string::npos || line.size() - max - 4 >= 8) return {};
    return bad(at_ + 1, "the summary line is cut off");
  }

  Result<size_t> read_sample(const VerboseLine& sample) {
    if (!sample.complete) return bad(at_ + 1, "the line of a sample is cut off");
    if (has_histogram_) RTSWEEP_CHECK_OK(finish_run());
    note_begin(CyclictestFormat::kVerbose);
    Samples& samples = samples_[sample.thread];
    if (sample.cycle < samples.last_cycle) {
      return bad(at_ + 1, "the numbers of the cycles go backwards");
    }
    samples.last_cycle = sample.cycle;
    ++samples.printed;
    ++samples.histogram[sample.latency];
    return size_t{1};
  }

  Result<size_t> read_histogram() {
    if (has_histogram_) RTSWEEP_CHECK_OK(finish_run());
    note_begin(CyclictestFormat::kHistogram);
    const std::vector<CyclictestThread> shown = std::move(run_.threads);
    RTSWEEP_TRY(const size_t end, parse_histogram(lines_, at_, name_, whole_lines_, run_));
    has_histogram_ = true;
    samples_.clear();
    if (!shown.empty() && shown.size() != run_.threads.size()) {
      return bad(at_ + 1, fmt::format("a histogram of {} threads behind summary lines of {}",
                                      run_.threads.size(), shown.size()));
    }
    for (size_t i = 0; i < shown.size(); ++i) {
      run_.threads[i].tid = shown[i].tid;
      run_.threads[i].priority = shown[i].priority;
      run_.threads[i].interval_us = shown[i].interval_us;
    }
    return end - at_;
  }

  Result<size_t> read_lava(const LavaLatency& lava) {
    CyclictestThread* thread = find_thread(lava.thread);
    const bool again = thread != nullptr && lava.already_in(*thread);
    if (has_data() && (run_.format != CyclictestFormat::kLava || again)) {
      RTSWEEP_CHECK_OK(finish_run());
      thread = nullptr;
    }
    note_begin(CyclictestFormat::kLava);
    if (thread == nullptr) {
      run_.threads.push_back({.thread = lava.thread});
      thread = &run_.threads.back();
    }
    lava.put_into(*thread);
    return lava.used;
  }

  // With -o only the largest of several samples is printed, with its own cycle's number:
  // then the samples are no histogram, and only the maximum is exact. A sample of 0 repeats
  // the number of the cycle before.
  static CyclictestThread thread_from(int number, Samples samples) {
    CyclictestThread thread{.thread = number, .max = samples.histogram.rbegin()->first};
    if (samples.printed <= samples.last_cycle) return thread;
    thread.cycles = samples.printed;
    double sum = 0;
    for (const auto& [latency, times] : samples.histogram) {
      sum += static_cast<double>(latency) * static_cast<double>(times);
    }
    thread.min = samples.histogram.begin()->first;
    thread.avg = sum / static_cast<double>(samples.printed);
    thread.histogram = std::move(samples.histogram);
    thread.overflows = 0;
    return thread;
  }

  void take_samples() {
    for (auto& [number, samples] : samples_) {
      const CyclictestThread sampled = thread_from(number, std::move(samples));
      CyclictestThread* shown = find_thread(number);
      if (shown == nullptr) {
        run_.threads.push_back(sampled);
      } else if (shown->cycles == sampled.cycles) {
        shown->histogram = sampled.histogram;
        shown->overflows = sampled.overflows;
      }
    }
  }

  Result<void> finish_run() {
    const bool complete = has_data();
    take_samples();
    CyclictestRun run = std::exchange(run_, {});
    samples_.clear();
    has_histogram_ = false;
    if (!complete) {
      // What stands before the first data belongs to it, a lone command line included.
      run_ = std::move(run);
      return {};
    }
    run.source = fmt::format("{}:{}", name_, begin_);
    RTSWEEP_CHECK_OK(check_threads(run));
    apply_options(run);
    runs_.push_back(std::move(run));
    return {};
  }

  Result<void> check_threads(CyclictestRun& run) const {
    std::sort(run.threads.begin(), run.threads.end(),
              [](const auto& a, const auto& b) { return a.thread < b.thread; });
    for (size_t i = 0; i < run.threads.size(); ++i) {
      const CyclictestThread& thread = run.threads[i];
      if (thread.thread != static_cast<int>(i)) {
        return bad(begin_, fmt::format("thread {} of the run that begins here is missing", i));
      }
      if (run.format == CyclictestFormat::kLava && !thread.max) {
        return bad(begin_, fmt::format("t{}-max-latency of this test suite is missing", i));
      }
      if (const auto found = contradiction(thread, run); !found.empty()) {
        return bad(begin_, fmt::format("thread {} contradicts itself: {}", i, found));
      }
    }
    return {};
  }

  static void apply_options(CyclictestRun& run) {
    if (run.cmdline.empty()) return;
    const Options options = parse_options(run.cmdline);
    run.nanoseconds = run.nanoseconds || options.nanoseconds;
    for (CyclictestThread& thread : run.threads) {
      if (options.smp) thread.cpu = thread.thread;
      if (!thread.priority && options.priority) thread.priority = options.priority;
      if (!thread.interval_us) thread.interval_us = options.interval_of(thread.thread);
    }
  }

  const std::vector<std::string>& lines_;
  std::string_view name_;
  bool whole_lines_;
  size_t at_ = 0;
  std::vector<CyclictestRun> runs_;

  // The run that is being read.
  CyclictestRun run_;
  std::map<int, Samples> samples_;
  bool has_histogram_ = false;
  size_t begin_ = 1;  // line of its first data
};

}  // namespace

Result<std::vector<CyclictestRun>> parse_text(const std::vector<std::string>& lines,
                                              std::string_view name, bool ends_with_newline) {
  return TextReader(lines, name, ends_with_newline).read();
}

}  // namespace rtsweep::cyclictest
