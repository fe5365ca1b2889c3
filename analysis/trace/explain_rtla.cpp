// SPDX-License-Identifier: GPL-2.0-or-later

// rtla timerlat -a explains a latency itself (tools/tracing/rtla/src/timerlat_aa.c): the
// parts are taken over, with what they leave over.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/trace/explain_parts.h"
#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// "  29.85 us (33.5 %)" at the end of a line, in nanoseconds.
std::optional<int64_t> value_at_end(std::string_view line) {
  const size_t us = line.rfind(" us");
  if (us == std::string_view::npos) return std::nullopt;
  std::string_view number = trim(line.substr(0, us));
  number = number.substr(number.find_last_of(" \t:") + 1);
  const std::string with_unit = std::string(number) + " us";
  std::string_view rest = with_unit;
  return scan::microseconds(rest);
}

// One "## CPU 23 hit stop tracing, analyzing it ##" and what follows it.
class RtlaReader {
 public:
  RtlaReader(std::string_view name, int cpu, size_t line) : cpu_(cpu) {
    result_.source = fmt::format("{}:{}", name, line);
    result_.subject = fmt::format("rtla's analysis of timerlat on CPU {}", cpu);
  }

  // False when the line ends the analysis.
  bool line(std::string_view raw, size_t number) {
    const std::string_view text = trim(raw);
    if (text.empty() || text.starts_with("---")) return true;
    if (text.starts_with("->")) {
      result_.evidence.push_back({number, "=> " + std::string(trim(text.substr(2)))});
      return true;
    }
    const auto value = value_at_end(text);
    if (text.starts_with("Thread latency:") || text.starts_with("IRQ latency:")) {
      return total(text, value, number);
    }
    result_.evidence.push_back({number, join(words(text), " ")});
    if (section(text, value, number)) return true;
    if (value && part_ != nullptr) name_part(text, *value);
    return true;
  }

  std::optional<Explanation> take() {
    if (!total_ || *total_ <= 0) return std::nullopt;
    fill();
    return std::move(result_);
  }

 private:
  // "IRQ latency:" stands in the middle as a sub-total, and at the end of an IRQ analysis
  // with "(100%)".
  bool total(std::string_view text, std::optional<int64_t> value, size_t number) {
    result_.evidence.push_back({number, join(words(text), " ")});
    if (text.find("100%") == std::string_view::npos) return true;
    total_ = value;
    irq_ = text.starts_with("IRQ");
    return false;
  }

  bool section(std::string_view text, std::optional<int64_t> value, size_t number) {
    struct Heading {
      std::string_view words;
      SegmentKind kind;
    };
    static constexpr Heading kHeadings[] = {
        {"IRQ handler delay:", SegmentKind::kLateTimer},
        {"Timerlat IRQ duration:", SegmentKind::kTimerInterrupt},
        {"Blocking thread:", SegmentKind::kPreemptOff},
        {"NMI interference", SegmentKind::kHardIrq},
        {"IRQ interference", SegmentKind::kHardIrq},
        {"Softirq interference", SegmentKind::kSoftirq},
        {"Thread interference", SegmentKind::kHigherPriority}};
    for (const Heading& heading : kHeadings) {
      if (!text.starts_with(heading.words)) continue;
      SegmentKind kind = heading.kind;
      if (text.find("(exit from idle)") != std::string_view::npos) kind = SegmentKind::kIdleExit;
      result_.segments.push_back(
          {.kind = kind, .length_ns = value.value_or(0), .cpu = cpu_, .line = number});
      part_ = &result_.segments.back();
      largest_name_ = 0;
      return true;
    }
    return false;
  }

  // "objtool:49256   18.27 us" below its section: the largest one gives it the name.
  void name_part(std::string_view text, int64_t value) {
    if (value <= largest_name_) return;
    largest_name_ = value;
    part_->who = words(text).front();
  }

  void fill() {
    int64_t sum = 0;
    for (Segment& segment : result_.segments) {
      segment.begin_ns = sum;
      sum += segment.length_ns;
    }
    if (*total_ > sum) {
      result_.segments.push_back(
          {.kind = irq_ ? SegmentKind::kTimerInterrupt : SegmentKind::kSwitch,
           .begin_ns = sum,
           .length_ns = *total_ - sum,
           .cpu = cpu_});
    } else if (sum > *total_) {
      result_.notes.emplace_back(
          fmt::format("its parts are {} more than the whole", us_text(sum - *total_)));
    }
    result_.latency_ns = total_;
    result_.latency_of = irq_ ? "from programmed expiry to the timer's interrupt"
                              : "from programmed expiry to the timerlat thread";
    conclude();
  }

  void conclude() {
    const auto largest = std::ranges::max_element(result_.segments, {}, &Segment::length_ns);
    result_.cause = largest->kind;
    result_.cause_who = largest->who;
    result_.conclusion = Conclusion::kExplained;
    std::string what(segment_name(largest->kind));
    if (!largest->who.empty()) what += " (" + largest->who + ")";
    result_.headline = fmt::format("timerlat on CPU {} was late by {}: for {} {}.", cpu_,
                                   us_text(*total_), us_text(largest->length_ns), what);
    if (largest->kind != SegmentKind::kLateTimer) return;
    result_.conclusion = Conclusion::kUnknown;
    result_.notes.emplace_back("rtla gives the delay of the interrupt, not its reason");
    result_.next.emplace_back("-e preemptirq beside timerlat: who has interrupts off");
    result_.next.emplace_back("rtla hwnoise: whether firmware takes the CPU");
  }

  Explanation result_;
  int cpu_;
  std::optional<int64_t> total_;
  bool irq_ = false;
  Segment* part_ = nullptr;
  int64_t largest_name_ = 0;
};

// "## CPU 23 hit stop tracing, analyzing it ##"
std::optional<int> analysed_cpu(std::string_view line) {
  std::string_view rest = trim(line);
  if (!scan::literal(rest, "## CPU ")) return std::nullopt;
  const auto cpu = scan::natural(rest);
  if (!cpu || *cpu > 65'535 || rest.find("hit stop tracing") == std::string_view::npos) {
    return std::nullopt;
  }
  return static_cast<int>(*cpu);
}

}  // namespace

std::vector<Explanation> explain_rtla(std::string_view text, std::string_view name) {
  std::vector<Explanation> found;
  std::optional<RtlaReader> reader;
  const auto finish = [&] {
    if (!reader) return;
    if (auto explanation = reader->take()) found.push_back(std::move(*explanation));
    reader.reset();
  };
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    ++number;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (const auto cpu = analysed_cpu(line)) {
      finish();
      reader.emplace(name, *cpu, number);
    } else if (reader && !reader->line(line, number)) {
      finish();
    }
  }
  finish();
  return found;
}

}  // namespace rtsweep
