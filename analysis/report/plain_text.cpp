// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/plain_text.h"

#include <algorithm>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// The character at the front of a text: its code point and its bytes. A byte that
// begins no well-formed character (overlong, surrogate, cut off) has no code point.
struct Utf8Char {
  static constexpr char32_t kMalformed = 0xffffffff;
  char32_t code = kMalformed;
  size_t bytes = 1;
};

// How many bytes a character has, by its first one; 0 begins none.
size_t length_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

bool well_formed(char32_t code, size_t bytes) {
  static constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return code >= kLeast[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

Utf8Char utf8_at(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const size_t bytes = length_by_lead(lead);
  if (bytes == 0 || at + bytes > text.size()) return {};
  if (bytes == 1) return {lead, 1};
  char32_t code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xc0) != 0x80) return {};
    code = (code << 6) | (next & 0x3f);
  }
  return well_formed(code, bytes) ? Utf8Char{code, bytes} : Utf8Char{};
}

// Shows nothing, moves the cursor, or turns the direction of the text around it: no
// place for it in a report whose strings come from elsewhere.
bool is_unprintable(char32_t code) {
  return code == Utf8Char::kMalformed || code < 0x20 || (code >= 0x7f && code < 0xa0) ||
         (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

bool is_blank(char32_t code) { return code == '\n' || code == '\t' || code == '\r'; }

// The first `columns` characters.
std::string_view cut(std::string_view text, size_t columns) {
  size_t end = 0;
  while (end < text.size() && columns-- > 0) end += utf8_at(text, end).bytes;
  return text.substr(0, end);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_at(text, at);
    if (is_blank(c.code)) {
      out += ' ';
    } else if (is_unprintable(c.code)) {
      out += '?';
    } else {
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return out;
}

std::vector<std::string> printable_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) {
    lines.push_back(printable(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line));
  }
  while (!lines.empty() && trim(lines.back()).empty()) lines.pop_back();
  return lines;
}

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size(); at += utf8_at(text, at).bytes) ++columns;
  return columns;
}

std::string clip(std::string_view text, size_t columns) {
  constexpr std::string_view kDots = "...";
  if (columns_of(text) <= columns) return std::string(text);
  return std::string(cut(text, columns - std::min(columns, kDots.size()))).append(kDots);
}

std::vector<std::string> wrap(std::string_view text, size_t width, size_t indent,
                              std::string_view first) {
  std::vector<std::string> lines;
  std::string line(first);
  bool empty = true;  // no word on this line yet
  const auto next_line = [&] {
    lines.push_back(std::move(line));
    line = std::string(indent, ' ');
    empty = true;
  };
  for (const std::string& word : words(printable(text))) {
    std::string_view rest = word;
    if (!empty && columns_of(line) + 1 + columns_of(rest) > width) next_line();
    if (!empty) line += ' ';
    while (columns_of(line) + columns_of(rest) > width && columns_of(line) < width) {
      const std::string_view part = cut(rest, width - columns_of(line));
      line += part;
      rest.remove_prefix(part.size());
      next_line();
    }
    line += rest;
    empty = empty && rest.empty();
  }
  if (!empty || lines.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace rtsweep
