// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/data_file.h"

#include <fmt/format.h>

#include <array>

#include "runner/kernels/cache.h"

namespace rtsweep {

namespace fs = std::filesystem;

Result<fs::path> find_data_file(const std::string& name, const char* variable) {
  if (const auto given = environment(variable)) return fs::path(*given);
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  const std::array<fs::path, 3> places = {
      program.parent_path().parent_path() / "share/rtsweep" / name,
      fs::path(RTSWEEP_SOURCE_DIR) / "kernel-configs" / name, fs::path(RTSWEEP_DATA_DIR) / name};
  for (const fs::path& place : places) {
    if (fs::exists(place, ec)) return place;
  }
  return Error(Errc::kNotSupported, fmt::format("no {} in {}: install rtsweep, or set {}", name,
                                                places.back().string(), variable));
}

}  // namespace rtsweep
