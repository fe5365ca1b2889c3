// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "runner/base/result.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// What /proc/PID/io counts.
struct IoUsage {
  uint64_t write_calls = 0;    // syscw: write(2) and its relatives, sockets and pipes too
  uint64_t written_chars = 0;  // wchar: bytes that those calls wrote, wherever they went
  uint64_t written_bytes = 0;  // write_bytes: what was sent to the page cache of a disk or,
                               // with O_DIRECT, to the disk; nothing for tmpfs
};

// What a process group and its descendants have used since they started.
struct GroupUsage {
  int processes = 0;          // alive: zombies are not, though what they used still counts
  uint64_t cpu_ms = 0;        // user and system time of all threads, children waited for included
  std::optional<IoUsage> io;  // empty when no process of the group shows any: a kernel without
                              // CONFIG_TASK_IO_ACCOUNTING, or processes of another user
};

// Adds up a process group and all descendants of its members, those too that made a
// session of their own (fio's jobs do). A process that goes away in the middle is
// passed over; one that is waited for in the middle may be missed once, so a group
// that ends processes all the time can seem to have used a little less than before.
//
// No such process is not an error: `processes` is 0. Reads one small file for each
// process of the machine, and one more for each of the group.
Result<GroupUsage> process_group_usage(const HostRoot& host, pid_t group);

}  // namespace rtsweep
