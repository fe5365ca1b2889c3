// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/cyclictest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "analysis/cyclictest_spike.h"

namespace rtsweep {

std::vector<std::string> cyclictest_arguments(const ProbeSpec& probe, const std::vector<int>& cpus,
                                              const std::filesystem::path& json) {
  std::vector<std::string> argv = {
      probe.program,
      "--mlockall",
      fmt::format("--threads={}", cpus.size()),
      fmt::format("--affinity={}", fmt::join(cpus, ",")),
      "--policy=fifo",
      fmt::format("--priority={}", probe.priority),
      fmt::format("--interval={}", probe.interval_us),
      "--distance=0",
      fmt::format("--duration={}s", probe.duration_s),
      fmt::format("--histogram={}", probe.histogram_us),
      "--quiet",
      "--json=" + json.string(),
  };
  return argv;
}

std::vector<std::string> breakpoint_arguments(int64_t breakpoint_us, bool end_at_one) {
  std::vector<std::string> argv = {fmt::format("--spike={}", breakpoint_us),
                                   fmt::format("--spike-nodes={}", kMostSpikes)};

  if (end_at_one) argv.push_back(fmt::format("--breaktrace={}", breakpoint_us));
  return argv;
}

Result<std::vector<std::string>> numactl_prefix(const std::string& policy) {
  static const std::map<std::string, std::string> kOptions = {
      {"bind", "--membind"}, {"preferred", "--preferred"}, {"interleave", "--interleave"}};
  if (policy.empty() || policy == "default") return std::vector<std::string>();
  if (policy == "local") return std::vector<std::string>{"numactl", "--localalloc"};
  const size_t colon = policy.find(':');
  const auto option = kOptions.find(policy.substr(0, colon));
  if (colon == std::string::npos || option == kOptions.end()) {
    return Error(Errc::kInvalidPlan, "unknown memory policy '" + policy + "'");
  }
  return std::vector<std::string>{"numactl", option->second + "=" + policy.substr(colon + 1)};
}

}  // namespace rtsweep
