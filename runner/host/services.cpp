// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/services.h"

#include <algorithm>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// "LoadState=loaded\nActiveState=active\n"
std::string property(std::string_view shown, const std::string& name) {
  for (const std::string& line : split(shown, '\n')) {
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  }
  return {};
}

}  // namespace

Result<std::string> Services::state(const std::string& unit) const {
  // sd_booted(3): systemctl may be installed where something else is the init.
  if (!std::filesystem::exists(host_.path("run/systemd/system"))) {
    return Error(Errc::kNotSupported, "services cannot be stopped: systemd does not run here");
  }
  RTSWEEP_TRY(const std::string shown,
              commands_.run({"systemctl", "show", "--property=LoadState,ActiveState", "--", unit}));
  if (property(shown, "LoadState") == "not-found") {
    return Error(Errc::kNotSupported, "this machine has no service " + unit);
  }
  const std::string state = property(shown, "ActiveState");
  return std::string(state == "inactive" || state == "failed" ? kServiceInactive : kServiceActive);
}

Result<void> Services::run(const char* verb, const std::string& unit) {
  RTSWEEP_TRY(std::ignore, commands_.run({"systemctl", verb, "--", unit}));
  return {};
}

Result<void> Services::stop(const std::string& unit) { return run("stop", unit); }

Result<void> Services::start(const std::string& unit) {
  if (auto started = run("start", unit)) return {};
  // Short trials start a service more often than its StartLimitBurst allows; this sets
  // the count to 0 (systemctl(1)).
  RTSWEEP_CHECK_OK(run("reset-failed", unit));
  return run("start", unit);
}

}  // namespace rtsweep
