// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/trace.h"
#include "runner/base/result.h"

namespace rtsweep {

// Traces as bytes, from one process of ours to another on the same machine: numbers as they
// are in memory, texts with their length in front. Not a format for files. Of what a
// trace.dat gives: events, graph lines, lost events and what is said of the whole trace.
std::string traces_to_bytes(const std::vector<Trace>& traces);
// kBadData when they are cut off or not in this form.
Result<std::vector<Trace>> traces_from_bytes(std::string_view bytes);

}  // namespace rtsweep
