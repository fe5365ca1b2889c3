// SPDX-License-Identifier: GPL-2.0-or-later

#include "tests/analysis/report/sample_report.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rtsweep::testing {
namespace {

MachineFacts facts_of(const std::string& release, const std::string& machine, bool rt) {
  return {.kernel_release = release,
          .kernel_version = rt ? "#1 SMP PREEMPT_RT Debian" : "#1 SMP Debian",
          .machine = machine,
          .cmdline = "console=ttyAMA0 panic=-1 quiet nokaslr",
          .preempt_rt = rt,
          .page_size = 4096,
          .online_cpus = {0},
          .clocksource = "arch_sys_counter",
          .numa_nodes = 1,
          .userland = machine == "aarch64" ? "64-bit" : "32-bit"};
}

LoadResult hackbench(double messages) {
  return {.name = "hackbench",
          .alive = true,
          .work = messages,
          .unit = "messages",
          .floor = 100'000,
          .cpu_s = 4.9};
}

// In virtual time, with the factors of the sample plan.
TrialResult sample_trial(int id, const std::string& kernel, const std::string& arch,
                         const std::string& load, std::vector<CpuResult> cpus) {
  TrialResult trial =
      trial_with(id, {{"kernel", kernel}, {"arch", arch}, {"memory", "default"}, {"load", load}},
                 std::move(cpus));
  trial.virtual_clock = true;
  trial.ns_per_instruction = 8;
  trial.limit_us = 150;
  trial.probe_version = "2.40";
  trial.probe_sha256 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  trial.facts =
      facts_of(kernel + ".0-1-" + arch, arch == "arm64" ? "aarch64" : "armv7l", kernel != "6.1");
  if (load == "hackbench") trial.loads = {hackbench(1'200'000 + id)};
  return trial;
}

TrialResult failed_trial() {
  TrialResult trial = sample_trial(2, "6.1-rt", "arm64", "hackbench",
                                   {cpu_with(0, {{39, 10}, {50, 85}, {160, 4}, {208, 1}})});
  trial.verdict = Verdict::kFail;
  trial.reasons = {{"limit_exceeded", Severity::kFail,
                    "The maximum of 208 us exceeds the limit of 150 us: look at the outlier's "
                    "trace for what held the CPU."}};
  trial.outliers = {{.latency_us = 208,
                     .cpu = 0,
                     .trace = "outlier/trace.dat",
                     .cause = "mmc0 interrupt thread"}};
  return trial;
}

TrialResult died_load_trial() {
  TrialResult trial = sample_trial(4, "6.1-rt", "armhf", "hackbench", {cpu_with(0, {{36, 20}})});
  trial.verdict = Verdict::kInvalid;
  trial.reasons = {{"load_died", Severity::kInvalid,
                    "The load hackbench ended during the measurement (killed by signal 9): give "
                    "the guest more memory."}};
  trial.loads[0].alive = false;
  trial.loads[0].work.reset();
  trial.loads[0].ended = "killed by signal 9 (Killed)";
  return trial;
}

TrialResult panic_trial() {
  TrialResult trial = sample_trial(6, "6.12-rt", "arm64", "hackbench", {});
  trial.verdict = Verdict::kError;
  trial.reasons = {{"kernel_panic", Severity::kError,
                    "The kernel panicked: read the console log; nothing was measured."}};
  trial.loads.clear();
  trial.facts.reset();
  trial.console_tail =
      "[    3.141592] Kernel panic - not syncing: VFS: Unable to mount root fs on "
      "unknown-block(0,0)\n[    3.141600] ---[ end Kernel panic ]---\n";
  return trial;
}

TrialResult never_ran_trial() {
  CpuResult never;
  never.cpu = 1;
  TrialResult trial =
      sample_trial(8, "6.1", "arm64", "hackbench", {cpu_with(0, {{35, 99}, {70, 1}}), never});
  trial.verdict = Verdict::kInvalid;
  trial.reasons = {{"thread_never_ran", Severity::kInvalid,
                    "The thread on CPU 1 made no cycle: check that the CPU is online and that no "
                    "other real-time task holds it."}};
  return trial;
}

TrialResult cut_off_trial() {
  TrialResult trial = sample_trial(10, "6.12-rt", "armhf", "idle", {});
  trial.verdict = Verdict::kError;
  trial.reasons = {{"interrupted", Severity::kError,
                    "The trial was begun and never ended: it is not begun again by default."}};
  trial.facts.reset();
  trial.ended.clear();
  return trial;
}

TrialResult second_repetition() {
  TrialResult trial =
      sample_trial(9, "6.1-rt", "arm64", "idle", {cpu_with(0, {{38, 50}, {42, 50}})});
  trial.repetition = 2;
  return trial;
}

std::vector<TrialResult> sample_trials() {
  const auto idle = [](int id, const std::string& kernel, const std::string& arch, Counts counts) {
    return sample_trial(id, kernel, arch, "idle", {cpu_with(0, counts)});
  };
  std::vector<TrialResult> trials;
  trials.push_back(idle(1, "6.1-rt", "arm64", {{37, 1}, {40, 90}, {60, 8}, {140, 1}}));
  trials.push_back(failed_trial());
  trials.push_back(idle(3, "6.1-rt", "armhf", {{36, 50}, {44, 49}, {65, 1}}));
  trials.push_back(died_load_trial());
  trials.push_back(idle(5, "6.12-rt", "arm64", {{34, 60}, {46, 39}, {90, 1}}));
  trials.push_back(panic_trial());
  trials.push_back(idle(7, "6.1", "arm64", {{35, 90}, {400, 8}, {1200, 1}, {3368, 1}}));
  trials.back().limit_us.reset();
  trials.push_back(never_ran_trial());
  trials.push_back(second_repetition());
  trials.push_back(cut_off_trial());
  return trials;
}

void spoil(std::string& text) { text = kHostile; }

void spoil(TrialResult& trial) {
  for (std::string* text : {&trial.probe, &trial.probe_version, &trial.probe_sha256,
                            &trial.directory, &trial.console_tail, &trial.started}) {
    spoil(*text);
  }
  for (Reason& reason : trial.reasons) {
    spoil(reason.code);
    spoil(reason.text);
  }
  for (LoadResult& load : trial.loads) {
    for (std::string* text : {&load.name, &load.unit, &load.ended, &load.note}) spoil(*text);
  }
  for (OutlierResult& outlier : trial.outliers) {
    spoil(outlier.trace);
    spoil(outlier.cause);
  }
  for (auto& [factor, level] : trial.cell) level += kHostile;
  if (!trial.facts) return;
  spoil(trial.facts->kernel_release);
  spoil(trial.facts->cmdline);
  trial.facts->governors[0] = kHostile;
}

}  // namespace

CpuResult cpu_with(int cpu, Counts counts, int64_t end_us) {
  CpuResult result;
  result.cpu = cpu;
  result.histogram = LatencyHistogram(Latency(end_us));
  double sum = 0;
  for (const auto& [us, times] : counts) {
    result.histogram.add(Latency(us), times);
    result.cycles += times;
    result.min_us = std::min(result.min_us.value_or(us), us);
    result.max_us = std::max(result.max_us.value_or(us), us);
    sum += static_cast<double>(us) * static_cast<double>(times);
  }
  if (result.cycles > 0) result.avg_us = sum / static_cast<double>(result.cycles);
  return result;
}

TrialResult trial_with(int id, Cell cell, std::vector<CpuResult> cpus) {
  return {.id = id,
          .cell = std::move(cell),
          .verdict = Verdict::kPass,
          .probe = "cyclictest",
          .duration_s = 1,
          .cpus = std::move(cpus),
          .directory = "trials/" + std::to_string(id),
          .started = "2026-08-30T21:00:00Z",
          .ended = "2026-08-30T21:01:00Z",
          .wall_s = 60};
}

RunReport sample_report() {
  return {
      .name = "sample",
      .run = "2026-08-30T20-59-58_sample",
      .rtsweep_version = "0.1.0",
      .target = "vm",
      .plan_text = "name = \"sample\"\n",
      .factors = {"kernel", "arch", "memory", "load"},
      .levels = {{"kernel", {"6.1-rt", "6.12-rt", "6.1"}},
                 {"arch", {"arm64", "armhf"}},
                 {"memory", {"default"}},
                 {"load", {"idle", "hackbench"}}},
      .kernels = {{.name = "6.1-rt",
                   .arch = "arm64",
                   .release = "6.1.0-50-rt-arm64",
                   .package = "linux-image-6.1.0-50-rt-arm64 6.1.176-1",
                   .rt = true},
                  {.name = "6.12-rt", .arch = "armhf", .release = "6.12.9-rt-armmp", .rt = true},
                  {.name = "6.1", .arch = "arm64", .release = "6.1.0-50-arm64", .rt = false}},
      .trials = sample_trials(),
      .host = "Example CPU, 2 CPUs, Linux 6.18",
      .emulator = "QEMU emulator version 7.2.22",
      .started = "2026-08-30T20:59:58Z",
      .planned = 12,
      .impossible = {
          {{{"kernel", "6.12-rt"}, {"arch", "armhf"}, {"memory", "default"}, {"load", "hackbench"}},
           "hackbench is not in the guest's packages"}}};
}

RunReport hostile_report() {
  RunReport report = sample_report();
  for (std::string* text :
       {&report.name, &report.run, &report.rtsweep_version, &report.target, &report.plan_text,
        &report.host, &report.emulator, &report.started, &report.ended}) {
    spoil(*text);
  }
  for (KernelResult& kernel : report.kernels) {
    for (std::string* text :
         {&kernel.name, &kernel.arch, &kernel.release, &kernel.package, &kernel.image_sha256}) {
      spoil(*text);
    }
  }
  for (TrialResult& trial : report.trials) spoil(trial);
  for (auto& [cell, why] : report.impossible) spoil(why);
  report.factors.push_back(kHostile);
  report.levels[kHostile] = {kHostile, kHostile + "2"};
  return report;
}

std::string golden(const std::string& name, const std::string& actual) {
  const std::string path = std::string(RTSWEEP_SOURCE_DIR) + "/tests/golden/report/" + name;
  if (std::getenv("RTSWEEP_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << actual;
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

}  // namespace rtsweep::testing
