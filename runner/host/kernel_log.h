// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/base/unique_fd.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// The kernel's messages, as /dev/kmsg hands them out: "[   12.345678] text", a line each.
// Empty where it cannot be read.
std::vector<std::string> kernel_log_lines(const HostRoot& host);

// The same as one text, or why there is none: kIo when the log may not be read
// (kernel.dmesg_restrict). Of a captured tree it is the file dmesg.txt or var/log/dmesg.
Result<std::string> read_kernel_log(const HostRoot& host);

// The messages that come from now on. Costs nothing until they are asked for.
class NewKernelLog {
 public:
  explicit NewKernelLog(const HostRoot& host);

  // Those since the object was made or asked last; nothing where the log cannot be read.
  std::optional<std::vector<std::string>> lines();

 private:
  UniqueFd fd_;
};

// A record of /dev/kmsg ("6,339,5140900,-;text\n KEY=value") as dmesg prints it;
// Documentation/ABI/testing/dev-kmsg. Nothing for what is no record.
std::optional<std::string> kmsg_line(std::string_view record);

}  // namespace rtsweep
