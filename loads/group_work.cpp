// SPDX-License-Identifier: GPL-2.0-or-later

#include "loads/group_work.h"

#include "runner/host/process_group.h"

namespace rtsweep {
namespace {

Result<GroupUsage> usage_of(const RunningLoad& load) {
  RTSWEEP_TRY(GroupUsage usage, process_group_usage(load.host, load.group));
  if (usage.processes == 0) {
    return Error(Errc::kChildFailed, "no process of the load is alive (process group " +
                                         std::to_string(load.group) + "); what it said is in " +
                                         load.log.filename().string());
  }
  return usage;
}

Result<IoUsage> io_of(const RunningLoad& load) {
  RTSWEEP_TRY(const GroupUsage usage, usage_of(load));
  if (!usage.io) {
    return Error(Errc::kNotSupported,
                 "/proc/PID/io of the load cannot be read: the kernel needs "
                 "CONFIG_TASK_IO_ACCOUNTING, and the load must run as the same user");
  }
  return *usage.io;
}

}  // namespace

Result<uint64_t> cpu_ms_of(const RunningLoad& load) {
  RTSWEEP_TRY(const GroupUsage usage, usage_of(load));
  return usage.cpu_ms;
}

Result<uint64_t> write_calls_of(const RunningLoad& load) {
  RTSWEEP_TRY(const IoUsage io, io_of(load));
  return io.write_calls;
}

Result<uint64_t> written_bytes_of(const RunningLoad& load) {
  RTSWEEP_TRY(const IoUsage io, io_of(load));
  return io.written_bytes;
}

}  // namespace rtsweep
