// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "runner/base/command.h"
#include "runner/base/result.h"

namespace rtsweep {

// A trace file as text, whatever it is: text as it stands, compressed files unpacked (gzip,
// xz, zstd ...), trace-cmd's binary trace.dat through `trace-cmd report`. Of a trace.dat
// only the events that an explanation uses are printed, if it has any of them, since
// printing is slow. kNotSupported, naming the package, when trace-cmd is not there.
Result<std::string> read_trace_file(const std::filesystem::path& file, CommandRunner& commands);

// The first bytes of a trace.dat: 0x17 0x08 0x44 "tracing".
bool is_trace_dat(std::string_view data);

}  // namespace rtsweep
