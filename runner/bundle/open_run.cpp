// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/open_run.h"

#include "runner/base/files.h"
#include "runner/bundle/bundle.h"
#include "runner/bundle/bundle_archive.h"
#include "runner/kernels/unpack.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// tar's magic, POSIX's and GNU's alike, in an entry's first block.
constexpr size_t kMagicAt = 257;

}  // namespace

bool is_bundle_file(const fs::path& path) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec)) return false;
  const auto data = read_file(path);
  if (!data || !looks_like_bundle(*data)) return false;
  return unpack_start(*data, 512).substr(0, 512).find("ustar", kMagicAt) == kMagicAt;
}

Result<TemporaryDirectory> unpack_to_temporary(const fs::path& bundle) {
  RTSWEEP_TRY(const std::string data, read_file(bundle));
  RTSWEEP_TRY(const auto files, unpack_bundle(data, bundle.string()));
  RTSWEEP_TRY(TemporaryDirectory directory, TemporaryDirectory::make());
  RTSWEEP_CHECK_OK(write_bundle_files(files, directory.path()));
  return directory;
}

Result<OpenedRun> open_run(const fs::path& path) {
  if (!is_bundle_file(path)) {
    RTSWEEP_TRY(RunDirectory run, RunDirectory::open(path));
    return OpenedRun{std::nullopt, std::move(run)};
  }
  RTSWEEP_TRY(TemporaryDirectory unpacked, unpack_to_temporary(path));
  auto run = RunDirectory::open(unpacked.path() / kBundleRun);
  if (!run) return std::move(run).error().with_context(path.string());
  return OpenedRun{std::move(unpacked), std::move(run).value()};
}

}  // namespace rtsweep
