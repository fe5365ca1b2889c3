// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_results.h"

#include "runner/base/files.h"
#include "runner/measure/frames.h"

namespace rtsweep {

Result<void> unpack_results(const std::filesystem::path& directory) {
  const std::filesystem::path stream = directory / kResultsFile;
  if (!std::filesystem::exists(stream)) return {};
  RTSWEEP_TRY(const std::string bytes, read_file(stream));
  DirectorySink sink(directory);
  for (const Frame& frame : decode_frames(bytes).frames) {
    RTSWEEP_CHECK_OK(sink.put(frame.name, frame.content));
  }
  return {};
}

}  // namespace rtsweep
