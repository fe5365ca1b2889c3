// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/result.h"

#include <system_error>

namespace rtsweep {

Error Error::from_errno(std::string_view what, int err) {
  return {Errc::kIo, std::string(what) + ": " + std::system_category().message(err)};
}

}  // namespace rtsweep
