// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/selftest/inject_module.h"

#include <array>

#include "runner/kernels/kernel_module.h"
#include "runner/kernels/kernel_store.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

Result<fs::path> find_source() {
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  const std::array<fs::path, 3> places = {
      program.parent_path().parent_path() / "share/rtsweep/inject",
      fs::path(RTSWEEP_SOURCE_DIR) / "runner/selftest/inject",
      fs::path(RTSWEEP_DATA_DIR) / "inject"};
  for (const fs::path& place : places) {
    if (fs::exists(place / "Kbuild", ec)) return place;
  }
  return Error(Errc::kNotSupported, "no source of the injection module in " +
                                        places.back().string() +
                                        ": install rtsweep with its data files");
}

}  // namespace

Result<fs::path> injection_module(const Cache& cache, CommandRunner& commands,
                                  const std::string& kernel, const std::string& arch) {
  RTSWEEP_TRY(const fs::path source, find_source());
  RTSWEEP_TRY(const std::vector<KernelEntry> known, read_kernels());
  RTSWEEP_TRY(const KernelEntry entry, find_kernel(known, kernel, arch));
  RTSWEEP_TRY(const Kernel fetched, fetch_kernel(cache, commands, entry));
  return build_module(cache, commands, entry, fetched,
                      {.name = "rtsweep_inject", .directory = source});
}

}  // namespace rtsweep
