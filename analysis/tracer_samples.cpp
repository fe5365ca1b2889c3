// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/tracer_samples.h"

#include <algorithm>

namespace rtsweep {
namespace {

CyclictestThread thread_of(const TracerCpu& cpu, const TracerSamples& kind, int number) {
  CyclictestThread thread{.thread = number, .cpu = cpu.cpu};
  thread.cycles = kind.samples;
  thread.histogram = kind.counts;
  thread.overflows = kind.overflows;
  if (kind.samples == 0) return thread;
  thread.min = kind.min_ns / 1000;
  thread.max = kind.max_ns / 1000;
  thread.avg = static_cast<double>(kind.sum_ns) / static_cast<double>(kind.samples) / 1000;
  return thread;
}

CyclictestRun run_of_kind(const TracerResult& result, const std::string& name) {
  CyclictestRun run{.source = result.probe + ".json"};
  run.histogram_limit = result.histogram_us;
  for (const TracerCpu& cpu : result.cpus) {
    const auto kind = cpu.kinds.find(name);
    if (kind == cpu.kinds.end()) continue;
    run.threads.push_back(thread_of(cpu, kind->second, static_cast<int>(run.threads.size())));
  }
  return run;
}

std::vector<CpuResult> cpus_of_kind(const TracerResult& result, const std::string& name) {
  std::vector<CpuResult> cpus = cpu_results(run_of_kind(result, name));
  for (CpuResult& cpu : cpus) cpu.kind = name;
  return cpus;
}

}  // namespace

CyclictestRun main_samples(const TracerResult& result) {
  return run_of_kind(result, std::string(main_kind(result.probe)));
}

void add_samples(const TracerResult& result, TrialResult& trial) {
  const std::string main(main_kind(result.probe));
  trial.cpus = cpus_of_kind(result, main);
  for (CpuResult& cpu : trial.cpus) {
    const auto own = std::ranges::find(result.cpus, cpu.cpu, &TracerCpu::cpu);
    if (own != result.cpus.end()) cpu.interruptions = own->interruptions;
  }
  if (result.cpus.empty()) return;
  for (const auto& [name, samples] : result.cpus.front().kinds) {
    if (name == main) continue;
    for (CpuResult& cpu : cpus_of_kind(result, name)) trial.other_kinds.push_back(std::move(cpu));
  }
}

}  // namespace rtsweep
