// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <vector>

#include "analysis/trace/explain.h"
#include "runner/base/result.h"

namespace rtsweep {

// Explains what a file holds: text as explain_text() reads it, trace-cmd's binary trace.dat,
// either also compressed (gzip, xz, zstd ...). The explanations' sources are the file's name
// without its directory.
Result<std::vector<Explanation>> explain_trace_file(const std::filesystem::path& file,
                                                    const ExplainOptions& options);

}  // namespace rtsweep
