// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace rtsweep {

// The upstream version that a kernel release is made from: major, minor, patch level.
using UpstreamVersion = std::array<int, 3>;

// Of "6.12.117+deb13-rt-arm64", "6.1.0-50-rt-amd64" (Debian 12: the patch level stands in
// the package's version only), "6.13-rc2". Empty when it does not begin with two numbers.
std::optional<UpstreamVersion> upstream_version(std::string_view release);

// "v6.12.117", "v6.1": as upstream's tags are named.
std::string upstream_tag(const UpstreamVersion& version);

}  // namespace rtsweep
