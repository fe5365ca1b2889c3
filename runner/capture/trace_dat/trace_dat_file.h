// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trace/explain.h"
#include "analysis/trace/trace.h"
#include "runner/base/result.h"
#include "runner/capture/trace_dat/dat_bytes.h"

namespace rtsweep {

// Reads a trace.dat of trace-cmd (version 6 or 7, zstd or not) for explain(): the whole of a
// small one; of a large one the window around its outlier (see find_spot), enlarged until
// it holds the programming of the outlier's timer. One trace for each instance that has
// events. Its lines are counted from the first event read, in the order of time.
//
// kBadData, naming the file, when it is no whole trace.dat. What is damaged inside a page
// ends that page. The formats in the file go through libtraceevent: use
// read_trace_dat_apart() for files of others.
Result<std::vector<Trace>> read_trace_dat(const DatBytes& file, const ExplainOptions& options);

// The same in a process of its own, bounded in memory and time, so that what a hostile file
// does to a library becomes an error that names the file.
Result<std::vector<Trace>> read_trace_dat_apart(const std::filesystem::path& file,
                                                const ExplainOptions& options);
Result<std::vector<Trace>> read_trace_dat_apart(const DatBytes& file,
                                                const ExplainOptions& options);

// The first bytes of a trace.dat: 0x17 0x08 0x44 "tracing".
bool is_trace_dat(std::string_view data);

}  // namespace rtsweep
