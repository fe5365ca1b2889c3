// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace rtsweep {

// Where a trial's raw files go as they appear: a directory on this machine, or the
// stream that leaves a VM. A file that was put is safe whatever happens next.
class TrialSink {
 public:
  virtual ~TrialSink() = default;
  virtual Result<void> put(std::string_view name, std::string_view content) = 0;
};

class DirectorySink : public TrialSink {
 public:
  explicit DirectorySink(std::filesystem::path directory) : directory_(std::move(directory)) {}
  Result<void> put(std::string_view name, std::string_view content) override;

 private:
  std::filesystem::path directory_;
};

// Names of a trial's raw files, in the order in which they appear.
namespace trial_file {
inline constexpr char kFactsBefore[] = "facts-before.json";
inline constexpr char kMeasuring[] = "measuring.json";  // loads are at work, the probe starts
inline constexpr char kNumaMaps[] = "numa_maps.txt";    // of the probe, when a policy was asked for
inline constexpr char kCounters[] = "counters.json";    // right before and after the probe
inline constexpr char kKernelLog[] = "dmesg.txt";       // the kernel's messages of the trial
inline constexpr char kLoads[] = "loads.json";
inline constexpr char kProbe[] = "probe.json";           // argv, how it ended
inline constexpr char kProbeJson[] = "cyclictest.json";  // as cyclictest wrote it
inline constexpr char kProbeText[] = "cyclictest.txt";   // its standard output
inline constexpr char kCapture[] = "capture.json";       // what became of the outliers' traces
inline constexpr char kFactsAfter[] = "facts-after.json";
inline constexpr char kTuning[] = "tuning.json";      // what was set, read back and put back
inline constexpr char kError[] = "error.json";        // why the measuring code gave up
inline constexpr char kComplete[] = "complete.json";  // nothing follows

// A file of the probe's n-th run, from 1: "cyclictest.json", "cyclictest-2.json". There is more
// than one where the probe ends at each outlier.
inline std::string probe_part(const std::string& file, int part) {
  if (part == 1) return file;
  const size_t dot = file.rfind('.');
  return file.substr(0, dot) + "-" + std::to_string(part) + file.substr(dot);
}

// The numa_maps of the load with this number, when a policy was asked for.
inline std::string load_numa_maps(size_t load) {
  return "load-" + std::to_string(load) + ".numa_maps.txt";
}
}  // namespace trial_file

}  // namespace rtsweep
