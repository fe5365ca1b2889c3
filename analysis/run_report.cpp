// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/run_report.h"

#include <algorithm>

namespace rtsweep {

LatencyHistogram TrialResult::merged() const {
  std::optional<LatencyHistogram> all;
  for (const CpuResult& cpu : cpus) {
    if (cpu.histogram.samples() == 0) continue;  // never ran: it narrows nothing
    if (all) {
      all->merge(cpu.histogram);
    } else {
      all = cpu.histogram;
    }
  }
  return all.value_or(LatencyHistogram(Latency(0)));
}

uint64_t TrialResult::samples() const {
  uint64_t sum = 0;
  for (const CpuResult& cpu : cpus) sum += cpu.cycles;
  return sum;
}

std::optional<int64_t> TrialResult::min_us() const {
  std::optional<int64_t> least;
  for (const CpuResult& cpu : cpus) {
    if (cpu.min_us) least = std::min(least.value_or(*cpu.min_us), *cpu.min_us);
  }
  return least;
}

std::optional<double> TrialResult::avg_us() const {
  double sum = 0;
  uint64_t cycles = 0;
  for (const CpuResult& cpu : cpus) {
    if (!cpu.avg_us) continue;
    sum += *cpu.avg_us * static_cast<double>(cpu.cycles);
    cycles += cpu.cycles;
  }
  if (cycles == 0) return std::nullopt;
  return sum / static_cast<double>(cycles);
}

std::optional<int64_t> TrialResult::max_us() const {
  std::optional<int64_t> most;
  for (const CpuResult& cpu : cpus) {
    if (cpu.max_us) most = std::max(most.value_or(*cpu.max_us), *cpu.max_us);
  }
  return most;
}

std::string quantile_name(uint64_t ppm) {
  std::string name = "p" + std::to_string(ppm / 10'000);
  std::string fraction = std::to_string(10'000 + ppm % 10'000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? name : name + "." + fraction;
}

}  // namespace rtsweep
