// SPDX-License-Identifier: GPL-2.0-or-later

// Faults that really happen. The commands run in the guest as the load "command", as
// root, with dash, coreutils and util-linux.

#include "runner/selftest/real_fault.h"

namespace rtsweep {
namespace {

// Sends a signal to cyclictest without the help of procps.
#define RTSWEEP_SIGNAL_PROBE(signal)                           \
  "for p in /proc/[0-9]*; do read -r c < $p/comm || continue;" \
  " [ \"$c\" = cyclictest ] && kill -" signal " ${p#/proc/}; done"

constexpr RealFault kFaults[] = {
    {.name = "real-load-killed",
     .what = "the load is killed by SIGKILL in the middle",
     .code = "load_died",
     .run = "kill -9 $$"},
    {.name = "real-load-starved",
     .what = "the load sleeps where it should work",
     .code = "load_below_floor",
     .load = "floor_per_s = 1000000"},
    {.name = "real-governor-changed",
     .what = "the frequency governor is changed in the middle",
     .code = "governor_changed",
     .run = "echo performance > /sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
     .vm = "cpufreq = true"},
    {.name = "real-tuning-impossible",
     .what = "a governor on a machine that has none",
     .code = "tuning_not_effective",
     .tuning = "governor = \"performance\""},
    {.name = "real-clock-source-switched",
     .what = "another clock source is chosen in the middle",
     .code = "clocksource_changed",
     .run = "cd /sys/devices/system/clocksource/clocksource0; now=$(cat current_clocksource);"
            " for c in $(cat available_clocksource); do [ $c = $now ] ||"
            " { echo $c > current_clocksource; break; }; done",
     .arch = "amd64"},
    // For three seconds by the wall clock: real-time tasks may use 0.95 s of each.
    {.name = "real-rt-throttling",
     .what = "a real-time task keeps the CPU until the kernel throttles it",
     .code = "rt_throttled",
     .run = "chrt -f 40 sh -c 'e=$(($(date +%s) + 3)); while [ $(date +%s) -lt $e ]; do :; done'"},
    {.name = "real-competitor",
     .what = "a task runs at FIFO 99 beside the probe",
     .code = "competing_rt_task",
     .run = "chrt -f 99 sh -c 'while :; do sleep 0.5; done'"},
    {.name = "real-cpu-offline",
     .what = "a CPU is taken offline in the middle",
     .code = "cpu_offline",
     .run = "echo 0 > /sys/devices/system/cpu/cpu1/online",
     .vm = "cpus = 2",
     .real_clock = true},
    {.name = "real-non-rt-kernel",
     .what = "a kernel without PREEMPT_RT where one with it was planned",
     .code = "not_rt",
     .kernel = "6.1"},
    {.name = "real-numa-fake-ignored",
     .what = "numa=fake=4 on a kernel that does not know it",
     .code = "numa_not_effective",
     .cmdline = "numa=fake=4"},
    // The kernel keeps one CPU for itself: "must include one present CPU".
    {.name = "real-isolation-ignored",
     .what = "isolcpus= of the only CPU, which the kernel does not do",
     .code = "level_not_effective",
     .cmdline = "isolcpus=0"},
    {.name = "real-disk-full",
     .what = "the guest's disk is filled up",
     .code = "disk_full",
     .run = "dd if=/dev/zero of=/tmp/fill bs=1M",
     .vm = "memory_mib = 256",
     .duration_s = 12},
    {.name = "real-probe-asked-to-end",
     .what = "cyclictest gets SIGTERM, and ends with exit code 0",
     .code = "probe_killed",
     .run = RTSWEEP_SIGNAL_PROBE("TERM")},
    {.name = "real-probe-killed",
     .what = "cyclictest gets SIGKILL",
     .code = "probe_killed",
     .run = RTSWEEP_SIGNAL_PROBE("KILL")},
    {.name = "real-out-of-memory",
     .what = "a process eats all memory",
     .code = "oom",
     .run = "tail /dev/zero",
     .vm = "memory_mib = 256",
     .duration_s = 12},
    {.name = "real-kernel-panic",
     .what = "the kernel is made to crash in the middle",
     .code = "kernel_panic",
     .run = "echo c > /proc/sysrq-trigger"},
    {.name = "real-init-missing",
     .what = "there is no init to run",
     .code = "init_missing",
     .cmdline = "rdinit=/no/such/init"},
    {.name = "real-clock-set",
     .what = "the wall clock is set in the middle",
     .code = "clock_jump",
     .run = "date -s '2026-06-01 12:00'"},
    {.name = "real-taint",
     .what = "the kernel is tainted in the middle",
     .code = "tainted",
     .run = "echo 512 > /proc/sys/kernel/tainted"},
    {.name = "real-trace-overrun",
     .what = "ftrace traces everything into a small buffer",
     .code = "trace_lost_events",
     .run = "mount -t tracefs none /sys/kernel/tracing; cd /sys/kernel/tracing;"
            " echo 8 > buffer_size_kb; echo 1 > events/enable; echo 1 > tracing_on"},
    {.name = "real-limit-exceeded",
     .what = "a limit that no kernel meets",
     .code = "limit_exceeded",
     .measure = "limit_us = 2"},
    {.name = "real-histogram-overflow",
     .what = "a histogram that is far too short",
     .code = "histogram_overflow",
     .measure = "histogram_us = 3"},
    {.name = "real-guest-paused",
     .what = "the VM is stopped for 300 ms while its clock runs on",
     .code = "guest_paused",
     .real_clock = true,
     .action = HostAction::kPause},
    {.name = "real-vm-killed",
     .what = "QEMU is killed in the middle",
     .code = "vm_died",
     .duration_s = 60,
     .action = HostAction::kKill},
};

}  // namespace

std::span<const RealFault> real_faults() { return kFaults; }

RealFault control_of(const RealFault& fault) {
  return {.name = "control",
          .what = fault.what,
          .code = fault.code,
          .arch = fault.arch,
          .vm = fault.vm,
          .duration_s = fault.duration_s,
          .real_clock = fault.real_clock};
}

bool same_control(const RealFault& a, const RealFault& b) {
  return a.arch == b.arch && a.vm == b.vm && a.duration_s == b.duration_s &&
         a.real_clock == b.real_clock;
}

}  // namespace rtsweep
