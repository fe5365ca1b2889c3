// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/selftest/injection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr InjectedKind kKinds[] = {
    {.name = "fifo",
     .what = "a program runs at FIFO 95, above the probe",
     .place = "(RT priority 95)",
     .made_by = ""},
    {.name = "fifo-kthread",
     .what = "a kernel thread runs at FIFO 95",
     .place = "rtsweep-inject",
     .made_by = "hog",
     .raised = "rtsweep-inject"},
    {.name = "irqs-off",
     .what = "kernel code runs with interrupts off",
     .place = "rtsweep_irqs_off",
     .made_by = "irqs-off"},
    {.name = "preempt-off",
     .what = "kernel code runs with preemption off",
     .place = "rtsweep_preempt_off",
     .made_by = "preempt-off"},
    {.name = "hard-irq",
     .what = "the handler of a hardware interrupt takes long",
     .place = "rtsweep-slow",
     .made_by = "hard-irq",
     .x86_only = true},
    {.name = "hrtimer",
     .what = "a timer's function takes long in the timer interrupt",
     .place = "rtsweep_long_timer",
     .made_by = "timer"},
    {.name = "softirq",
     .what = "a storm of tasklets, in ksoftirqd at FIFO 95",
     .place = "TASKLET",
     .made_by = "softirq",
     .raised = "ksoftirqd/0"},
    {.name = "console",
     .what = "kernel messages on a serial console, their thread at FIFO 95",
     .place = "pr/tty",
     .made_by = "console",
     .raised = "pr/*"},
    {.name = "idle-exit",
     .what = "the CPU takes long to leave an idle state",
     .place = "state 0",
     .made_by = "idle"},
    {.name = "frequency",
     .what = "a change of the frequency stops the CPU",
     .place = "",
     .made_by = "frequency",
     .raised = "rtsweep-inject"},
    {.name = "guest-paused",
     .what = "all CPUs of the guest are stopped from outside",
     .place = "",
     .made_by = ""}};

struct Place {
  std::string_view kernel;
  std::string_view arch;
};
// With all kinds on the first two. Then another 64-bit architecture, and 32 bits.
constexpr Place kEverything[] = {{"6.1-rt", "amd64"}, {"6.12-rt", "amd64"}};
struct OtherPlace {
  std::string_view kind;
  Place place;
};
constexpr OtherPlace kOthers[] = {
    {"irqs-off", {"6.12-rt", "arm64"}},    {"softirq", {"6.12-rt", "arm64"}},
    {"fifo", {"6.1-rt", "arm64"}},         {"idle-exit", {"6.1-rt", "arm64"}},
    {"preempt-off", {"6.12-rt", "armhf"}}, {"hard-irq", {"6.1-rt", "i386"}},
    {"fifo", {"6.12-rt", "armhf"}}};

// Delays in us, and the least time between two of them: the trace of one must be saved, and
// the snapshot armed again, before the next.
constexpr int kLeast = 700;
constexpr int kMost = 1'600;
constexpr int kGap = 150'000;
constexpr int kSecondsMore = 2;  // until the load has begun, and after its last delay

const InjectedKind* kind_named(std::string_view name) {
  return std::ranges::find(kKinds, name, &InjectedKind::name);
}

// The load ticks, so that it proves to be at work. The delays begin when the probe runs.
constexpr char kLoad[] =
    "echo 1 > $RTSWEEP_WORK; ( n=1; while :; do n=$((n + 1)); echo $n > $RTSWEEP_WORK.new;"
    " mv $RTSWEEP_WORK.new $RTSWEEP_WORK; sleep 0.1; done ) & "
    "raise() {{ for p in /proc/[0-9]*; do read -r c < $p/comm || continue;"
    " case \"$c\" in $1) chrt -f -p 95 ${{p#/proc/}};; esac; done; }}; "
    "probing() {{ for p in /proc/[0-9]*; do read -r c < $p/comm || continue;"
    " [ \"$c\" = cyclictest ] && return 0; done; return 1; }}; "
    "until probing; do sleep 0.1; done; sleep 0.7; {}; wait";

std::string module_script(const InjectionVm& vm) {
  const InjectedKind& kind = *vm.kind;
  std::string script;
  if (kind.made_by == "console") script += "echo 8 > /proc/sys/kernel/printk; ";
  script += fmt::format("echo '{} {} {} {} {} {}' > /proc/rtsweep-inject || exit 1; ", kind.made_by,
                        vm.count, kLeast, kMost, kGap, 7);
  if (!kind.raised.empty()) script += fmt::format("raise '{}'; ", kind.raised);
  return script +
         "while :; do sleep 0.3; case $(cat /proc/rtsweep-inject) in *end) break;; esac; done; "
         "cat /proc/rtsweep-inject";
}

// The program's name shows in the trace. /proc/uptime has hundredths of a second; reading
// it starts no other program.
std::string program_script(const InjectionVm& vm) {
  return fmt::format(
      "cp /usr/bin/dash /tmp/hog; "
      "for k in $(seq {}); do sleep 0.{}; read -r a b < /proc/uptime; "
      "chrt -f 95 /tmp/hog -c 'i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done'; "
      "read -r c b < /proc/uptime; a=${{a%.*}}${{a#*.}}; c=${{c%.*}}${{c#*.}}; "
      "echo \"fifo ${{a}}0000000 $((c - a + 1))0000000\"; done",
      vm.count, kGap / 1000);
}

std::string script_of(const InjectionVm& vm) {
  if (!vm.kind->made_by.empty()) return module_script(vm);
  return needs_real_clock(*vm.kind) ? ":" : program_script(vm);
}

}  // namespace

std::span<const InjectedKind> injected_kinds() { return kKinds; }

bool needs_real_clock(const InjectedKind& kind) { return kind.name == "guest-paused"; }

std::vector<InjectionVm> injection_vms(std::string_view only) {
  std::vector<InjectionVm> vms;
  for (const InjectedKind& kind : kKinds) {
    if (!only.empty() && kind.name != only) continue;
    for (const Place& place : kEverything) {
      vms.push_back({.kind = &kind, .kernel = place.kernel, .arch = place.arch});
    }
  }
  for (const OtherPlace& other : kOthers) {
    if (!only.empty() && other.kind != only) continue;
    vms.push_back(
        {.kind = kind_named(other.kind), .kernel = other.place.kernel, .arch = other.place.arch});
  }
  return vms;
}

std::string injection_plan(const InjectionVm& vm) {
  const bool real = needs_real_clock(*vm.kind);
  const int duration = kSecondsMore + vm.count * (kGap / 1000) * 3 / 2 / 1000 + (real ? 8 : 2);
  return fmt::format(
      "name = \"causes\"\ntarget = \"vm\"\nclock = \"{}\"\n"
      "[measure]\nduration = \"{}s\"\nbreakpoint_us = {}\n"
      "[capture]\nkeep_first = 200\nwindow_us = {}\n"
      "[factors]\nkernel = [\"{}\"]\narch = [\"{}\"]\nload = [{}]\n"
      "[loads.command]\nunit = \"ticks\"\nrun = '''{}'''\n"
      "[vm]\nboot_timeout = \"20m\"\ntrial_timeout = \"30m\"\ncpus = {}\n",
      real ? "real" : "virtual", duration, real ? 20'000 : 300, real ? 20'000 : 4'000, vm.kernel,
      vm.arch, real ? "\"command+hackbench\"" : "\"command\"", fmt::format(kLoad, script_of(vm)),
      real ? 2 : 1);
}

std::string named_kind(const Explanation& explanation) {
  if (explanation.conclusion != Conclusion::kExplained || !explanation.cause) return "unknown";
  const std::string& who = explanation.cause_who;
  switch (*explanation.cause) {
    case SegmentKind::kHigherPriority:
      if (who.starts_with("pr/")) return "console";
      return who.starts_with("rtsweep-inject") ? "fifo-kthread" : "fifo";
    case SegmentKind::kIrqsOff:
      return "irqs-off";
    case SegmentKind::kPreemptOff:
      return "preempt-off";
    case SegmentKind::kHardIrq:
      return who.find(": ") == std::string::npos ? "hard-irq" : "hrtimer";
    case SegmentKind::kSoftirq:
      return "softirq";
    case SegmentKind::kIdleExit:
      return "idle-exit";
    case SegmentKind::kFrequency:
      return "frequency";
    case SegmentKind::kMachineSilent:
      return "guest-paused";
    default:
      return std::string(segment_code(*explanation.cause));
  }
}

std::vector<MadeDelay> made_delays(std::string_view log, std::string_view word) {
  std::vector<MadeDelay> delays;
  for (const std::string& line : split(log, '\n')) {
    const std::vector<std::string> parts = words(line);
    if (parts.size() != 3 || parts[0] != word) continue;
    int64_t begin = 0;
    int64_t length = 0;
    std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), begin);
    std::from_chars(parts[2].data(), parts[2].data() + parts[2].size(), length);
    if (length > 0) delays.push_back({begin, begin + length});
  }
  return delays;
}

bool is_injected(std::span<const MadeDelay> delays, int64_t begin_ns, int64_t end_ns,
                 int64_t slack_ns) {
  return std::ranges::any_of(delays, [&](const MadeDelay& delay) {
    return delay.begin_ns - slack_ns <= end_ns && delay.end_ns + slack_ns >= begin_ns;
  });
}

int64_t clock_offset(std::span<const MadeDelay> by_host, std::span<const int64_t> ends_ns) {
  constexpr int64_t kNear = 5'000'000;  // from the guest's going on to its thread's running
  int64_t best = 0;
  size_t most = 0;
  for (const MadeDelay& delay : by_host) {
    for (const int64_t end : ends_ns) {
      const int64_t offset = delay.end_ns - end;
      const auto matches = static_cast<size_t>(std::ranges::count_if(ends_ns, [&](int64_t other) {
        return std::ranges::any_of(by_host, [&](const MadeDelay& another) {
          return std::abs(another.end_ns - other - offset) < kNear;
        });
      }));
      if (matches <= most) continue;
      most = matches;
      best = offset;
    }
  }
  return best;
}

}  // namespace rtsweep
