// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rtsweep {

// The release (`uname -r`) that a kernel image was built as: from the header of an
// x86 bzImage, or from its "Linux version" banner, looked for in the image and, when
// it is a self-extracting one as on 32-bit ARM, in what is packed inside.
std::optional<std::string> release_of_image(std::string_view image);

}  // namespace rtsweep
