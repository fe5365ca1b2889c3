// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "runner/base/unique_fd.h"

namespace rtsweep {

Result<MappedFile> MappedFile::open(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return Error::from_errno("read " + file.string(), errno);
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return MappedFile({});  // nothing can be mapped
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (start == MAP_FAILED) return Error::from_errno("map " + file.string(), errno);
  return MappedFile({static_cast<const char*>(start), size});
}

MappedFile::~MappedFile() {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): what munmap takes
  if (!content_.empty()) ::munmap(const_cast<char*>(content_.data()), content_.size());
}

}  // namespace rtsweep
