// SPDX-License-Identifier: GPL-2.0-or-later

#include <cstdlib>

#include "analysis/cyclictest_output.h"
#include "analysis/trial_checks.h"

// Whatever the bytes: a result whose histograms add up, or an error that names the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rtsweep;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto runs = parse_cyclictest(text, "fuzz");
  if (!runs) {
    if (!runs.error().message().starts_with("fuzz:")) std::abort();
    return 0;
  }
  if (runs->empty()) std::abort();
  for (const CyclictestRun& run : *runs) {
    if (run.threads.empty()) std::abort();
    for (const CpuResult& cpu : cpu_results(run)) {
      if (cpu.histogram.samples() < cpu.cycles) std::abort();
    }
    judge_latencies(run);
  }
  return 0;
}
