// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/host/host_root.h"
#include "runner/host/undo_list.h"

namespace rtsweep {

// A knob of tracefs, and the value for the time of a measurement.
struct TracefsSetting {
  std::string file;  // below tracefs: "osnoise/period_us"
  std::string value;
  bool optional = false;  // newer kernels only
};

// Knobs of the tracers that are global, not of an instance: set, and put back when this
// ends. Some depend on each other (osnoise's runtime may not exceed its period), so those
// that the kernel refuses are tried again after the others.
class TracefsSettings {
 public:
  // `tracefs`: where it is mounted, below the root.
  TracefsSettings(HostRoot host, std::string tracefs)
      : host_(std::move(host)), tracefs_(std::move(tracefs)) {}
  TracefsSettings(const TracefsSettings&) = delete;
  TracefsSettings& operator=(const TracefsSettings&) = delete;
  ~TracefsSettings() { (void)restore(); }

  // What was there is in `undo`, where given, before anything changes.
  Result<void> apply(const std::vector<TracefsSetting>& settings, UndoList* undo);

  // May be called again: what has been put back is not written again.
  Result<void> restore();

 private:
  std::string path(const TracefsSetting& setting) const { return tracefs_ + "/" + setting.file; }
  Result<void> write_all(std::vector<TracefsSetting> settings) const;

  const HostRoot host_;
  const std::string tracefs_;
  std::vector<TracefsSetting> old_;
};

}  // namespace rtsweep
