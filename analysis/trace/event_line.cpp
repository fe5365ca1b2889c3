// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/event_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr int64_t kMostCpus = 65'536;
constexpr std::string_view kFlagCharacters = ".dDbXNnpPBLlhHsSzZ0123456789abcdef";

// "comm-1234" and "comm-1234 ( 1200)": the task in front of the CPU. A comm may hold
// blanks and dashes, so the last dash before the number counts.
bool take_task(std::string_view text, TraceEvent& event) {
  text = trim(text);
  if (text.ends_with(')')) text = trim(text.substr(0, text.rfind('(')));
  const size_t dash = text.rfind('-');
  if (dash == std::string_view::npos || dash == 0) return false;
  std::string_view number = text.substr(dash + 1);
  const auto pid = scan::natural(number);
  if (!pid || !number.empty()) return false;
  event.comm = trim(text.substr(0, dash));
  event.pid = static_cast<int64_t>(*pid);
  return true;
}

bool is_flags(std::string_view text) {
  return text.size() >= 3 && text.size() <= 8 &&
         text.find_first_not_of(kFlagCharacters) == std::string_view::npos &&
         text.find_first_not_of("0123456789") != std::string_view::npos;
}

bool take_cpu(std::string_view& rest, TraceEvent& event) {
  const auto cpu = scan::integer(rest);
  if (!cpu || *cpu < 0 || *cpu >= kMostCpus) return false;
  event.cpu = static_cast<int>(*cpu);
  return true;
}

// The "[003]" that belongs to an event: the first with a task in front.
bool take_bracketed_cpu(std::string_view& rest, TraceEvent& event) {
  for (size_t at = rest.find('['); at != std::string_view::npos; at = rest.find('[', at + 1)) {
    std::string_view behind = rest.substr(at + 1);
    if (!take_cpu(behind, event) || !scan::literal(behind, "]")) continue;
    if (!take_task(rest.substr(0, at), event)) continue;
    rest = behind;
    return true;
  }
  return false;
}

// "7542.703768:", or a counter of another trace clock, "123456789:", taken as nanoseconds.
bool take_time(std::string_view& rest, TraceEvent& event) {
  scan::blanks(rest);
  if (const auto time = scan::seconds(rest)) {
    event.time_ns = *time;
  } else if (const auto count = scan::natural(rest)) {
    event.time_ns = static_cast<int64_t>(*count);
  } else {
    return false;
  }
  return scan::literal(rest, ":");
}

std::optional<TraceEvent> plain_event(std::string_view rest) {
  TraceEvent event;
  if (!take_bracketed_cpu(rest, event)) return std::nullopt;
  std::string_view behind = rest;
  const std::string_view flags = scan::word(behind);
  if (is_flags(flags)) {
    event.flags = flags;
    rest = behind;
  }
  if (!take_time(rest, event)) return std::nullopt;
  set_event_text(event, rest);
  return event;
}

// "3dNs7    0us+: ...", what follows "comm-pid" in the latency format.
bool take_latency_columns(std::string_view rest, TraceEvent& event) {
  scan::blanks(rest);
  if (!take_cpu(rest, event)) return false;
  const std::string_view flags = scan::word(rest);
  scan::blanks(rest);
  const auto us = scan::natural(rest);
  if (!is_flags(flags) || !us || *us > 9'000'000'000'000'000 || !scan::literal(rest, "us")) {
    return false;
  }
  if (!rest.empty() && std::string_view(" +!#*@$").find(rest[0]) != std::string_view::npos) {
    rest.remove_prefix(1);
  }
  scan::blanks(rest);
  if (!scan::literal(rest, ":")) return false;
  event.flags = flags;
  event.time_ns = static_cast<int64_t>(*us) * 1'000;
  set_event_text(event, rest);
  return true;
}

std::optional<TraceEvent> latency_event(std::string_view line) {
  for (size_t dash = line.find('-'); dash != std::string_view::npos;
       dash = line.find('-', dash + 1)) {
    std::string_view rest = line.substr(dash + 1);
    TraceEvent event;
    const auto pid = scan::natural(rest);
    if (!pid || !rest.starts_with(' ') || !take_latency_columns(rest, event)) continue;
    event.comm = trim(line.substr(0, dash));
    event.pid = static_cast<int64_t>(*pid);
    return event;
  }
  return std::nullopt;
}

// "[00000b6c] 0.012ms (+0.003ms): ": the time in milliseconds since the trace's begin.
bool take_verbose_time(std::string_view& rest, TraceEvent& event) {
  scan::blanks(rest);
  const size_t close = rest.find(']');
  if (!rest.starts_with('[') || close == std::string_view::npos) return false;
  rest.remove_prefix(close + 1);
  scan::blanks(rest);
  const auto scaled = scan::seconds(rest);  // "0.012" of milliseconds
  if (!scaled || !scan::literal(rest, "ms")) return false;
  event.time_ns = *scaled / 1'000;
  const size_t colon = rest.find("): ");
  if (colon == std::string_view::npos) return false;
  rest.remove_prefix(colon + 3);
  return true;
}

// comm pid cpu flags(decimal) preempt-count(hex) index(hex); the flags are the bits of
// enum trace_flag_type (include/linux/trace_events.h).
std::optional<TraceEvent> verbose_event(std::string_view line) {
  const size_t bracket = line.find(" [");
  if (bracket == std::string_view::npos) return std::nullopt;
  std::vector<std::string> columns = words(line.substr(0, bracket));
  if (columns.size() < 6) return std::nullopt;
  TraceEvent event;
  const size_t n = columns.size();
  std::string_view pid = columns[n - 5];
  std::string_view cpu = columns[n - 4];
  std::string_view bits = columns[n - 3];
  const auto pid_number = scan::natural(pid);
  const auto flag_bits = scan::natural(bits);
  if (!pid_number || !pid.empty() || !take_cpu(cpu, event) || !cpu.empty() || !flag_bits ||
      !bits.empty() || columns[n - 2].size() != 8) {
    return std::nullopt;
  }
  std::string_view rest = line.substr(bracket);
  if (!take_verbose_time(rest, event)) return std::nullopt;
  event.pid = static_cast<int64_t>(*pid_number);
  event.comm = join(std::span(columns).first(n - 5), " ");
  const bool hard = (*flag_bits & 8) != 0;
  const bool soft = (*flag_bits & 16) != 0;
  event.flags = {(*flag_bits & 1) != 0 ? 'd' : '.', (*flag_bits & 4) != 0 ? 'N' : '.',
                 hard && soft ? 'H'
                 : hard       ? 'h'
                 : soft       ? 's'
                              : '.',
                 columns[n - 2].back()};
  set_event_text(event, rest);
  return event;
}

// "0:120:R   + [003]  2389: 94:R sleep", "0:120:R ==> ...": the wakeup tracers' own.
std::string_view switch_name(std::string_view text) {
  std::string_view rest = text;
  if (!scan::natural(rest) || !scan::literal(rest, ":")) return {};
  if (text.find(" ==> [") != std::string_view::npos) return "context_switch";
  return text.find(" + [") != std::string_view::npos ? "wakeup" : std::string_view{};
}

std::string_view numbered_name(std::string_view text) {
  if (!text.starts_with('#')) return {};
  if (text.find("timer_latency") != std::string_view::npos) return "timerlat";
  return text.find("inner/outer") != std::string_view::npos ? "hwlat" : std::string_view{};
}

bool is_name(std::string_view text) {
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return false;
  return std::ranges::all_of(
      text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

}  // namespace

void set_event_text(TraceEvent& event, std::string_view text) {
  text = trim(text);
  event.text = text;
  event.name.clear();
  // By ftrace itself, and by trace-cmd report.
  const bool of_trace_cmd = text.starts_with("kernel_stack:") && text.ends_with("<stack trace >");
  if (text == "<stack trace>" || of_trace_cmd) {
    event.name = "stack";
  } else if (const auto name = switch_name(text); !name.empty()) {
    event.name = name;
  } else if (const auto numbered = numbered_name(text); !numbered.empty()) {
    event.name = numbered;
  } else if (const size_t colon = text.find(':');
             is_name(text.substr(0, colon)) && colon != std::string_view::npos) {
    event.name = text.substr(0, colon);
    event.text = trim(text.substr(colon + 1));
  } else if (text.find("<-") != std::string_view::npos) {
    event.name = "function";
  }
}

bool begins_as_event(std::string_view line) {
  TraceEvent event;
  return take_bracketed_cpu(line, event);
}

std::optional<TraceEvent> parse_event_line(std::string_view line) {
  if (auto event = plain_event(line)) return event;
  if (auto event = latency_event(line)) return event;
  return verbose_event(line);
}

std::string event_text(const TraceEvent& event) {
  const std::string task = event.pid < 0 ? event.comm : fmt::format("{}-{}", event.comm, event.pid);
  const bool named = !event.name.empty() && event.name != "function" && event.name != "wakeup" &&
                     event.name != "context_switch" && event.name != "timerlat" &&
                     event.name != "hwlat";
  return fmt::format("{} [{:03}]{}{} {}.{:06}: {}{}", task, event.cpu,
                     event.flags.empty() ? "" : " ", event.flags, event.time_ns / 1'000'000'000,
                     event.time_ns / 1'000 % 1'000'000, named ? event.name + ": " : "", event.text);
}

}  // namespace rtsweep
