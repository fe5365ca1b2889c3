// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/kernel_version.h"

#include <fmt/format.h>

#include <charconv>

namespace rtsweep {

std::optional<UpstreamVersion> upstream_version(std::string_view release) {
  UpstreamVersion version{};
  size_t parts = 0;
  const char* at = release.data();
  const char* const end = at + release.size();
  for (; parts < version.size(); ++parts) {
    const auto [next, failed] = std::from_chars(at, end, version.at(parts));
    if (failed != std::errc()) break;
    at = next;
    if (at == end || *at != '.') {
      ++parts;
      break;
    }
    ++at;
  }
  if (parts < 2) return std::nullopt;
  return version;
}

std::string upstream_tag(const UpstreamVersion& version) {
  std::string tag = fmt::format("v{}.{}", version[0], version[1]);
  if (version[2] > 0) tag += fmt::format(".{}", version[2]);
  return tag;
}

}  // namespace rtsweep
