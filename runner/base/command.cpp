// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/command.h"

#include <sys/mman.h>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// A file without a name, for output whose length is not known beforehand.
struct Capture {
  UniqueFd fd{::memfd_create("rtsweep-output", MFD_CLOEXEC)};

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(fd.get()); }
  Result<std::string> text() const { return read_file(path()); }
};

}  // namespace

Result<std::string> SystemCommands::run(const std::vector<std::string>& argv) {
  const Capture out;
  const Capture err;
  RTSWEEP_TRY(ChildProcess child,
              ChildProcess::start(argv, {.output = out.path(), .errors = err.path()}));
  RTSWEEP_TRY(const auto status, child.wait());
  if (!status->clean()) {
    RTSWEEP_TRY(const std::string why, err.text());
    return Error(Errc::kChildFailed,
                 shell_quote(argv) + ": " + status->text() + ": " + std::string(trim(why)));
  }
  return out.text();
}

}  // namespace rtsweep
