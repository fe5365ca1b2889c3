// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/selftest/doctored_trial.h"

#include <fmt/format.h>

#include "runner/base/files.h"
#include "runner/boot/target.h"
#include "runner/boot/vm_results.h"
#include "runner/measure/load_runner.h"
#include "runner/measure/trial_sink.h"
#include "runner/run/evaluate.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kPlan[] = R"(
name = "selftest"
target = "vm"
clock = "real"
[measure]
duration = "10s"
interval_us = 1000
histogram_us = 400
limit_us = 1000
breakpoint_us = 70
[factors]
kernel = ["6.12-rt"]
arch = ["arm64"]
cmdline = ["numa=fake=2"]
probe_memory = ["bind:0"]
load = ["hackbench"]
[vm]
cpus = 2
)";

constexpr char kRelease[] = "6.12.9-rt-arm64";

json good_facts() {
  return {{"kernel_release", kRelease},
          {"kernel_version", "#1 SMP PREEMPT_RT Debian 6.12.9-1 (2026-01-10)"},
          {"machine", "aarch64"},
          {"cmdline", "console=ttyAMA0 quiet numa=fake=2"},
          {"preempt_rt", true},
          {"kernel_config", {{"PREEMPT_RT", "y"}, {"HZ", "250"}, {"NUMA", "y"}}},
          {"online_cpus", {0, 1}},
          {"clocksource", "arch_sys_counter"},
          {"governors", {{"0", "performance"}, {"1", "performance"}}},
          {"frequency_limits",
           {{"0", {{"driver", "cpufreq-dt"}, {"min_khz", 1'500'000}, {"max_khz", 1'500'000}}}}},
          {"numa_nodes", 2},
          {"userland", "64-bit"}};
}

json good_counters(double seconds) {
  const json cpu = {{"steal_ms", 0}, {"khz", 1'500'000}, {"thermal_throttles", 3}, {"smis", 0}};
  return {{"monotonic_s", seconds},
          {"boottime_s", seconds},
          {"realtime_s", 1'767'225'600 + seconds},
          {"cpus", {{"0", cpu}, {"1", cpu}}},
          {"throttled_bits", 0},
          {"under_voltage", false},
          {"trace_lost_events", 0},
          {"tainted", 0},
          {"rt_tasks",
           {{{"pid", 20},
             {"name", "migration/0"},
             {"policy", "fifo"},
             {"priority", 99},
             {"kernel", true}}}}};
}

// 9,999 cycles of 50 us and one of 80 us.
json good_thread(int cpu) {
  return {{"histogram", {{"50", 9'999}, {"80", 1}}},
          {"cycles", 10'000},
          {"min", 50},
          {"max", 80},
          {"avg", 50.0},
          {"cpu", cpu},
          {"node", 0}};
}

json good_cyclictest() {
  return {{"file_version", 1},
          {"rt_test_version:", "2.40"},
          {"return_code", 0},
          {"sysinfo", {{"sysname", "Linux"}, {"release", kRelease}, {"machine", "aarch64"}}},
          {"num_threads", 2},
          {"resolution_in_ns", 0},
          {"thread", {{"0", good_thread(0)}, {"1", good_thread(1)}}}};
}

// The one sample of each thread past the breakpoint, and a trace of each.
json good_capture() {
  json hits = json::array(), outliers = json::array();
  for (const int cpu : {0, 1}) {
    hits.push_back({{"thread", cpu}, {"cpu", cpu}, {"latency_us", 80}, {"at_us", 15'000'080}});
    outliers.push_back({{"file", "outlier-" + std::to_string(cpu + 1) + ".dat"},
                        {"latency_us", 80},
                        {"cpu", cpu},
                        {"pid", 500 + cpu},
                        {"at_us", 15'000'080},
                        {"expiry_ns", 15'000'000'000},
                        {"unarmed_ms", 3.0}});
  }
  return {{"method", "trigger"},   {"proved", true},      {"breakpoint_us", 70},
          {"clock", "mono"},       {"buffer_kib", 1024},  {"lost_events", 0},
          {"untraced_us", 12.0},   {"traced_us", 20.0},   {"hits", hits},
          {"hits_complete", true}, {"outliers", outliers}};
}

std::string good_text() {
  return "# /dev/cpu_dma_latency set to 0us\n"
         "# Histogram\n"
         "000050 009999\t009999\n"
         "000080 000001\t000001\n"
         "# Total: 000010000 000010000\n"
         "# Min Latencies: 00050 00050\n"
         "# Avg Latencies: 00050 00050\n"
         "# Max Latencies: 00080 00080\n"
         "# Histogram Overflows: 00000 00000\n"
         "# Histogram Overflow at cycle number:\n"
         "# Thread 0: \n"
         "# Thread 1: \n";
}

Result<void> write_files(const DoctoredTrial& trial, const fs::path& directory) {
  DirectorySink sink(directory);
  const auto put = [&](const char* name, const json& value) -> Result<void> {
    if (value.is_null()) return {};
    return sink.put(name, value.dump(2) + "\n");
  };
  RTSWEEP_CHECK_OK(put(trial_file::kFactsBefore, trial.before));
  RTSWEEP_CHECK_OK(put(trial_file::kFactsAfter, trial.after));
  RTSWEEP_CHECK_OK(put(trial_file::kCounters, trial.counters));
  RTSWEEP_CHECK_OK(put(trial_file::kProbe, trial.probe));
  RTSWEEP_CHECK_OK(put(trial_file::kLoads, trial.loads));
  RTSWEEP_CHECK_OK(put(trial_file::kTuning, trial.tuning));
  RTSWEEP_CHECK_OK(put(trial_file::kCapture, trial.capture));
  RTSWEEP_CHECK_OK(put("timerlat.json", trial.tracer));
  RTSWEEP_CHECK_OK(put(trial_file::kError, trial.error));
  RTSWEEP_CHECK_OK(put(kEndFile, trial.end));
  if (!trial.cyclictest.is_null()) {
    const std::string report = trial.cyclictest.dump(2) + "\n";
    RTSWEEP_CHECK_OK(sink.put(trial_file::kProbeJson,
                              trial.cut_at > 0 ? report.substr(0, trial.cut_at) : report));
  }
  for (const auto& [name, text] :
       {std::pair(trial_file::kProbeText, &trial.text), std::pair(kConsoleFile, &trial.console),
        std::pair(trial_file::kKernelLog, &trial.kernel_log),
        std::pair(trial_file::kNumaMaps, &trial.numa_maps)}) {
    if (!text->empty()) RTSWEEP_CHECK_OK(sink.put(name, *text));
  }
  return trial.complete ? sink.put(trial_file::kComplete, "{}\n") : Result<void>();
}

}  // namespace

DoctoredTrial good_doctored_trial() {
  return {
      .before = good_facts(),
      .after = good_facts(),
      .counters = {{"begin", good_counters(100)},
                   {"end", good_counters(110)},
                   {"observer",
                    {{"wall_s", 10.0},
                     {"cpu_s", 0.004},
                     {"switches", 12},
                     {"preemptions", 1},
                     {"cpus", {0, 1}}}}},
      .probe = {{"argv", {"cyclictest"}},
                {"exit_code", 0},
                {"signal", 0},
                {"timed_out", false},
                {"wall_s", 10.1}},
      .cyclictest = good_cyclictest(),
      .loads = std::vector<LoadResult>{{.name = "hackbench",
                                        .alive = true,
                                        .work = 500'000,
                                        .unit = "messages",
                                        .floor = 20'000}},
      .capture = good_capture(),
      .end = TrialEnd{.wall_s = 15, .boot_s = 3, .measuring_s = 10, .paused_s = 0, .waited_s = 0},
      .text = good_text(),
      .console = "[    0.000000] Booting Linux on physical CPU 0x0\n",
      .numa_maps = "aaaae5a40000 bind:0 heap anon=12 dirty=12 N0=12 kernelpagesize_kB=4\n"};
}

Result<TrialResult> judge_doctored(const DoctoredTrial& trial, const fs::path& directory) {
  RTSWEEP_TRY(const Plan plan, parse_plan(kPlan, "selftest.toml"));
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::create(directory, plan, {}));
  RTSWEEP_CHECK_OK(run.write_machines(
      {.emulator = "",
       .kernels = {{.name = "6.12-rt", .arch = "arm64", .release = kRelease, .rt = true}}}));
  const PlannedTrial& planned = run.trials().front();
  RTSWEEP_CHECK_OK(make_directories(run.trial_directory(planned)));
  RTSWEEP_CHECK_OK(write_files(trial, run.trial_directory(planned)));
  return evaluate_trial(run, planned);
}

}  // namespace rtsweep
