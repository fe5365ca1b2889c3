// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/open_run.h"

#include <fstream>

#include "runner/base/files.h"
#include "runner/bundle/bundle.h"
#include "runner/bundle/bundle_archive.h"
#include "runner/kernels/unpack.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// tar's magic, POSIX's and GNU's alike, in an entry's first block.
constexpr size_t kMagicAt = 257;
constexpr size_t kBlock = 512;

// Enough for a block of zstd, which gives its first bytes away only as a whole. A trace
// may be gigabytes: it is not read to see that it is no bundle.
std::string first_bytes(const fs::path& path) {
  std::string bytes(size_t{256} << 10, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

}  // namespace

bool is_bundle_file(const fs::path& path) {
  std::error_code ec;
  if (!fs::is_regular_file(path, ec)) return false;
  const std::string begin = first_bytes(path);
  if (!looks_like_bundle(begin)) return false;
  return unpack_start(begin, kBlock).find("ustar", kMagicAt) == kMagicAt;
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
