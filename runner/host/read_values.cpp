// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/read_values.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "runner/base/text.h"

namespace rtsweep {

std::string text_of(const HostRoot& host, std::string_view file) {
  const auto text = host.read(file);
  return text ? std::string(trim(*text)) : std::string();
}

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, ec] = std::from_chars(text.data(), end, value);
  if (ec != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return value;
}

std::optional<int64_t> number_of(const HostRoot& host, std::string_view file) {
  return number_in(text_of(host, file));
}

std::vector<std::string> names_in(const HostRoot& host, std::string_view directory) {
  std::vector<std::string> names;
  std::error_code ec;
  for (std::filesystem::directory_iterator entry(host.path(directory), ec), end;
       !ec && entry != end; entry.increment(ec)) {
    names.push_back(entry->path().filename());
  }
  std::ranges::sort(names);
  return names;
}

std::string colon_field(std::string_view text, std::string_view name) {
  for (const std::string& line : split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || trim(std::string_view(line).substr(0, colon)) != name) {
      continue;
    }
    return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

}  // namespace rtsweep
