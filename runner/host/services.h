// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>

#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/host/host_root.h"

namespace rtsweep {

inline constexpr char kServiceActive[] = "active";
inline constexpr char kServiceInactive[] = "inactive";

// The machine's services, through systemctl.
class Services {
 public:
  // Both must outlive it.
  Services(const HostRoot& host, CommandRunner& commands) : host_(host), commands_(commands) {}

  // kServiceActive for a unit that runs, comes up or goes down, else kServiceInactive.
  // kNotSupported where systemd does not run, or has no such unit.
  Result<std::string> state(const std::string& unit) const;

  // Both return when the unit has reached its state.
  Result<void> stop(const std::string& unit);
  Result<void> start(const std::string& unit);

 private:
  Result<void> run(const char* verb, const std::string& unit);

  const HostRoot& host_;
  CommandRunner& commands_;
};

}  // namespace rtsweep
