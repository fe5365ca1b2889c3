// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/reason_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace rtsweep {
namespace {

using enum Severity;

constexpr ReasonEntry kCatalogue[] = {
    // No number: the suite, the kernel or the machine failed to do its work.
    {"kernel_panic", kError, "read the console log from its first complaint on"},
    {"init_missing", kError, "check what the kernel is to run first: init=, initramfs, root="},
    {"kernel_oops", kError, "report the fault with the console log of this trial"},
    {"lockup", kError, "look in the console log for what that CPU was doing"},
    {"rcu_stall", kError, "look in the console log for the CPU or task that is named there"},
    {"boot_timeout", kError, "read the end of the console log, or raise boot_timeout in the plan"},
    {"guest_hung", kError, "read the end of the console log, or raise trial_timeout in the plan"},
    {"vm_died", kError, "read the emulator's log in the trial's directory"},
    {"interrupted", kError, "run the plan again for a result of this trial"},
    {"load_failed", kError, "read the load's log, and try its command by hand"},
    {"disk_full", kError, "make room on the disk that the results are written to"},
    {"probe_failed", kError, "read the probe's output, and try its command by hand"},
    {"probe_unsupported", kError, "measure a kernel that has it, or with another probe"},
    {"trial_failed", kError, "mend what the message says and run the plan again"},

    // A number that cannot be believed.
    {"wrong_kernel", kInvalid, "check the boot loader's entry and that the kernel was installed"},
    {"not_rt", kInvalid, "boot a kernel with CONFIG_PREEMPT_RT=y, or set expect_rt = false"},
    {"cmdline_not_effective", kInvalid, "check how the target passes boot parameters on"},
    {"level_not_effective", kInvalid,
     "use a kernel and a machine that can do it, or leave the level out"},
    {"numa_not_effective", kInvalid,
     "use a kernel with CONFIG_NUMA and, for numa=fake, CONFIG_NUMA_EMU, with memory for each "
     "node"},
    {"memory_policy_not_effective", kInvalid,
     "use a kernel with CONFIG_NUMA and name nodes that it has"},
    {"tuning_not_effective", kInvalid,
     "take what this machine cannot set out of [tuning], and stop what changes it meanwhile"},
    {"debug_kernel", kInvalid, "measure a kernel without them, built from the same source"},
    {"load_died", kInvalid, "read the load's log and keep the load alive for the whole trial"},
    {"load_below_floor", kInvalid,
     "find out what held the load up, or lower its floor_per_s in the plan"},
    {"probe_killed", kInvalid, "look for what stops cyclictest: a watchdog, a script, a person"},
    {"output_truncated", kInvalid, "check for a full disk or a probe that was killed"},
    {"results_differ", kInvalid, "do not use this build of cyclictest"},
    {"thread_never_ran", kInvalid, "check that the probe may run on that CPU at that priority"},
    {"too_few_cycles", kInvalid, "look for a probe that was stopped, throttled or started late"},
    {"negative_latency", kInvalid, "check the clock source: time went backwards"},
    {"absurd_latency", kInvalid, "check the clock source, and cyclictest for this word size"},
    {"probe_lost_samples", kInvalid, "raise interval_us, or look for what held rtsweep up"},
    {"histogram_overflow", kInvalid, "raise histogram_us above the largest latency"},
    {"clocksource_changed", kInvalid, "choose a stable clock source with clocksource= or tsc="},
    {"cpu_offline", kInvalid, "keep all CPUs online and measure each of them"},
    {"governor_changed", kInvalid, "stop the daemon that changes the CPU frequency governor"},
    {"frequency_changed", kInvalid,
     "pin the CPU frequency, and look for what changes it: heat, firmware, a daemon"},
    {"throttled", kInvalid, "cool the machine better, or run it at a lower frequency"},
    {"under_voltage", kInvalid, "use a better power supply and a short cable"},
    {"hypervisor_steal", kInvalid, "give the VM CPUs of its own, or measure in virtual time"},
    {"guest_paused", kInvalid, "leave the VM alone while it measures, or measure in virtual time"},
    {"host_suspended", kInvalid, "switch off automatic suspend"},
    {"competing_rt_task", kInvalid, "stop it, or give the probe a higher priority"},
    {"trace_not_proved", kInvalid,
     "see what tracefs of this kernel offers, and whether somebody else uses ftrace"},
    {"outlier_trace_lost_events", kInvalid, "raise buffer_kib, or trace less"},
    {"observer_cost", kInvalid, "report this: rtsweep must not disturb what it measures"},
    {"rt_throttled", kInvalid,
     "look for a real-time task or an interrupt that keeps a CPU to itself"},
    {"oom", kInvalid, "give the machine more memory, or the load less to do"},
    {"hung_task", kInvalid, "look in the console log for what the task waits for"},
    {"kernel_bug", kInvalid, "report the complaint, and measure with a kernel that has none"},
    {"not_deterministic", kInvalid, "repeat the trial: virtual time must give the same result"},

    // A number, and it is too large.
    {"limit_exceeded", kFail, "look at the histogram, and trace what is beyond the limit"},

    // A number that says less than it seems to.
    {"tracing_cost", kWarning,
     "raise breakpoint_us, or trace less: stacks = false, no functions, fewer events"},
    {"outlier_untraced", kWarning, "raise breakpoint_us, so that they are few and far between"},
    {"hits_incomplete", kWarning, "raise breakpoint_us"},
    {"overflow_known", kWarning, "raise histogram_us to see the shape of the tail"},
    {"maximum_unknown", kWarning, "read the maximum as a lower bound"},
    {"samples_unknown", kWarning, "ask for the whole output of cyclictest"},
    {"zero_latency", kWarning, "check the resolution of the clock before believing the minimum"},
    {"coarse_timer", kWarning, "use a kernel and a machine with high-resolution timers"},
    {"tuning_not_restored", kWarning, "put it back by hand; the next start tries it again"},
    {"clock_jump", kWarning,
     "let NTP settle before the run: setting the clock interrupts all CPUs"},
    {"smi_seen", kWarning, "ask for firmware without it; no kernel can prevent an SMI"},
    {"trace_lost_events", kWarning, "give ftrace larger buffers or fewer events"},
    {"tainted", kWarning,
     "see what its bits mean in Documentation/admin-guide/tainted-kernels.rst"},
    {"governor_not_performance", kWarning, "set the performance governor on the measured CPUs"},
};

}  // namespace

std::span<const ReasonEntry> reason_catalogue() { return kCatalogue; }

const ReasonEntry* find_reason(std::string_view code) {
  const auto* it = std::find_if(std::begin(kCatalogue), std::end(kCatalogue),
                                [&](const ReasonEntry& entry) { return entry.code == code; });
  return it == std::end(kCatalogue) ? nullptr : it;
}

Reason make_reason(std::string_view code, std::string_view what) {
  const ReasonEntry* entry = find_reason(code);
  assert(entry != nullptr);
  return {std::string(code), entry->severity, fmt::format("{}; {}.", what, entry->advice)};
}

}  // namespace rtsweep
