// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>

#include "runner/base/result.h"

namespace rtsweep {

// A file of kernel-configs/ as this program has to use it: the one that the environment
// variable names, the one installed with the program (PREFIX/share/rtsweep), or the source
// tree's. kNotSupported when there is none.
Result<std::filesystem::path> find_data_file(const std::string& name, const char* variable);

}  // namespace rtsweep
