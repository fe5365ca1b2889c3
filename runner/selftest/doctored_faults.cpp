// SPDX-License-Identifier: GPL-2.0-or-later

// Faults that are made by changing what a good trial left behind, at least one for each
// reason. Values are those that real machines gave: see the comments.

#include "analysis/tracer_result.h"
#include "analysis/tuning_result.h"
#include "runner/boot/target.h"
#include "runner/selftest/doctored_trial.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using Trial = DoctoredTrial;

void both(Trial& trial, const char* fact, const json& value) {
  trial.before[fact] = value;
  trial.after[fact] = value;
}

json& begin_of(Trial& trial) { return trial.counters["begin"]; }
json& end_of(Trial& trial) { return trial.counters["end"]; }
json& thread_of(Trial& trial) { return trial.cyclictest["thread"]["1"]; }

// A trial that came to no end: nothing of the measurement was written.
void cut_short(Trial& trial, TrialEnd::Kind end) {
  trial.after = trial.counters = trial.probe = trial.cyclictest = trial.loads = json();
  trial.text.clear();
  trial.numa_maps.clear();
  trial.complete = false;
  trial.end["end"] = end_name(end);
}

void die_saying(Trial& trial, const char* words) {
  cut_short(trial, TrialEnd::Kind::kVmDied);
  trial.console += words;
}

// The governor of a CPU, set for the trial and put back.
TuningResult tuned_governor() {
  return {.setting = "governor",
          .file = "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
          .wanted = "performance",
          .before = "schedutil",
          .effective = "performance",
          .at_end = "performance",
          .restored = "schedutil"};
}

// The samples of cyclictest, 9,999 of 50 us and one of 80 us on each CPU, by timerlat.
void measure_with_timerlat(Trial& trial, uint64_t lost_events) {
  TracerResult result{
      .probe = "timerlat", .interval_us = 1000, .histogram_us = 400, .clock = "mono"};
  result.lost_events = lost_events;
  for (const int cpu : {0, 1}) {
    TracerSamples& samples = result.cpus.emplace_back(TracerCpu{.cpu = cpu}).kinds["thread"];
    for (int i = 0; i < 9'999; ++i) samples.add(50'000, 400);
    samples.add(80'000, 400);
  }
  trial.cyclictest = trial.capture = json();
  trial.text.clear();
  trial.tracer = result;
}

constexpr DoctoredFault kFaults[] = {
    {"kernel-panic", "the kernel panics", "kernel_panic",
     [](Trial& trial) {
       die_saying(trial,
                  "[   12.000000] Kernel panic - not syncing: Fatal exception in interrupt\n");
     }},
    {"init-missing", "there is no init to run", "init_missing",
     [](Trial& trial) {
       die_saying(trial,
                  "[    1.200000] Kernel panic - not syncing: No working init found.  Try passing "
                  "init= option to kernel.\n");
     }},
    {"kernel-oops", "the kernel faults and goes on", "kernel_oops",
     [](Trial& trial) {
       trial.console +=
           "[   14.460000] Unable to handle kernel NULL pointer dereference at virtual address "
           "0000000000000008\n[   14.460100] Internal error: Oops: 0000000096000004 [#1] SMP\n";
     }},
    {"lockup", "a CPU hangs in the kernel", "lockup",
     [](Trial& trial) {
       trial.console +=
           "[   40.000000] watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [kworker/1:1:45]\n";
     }},
    {"rcu-stall", "RCU is held up", "rcu_stall",
     [](Trial& trial) {
       trial.console += "[   60.000000] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n";
     }},
    {"boot-hangs", "the kernel never comes up", "boot_timeout",
     [](Trial& trial) {
       cut_short(trial, TrialEnd::Kind::kBootTimeout);
       trial.before = json();
     }},
    {"trial-hangs", "the machine hangs while it measures", "guest_hung",
     [](Trial& trial) { cut_short(trial, TrialEnd::Kind::kTrialTimeout); }},
    {"vm-dies", "QEMU is killed", "vm_died",
     [](Trial& trial) { cut_short(trial, TrialEnd::Kind::kVmDied); }},
    {"runner-killed", "the runner is killed in the middle", "interrupted",
     [](Trial& trial) {
       cut_short(trial, TrialEnd::Kind::kComplete);
       trial.end = json();
     }},
    {"load-does-not-start", "a load's program is missing", "load_failed",
     [](Trial& trial) {
       cut_short(trial, TrialEnd::Kind::kComplete);
       trial.error = {{"message", "load hackbench ended before the measurement: exit code 127"}};
     }},
    {"no-tracer", "the kernel was built without the probe's tracer", "probe_unsupported",
     [](Trial& trial) {
       cut_short(trial, TrialEnd::Kind::kComplete);
       trial.error = {{"message",
                       "probe timerlat is not there: the running kernel has it for no "
                       "instance of ftrace, only hwlat nop"}};
     }},
    {"disk-full", "no room for the results", "disk_full",
     [](Trial& trial) {
       cut_short(trial, TrialEnd::Kind::kComplete);
       trial.error = {{"message", "write counters.json: No space left on device"}};
     }},
    {"probe-leaves-nothing", "cyclictest ends without a result", "probe_failed",
     [](Trial& trial) {
       trial.cyclictest = json();
       trial.text.clear();
       trial.probe["exit_code"] = 1;
     }},
    {"no-module-file", "the suite cannot do its part", "trial_failed",
     [](Trial& trial) {
       cut_short(trial, TrialEnd::Kind::kComplete);
       trial.error = {{"message", "insert module mmc_block.ko: Exec format error"}};
     }},

    {"wrong-kernel", "the boot loader fell back to another kernel", "wrong_kernel",
     [](Trial& trial) { both(trial, "kernel_release", "6.1.0-50-rt-arm64"); }},
    // A RHEL kernel called "rt-debug" that is not PREEMPT_RT.
    {"rt-by-name-only", "a kernel that is only called RT", "not_rt",
     [](Trial& trial) { both(trial, "preempt_rt", false); }},
    {"parameter-lost", "the boot loader cut the command line", "cmdline_not_effective",
     [](Trial& trial) { both(trial, "cmdline", "console=ttyAMA0 quiet"); }},
    {"numa-straddle", "a CMA area makes the kernel give up numa=fake", "numa_not_effective",
     [](Trial& trial) {
       both(trial, "numa_nodes", 1);
       both(trial, "memory_log",
            {"[    0.000000] cma: CMA linux,cma [0x3c000000-0x40000000] straddles range "
             "[0x0-0x3fffffff]"});
     }},
    {"numa-gone-after", "a node went away during the trial", "numa_not_effective",
     [](Trial& trial) { trial.after["numa_nodes"] = 1; }},
    {"other-architecture", "the 32-bit kernel booted instead", "level_not_effective",
     [](Trial& trial) { both(trial, "machine", "armv7l"); }},
    {"policy-ignored", "the probe's memory lies anywhere", "memory_policy_not_effective",
     [](Trial& trial) { trial.numa_maps = "aaaae5a40000 default heap anon=12 N0=4 N1=8\n"; }},
    {"lockdep-kernel", "a kernel with lock validation", "debug_kernel",
     [](Trial& trial) { trial.before["kernel_config"]["PROVE_LOCKING"] = "y"; }},
    {"kasan-kernel", "a kernel with KASAN", "debug_kernel",
     [](Trial& trial) { trial.before["kernel_config"]["KASAN"] = "y"; }},

    {"load-killed", "the load is killed in the middle", "load_died",
     [](Trial& trial) {
       trial.loads[0]["alive"] = false;
       trial.loads[0]["ended"] = "killed by signal 9 (Killed)";
     }},
    {"load-starved", "the load does next to nothing", "load_below_floor",
     [](Trial& trial) { trial.loads[0]["work"] = 12.0; }},
    {"load-uncounted", "the load's work cannot be counted", "load_below_floor",
     [](Trial& trial) { trial.loads[0].erase("work"); }},
    {"probe-killed", "cyclictest is killed", "probe_killed",
     [](Trial& trial) {
       trial.probe["signal"] = 9;
       trial.cyclictest = json();
     }},
    // cyclictest ends with exit code 0 after SIGTERM.
    {"probe-asked-to-end", "cyclictest is asked to end after 4 s", "probe_killed",
     [](Trial& trial) { trial.probe["wall_s"] = 4.0; }},
    {"json-cut-off", "the result is cut off in the middle", "output_truncated",
     [](Trial& trial) { trial.cut_at = 200; }},
    {"results-differ", "JSON and text are of different runs", "results_differ",
     [](Trial& trial) {
       thread_of(trial)["histogram"] = {{"50", 9'998}, {"80", 2}};
     }},
    // What cyclictest prints for a thread that never ran: min 1000000, max 0.
    {"thread-never-ran", "a measuring thread never runs", "thread_never_ran",
     [](Trial& trial) {
       thread_of(trial) = {{"cycles", 0}, {"min", 1'000'000}, {"max", 0},
                           {"avg", 0.0},  {"cpu", 1},         {"node", 0}};
       trial.text.clear();
     }},
    {"too-few-cycles", "a thread is held up for a third of the time", "too_few_cycles",
     [](Trial& trial) {
       thread_of(trial)["histogram"] = {{"50", 6'665}, {"80", 1}};
       thread_of(trial)["cycles"] = 6'666;
       trial.text.clear();
     }},
    // A lab's archive has a job with this latency, marked as passed.
    {"latency-of-minus-172", "a latency of -172 us", "negative_latency",
     [](Trial& trial) {
       thread_of(trial)["min"] = -172;
       thread_of(trial)["cycles"] = 10'001;
       trial.text.clear();
     }},
    // 2^32 - 1: an unsigned overflow.
    {"latency-of-an-hour", "a latency of 4294967295 us", "absurd_latency",
     [](Trial& trial) {
       thread_of(trial)["max"] = 4'294'967'295;
       thread_of(trial)["cycles"] = 10'001;
       trial.text.clear();
     }},
    {"histogram-overflows", "every tenth sample is past the histogram", "histogram_overflow",
     [](Trial& trial) {
       for (const char* number : {"0", "1"}) {
         json& thread = trial.cyclictest["thread"][number];
         thread["histogram"] = {{"50", 9'000}};
         thread["max"] = 450;
       }
       trial.text =
           "# Histogram\n000050 009000\t009000\n# Total: 000009000 000009000\n"
           "# Min Latencies: 00050 00050\n# Avg Latencies: 00050 00050\n"
           "# Max Latencies: 00450 00450\n# Histogram Overflows: 01000 01000\n"
           "# Histogram Overflow at cycle number:\n# Thread 0: \n# Thread 1: \n";
     }},
    {"clock-source-switched", "the watchdog finds the TSC unstable", "clocksource_changed",
     [](Trial& trial) { trial.after["clocksource"] = "hpet"; }},
    {"cpu-offline", "a CPU goes offline", "cpu_offline",
     [](Trial& trial) { trial.after["online_cpus"] = {0}; }},
    {"governor-changed", "a daemon changes the governor", "governor_changed",
     [](Trial& trial) { trial.after["governors"]["1"] = "powersave"; }},
    {"frequency-limit-changed", "a daemon lowers the frequency's limit", "frequency_changed",
     [](Trial& trial) { trial.after["frequency_limits"]["0"]["max_khz"] = 1'000'000; }},
    {"frequency-not-held", "a pinned CPU runs at another frequency", "frequency_changed",
     [](Trial& trial) { end_of(trial)["cpus"]["0"]["khz"] = 600'000; }},
    {"too-hot", "an x86 CPU gets too hot", "throttled",
     [](Trial& trial) { end_of(trial)["cpus"]["1"]["thermal_throttles"] = 5; }},
    // 0xE0000 of a Raspberry Pi 4: capped, throttled, soft limit, since boot.
    {"pi-throttled", "a Pi's firmware throttles during the trial", "throttled",
     [](Trial& trial) { end_of(trial)["throttled_bits"] = 0xe0000; }},
    {"cooling-device", "Linux' own cooling slows a CPU down", "throttled",
     [](Trial& trial) {
       end_of(trial)["cooling"] = {{"cpufreq-cpu0 (cooling_device1)", 2}};
     }},
    {"pi-under-voltage", "a weak power supply", "under_voltage",
     [](Trial& trial) { end_of(trial)["throttled_bits"] = 0x50005; }},
    {"under-voltage-alarm", "hwmon's alarm of the supply voltage", "under_voltage",
     [](Trial& trial) { end_of(trial)["under_voltage"] = true; }},
    {"under-voltage-message", "the kernel's message of it, gone at the end", "under_voltage",
     [](Trial& trial) {
       trial.kernel_log = "[  104.000000] hwmon hwmon1: Undervoltage detected!\n";
     }},
    {"stolen-time", "the hypervisor runs another guest", "hypervisor_steal",
     [](Trial& trial) { end_of(trial)["cpus"]["0"]["steal_ms"] = 120; }},
    {"host-overloaded", "the VM waits for its host", "hypervisor_steal",
     [](Trial& trial) { trial.end["waited_s"] = 3.1; }},
    {"guest-paused", "somebody stops the VM", "guest_paused",
     [](Trial& trial) { trial.end["paused_s"] = 0.2; }},
    {"host-suspended", "the machine sleeps for a minute", "host_suspended",
     [](Trial& trial) { end_of(trial)["boottime_s"] = 170.0; }},
    {"clock-set", "NTP sets the clock by two seconds", "clock_jump",
     [](Trial& trial) { end_of(trial)["realtime_s"] = 1'767'225'712.0; }},
    {"competitor", "another task runs at FIFO 99", "competing_rt_task",
     [](Trial& trial) {
       begin_of(trial)["rt_tasks"].push_back({{"pid", 700},
                                              {"name", "greedy"},
                                              {"policy", "fifo"},
                                              {"priority", 99},
                                              {"kernel", false}});
     }},
    {"deadline-competitor", "another task runs with SCHED_DEADLINE", "competing_rt_task",
     [](Trial& trial) {
       end_of(trial)["rt_tasks"].push_back({{"pid", 701},
                                            {"name", "edf"},
                                            {"policy", "deadline"},
                                            {"priority", 0},
                                            {"kernel", false}});
     }},
    {"tracing-refused", "ftrace records nothing", "trace_not_proved",
     [](Trial& trial) {
       trial.capture["proved"] = false;
       trial.capture["not_proved"] = "no planted wakeup on CPU 0 was recorded";
     }},
    {"outlier-trace-overrun", "events of an outlier are overwritten", "outlier_trace_lost_events",
     [](Trial& trial) { trial.capture["lost_events"] = 1; }},
    {"outliers-without-trace", "no outlier has a trace", "outlier_untraced",
     [](Trial& trial) { trial.capture["outliers"] = json::array(); }},
    {"too-many-outliers", "more outliers than cyclictest keeps", "hits_incomplete",
     [](Trial& trial) { trial.capture["hits_complete"] = false; }},
    {"costly-tracing", "tracing itself makes wakeups late", "tracing_cost",
     [](Trial& trial) { trial.capture["traced_us"] = 48.0; }},
    {"tracer-overrun", "timerlat's records are overwritten", "probe_lost_samples",
     [](Trial& trial) { measure_with_timerlat(trial, 17); }},
    {"busy-observer", "rtsweep itself keeps a CPU busy", "observer_cost",
     [](Trial& trial) { trial.counters["observer"]["cpu_s"] = 0.9; }},
    {"rt-throttled", "real-time tasks use up their share", "rt_throttled",
     [](Trial& trial) { trial.console += "[   13.370000] sched: RT throttling activated\n"; }},
    {"out-of-memory", "memory runs out", "oom",
     [](Trial& trial) {
       trial.console +=
           "[   15.000000] Out of memory: Killed process 412 (hackbench) total-vm:52000kB, "
           "anon-rss:40000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:128kB "
           "oom_score_adj:0\n";
     }},
    {"hung-task", "a task waits for a device that does not answer", "hung_task",
     [](Trial& trial) {
       trial.console += "[  242.000000] INFO: task dd:310 blocked for more than 120 seconds.\n";
     }},
    {"sleeping-function", "the kernel complains of itself", "kernel_bug",
     [](Trial& trial) {
       trial.console +=
           "[   16.000000] BUG: sleeping function called from invalid context at "
           "kernel/locking/spinlock_rt.c:48\n";
     }},
    {"not-deterministic", "virtual time gives two results", "not_deterministic",
     [](Trial& trial) { trial.end["end"] = end_name(TrialEnd::Kind::kNotDeterministic); }},
    {"limit-exceeded", "a latency is beyond the limit", "limit_exceeded",
     [](Trial& trial) {
       thread_of(trial)["histogram"] = {{"50", 9'999}};
       thread_of(trial)["max"] = 1'310;
       trial.text.clear();
     }},
    // A write that succeeds and changes nothing, as that of a GPIO interrupt's affinity.
    {"tuning-ignored", "a setting is written and not taken", "tuning_not_effective",
     [](Trial& trial) {
       TuningResult governor = tuned_governor();
       governor.effective = "schedutil";
       trial.tuning = json::array({governor});
     }},
    {"tuning-left-behind", "a setting cannot be put back", "tuning_not_restored",
     [](Trial& trial) {
       TuningResult governor = tuned_governor();
       governor.restored = "performance";
       trial.tuning = json::array({governor});
     }},
    {"firmware-interrupt", "the firmware takes the CPU", "smi_seen",
     [](Trial& trial) { end_of(trial)["cpus"]["0"]["smis"] = 2; }},
    {"trace-overrun", "ftrace loses events", "trace_lost_events",
     [](Trial& trial) { end_of(trial)["trace_lost_events"] = 4'711; }},
    {"tainted-in-the-trial", "the kernel warns and is tainted", "tainted",
     [](Trial& trial) { end_of(trial)["tainted"] = 512; }},
    {"powersave", "the governor is not performance", "governor_not_performance",
     [](Trial& trial) {
       trial.before["governors"]["0"] = "powersave";
       trial.after["governors"]["0"] = "powersave";
     }},
    {"zero-minimum", "a clock of 32 kHz", "zero_latency",
     [](Trial& trial) {
       thread_of(trial)["min"] = 0;
       thread_of(trial)["histogram"] = {{"0", 1}, {"50", 9'998}, {"80", 1}};
       trial.text.clear();
     }},
    {"tick-resolution", "timers fire on the tick", "coarse_timer",
     [](Trial& trial) {
       for (const char* number : {"0", "1"}) {
         json& thread = trial.cyclictest["thread"][number];
         thread["histogram"] = {{"1900", 5'000}};
         thread["cycles"] = 5'000;
         thread["min"] = 1'900;
         thread["max"] = 1'900;
         thread["avg"] = 1'900.0;
       }
       trial.text.clear();
     }},
};

}  // namespace

std::span<const DoctoredFault> doctored_faults() { return kFaults; }

}  // namespace rtsweep
