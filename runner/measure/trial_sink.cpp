// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/trial_sink.h"

#include "runner/base/files.h"

namespace rtsweep {

Result<void> DirectorySink::put(std::string_view name, std::string_view content) {
  return write_file_durably(directory_ / name, content);
}

}  // namespace rtsweep
