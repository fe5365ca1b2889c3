// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/tracefs_settings.h"

#include <algorithm>
#include <utility>

#include "analysis/tuning_result.h"

namespace rtsweep {
namespace {

// To be written to get back to what is there `now`: "round-robin" for "[round-robin] per-cpu",
// and of a list of switches that which `value` turns over.
std::string old_of(const std::string& now, const std::string& value) {
  const bool off = value.starts_with("NO_");
  const std::string opposite = off ? value.substr(3) : "NO_" + value;
  return same_setting(opposite, now) ? opposite : settable_value(now);
}

}  // namespace

// As often as there are settings: each round sets one at least, or has failed.
Result<void> TracefsSettings::write_all(std::vector<TracefsSetting> left) const {
  while (!left.empty()) {
    std::vector<TracefsSetting> refused;
    Result<void> last;
    for (TracefsSetting& setting : left) {
      Result<void> written = host_.write(path(setting), setting.value);
      if (written) continue;
      last = std::move(written);
      refused.push_back(std::move(setting));
    }
    if (refused.size() == left.size()) return last;
    left = std::move(refused);
  }
  return {};
}

Result<void> TracefsSettings::apply(const std::vector<TracefsSetting>& settings, UndoList* undo) {
  std::vector<TracefsSetting> wanted;
  std::vector<UndoEntry> entries;
  for (const TracefsSetting& setting : settings) {
    const std::string file = path(setting);
    const auto now = host_.read(file);
    if (!now && setting.optional) continue;
    if (!now) return now.error();
    if (same_setting(setting.value, *now)) continue;
    const std::string old = old_of(*now, setting.value);
    wanted.push_back(setting);
    old_.push_back({.file = setting.file, .value = old});
    entries.push_back({.name = file, .old = old});
  }
  if (undo != nullptr && !entries.empty()) RTSWEEP_CHECK_OK(undo->remember(std::move(entries)));
  return write_all(std::move(wanted));
}

Result<void> TracefsSettings::restore() {
  std::vector<TracefsSetting> old = std::exchange(old_, {});
  std::ranges::reverse(old);
  return write_all(std::move(old));
}

}  // namespace rtsweep
