// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>

#include "loads/load.h"

namespace rtsweep {

// Work counters that the kernel keeps about a load's processes: no load can claim
// work that it did not do, and reading them wakes nobody. All fail with kChildFailed
// when no process of the load is alive.

// CPU time in ms.
Result<uint64_t> cpu_ms_of(const RunningLoad& load);

// Calls of write(2) and its relatives, to files, pipes and sockets.
Result<uint64_t> write_calls_of(const RunningLoad& load);

// Bytes sent to disks.
Result<uint64_t> written_bytes_of(const RunningLoad& load);

}  // namespace rtsweep
