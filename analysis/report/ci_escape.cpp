// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/ci_escape.h"

#include <fmt/format.h>

#include "analysis/report/plain_text.h"

namespace rtsweep {
namespace {

std::string github_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '%') {
      out += "%25";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string tap_escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '#' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string yaml_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : printable(text)) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string github_command(std::string_view kind, std::string_view title,
                           std::string_view message) {
  return fmt::format("::{} title={}::{}\n", kind, github_escaped(title, true),
                     github_escaped(message, false));
}

}  // namespace rtsweep
