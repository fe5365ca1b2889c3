// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace rtsweep {

// One file or service that a plan's [tuning] asked for, and what became of it; an entry
// of a trial's tuning.json. Empty is: not read.
struct TuningResult {
  std::string setting;                   // the plan's key: "governor", "sysctl kernel.panic"
  std::string file;                      // "/sys/..."; "service irqbalance.service"
  std::string wanted;                    // as it is written
  std::optional<std::string> before;     // before anything was changed
  std::optional<std::string> effective;  // read back after the write
  std::optional<std::string> at_end;     // when the measurement was over
  std::optional<std::string> restored;   // after it was put back
  std::string error;                     // why it could not be set or put back
  bool refused = false;                  // an interrupt that the kernel does not let move

  bool operator==(const TuningResult&) const = default;
};

void to_json(nlohmann::json& json, const TuningResult& result);
void from_json(const nlohmann::json& json, TuningResult& result);

// The value of a kernel file in the form in which it is written back: without blanks at
// the ends, runs of blanks as one, and the marked word of "always [madvise] never".
std::string settable_value(std::string_view text);

// Whether a file that was given `wanted` and reads as `effective` took it. The kernel
// spells some values in its own way: "1" of a module's switch as "Y", a CPU mask "3" as
// "00000000,00000003".
bool same_setting(std::string_view wanted, std::string_view effective);

// Set as wanted, and still so at the end; an interrupt that refused counts as set.
bool was_effective(const TuningResult& result);

// Everything that was changed has its old value again. A file that is gone has nothing
// to be restored.
bool was_restored(const TuningResult& result);

}  // namespace rtsweep
