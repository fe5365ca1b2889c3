// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/text_table.h"

#include <algorithm>

#include "analysis/report/plain_text.h"

namespace rtsweep {
namespace {

constexpr size_t kGap = 2;

std::string pad_left(const std::string& text, size_t width) {
  return std::string(width - std::min(width, columns_of(text)), ' ') + text;
}

std::string pad_right(const std::string& text, size_t width) {
  return text + std::string(width - std::min(width, columns_of(text)), ' ');
}

std::string without_trailing_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::vector<size_t> TextTable::widths() const {
  std::vector<size_t> widths;
  for (const std::string& name : header_) widths.push_back(columns_of(name));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
}

size_t TextTable::full_width(size_t gap) const {
  size_t width = 0;
  for (const size_t column : widths()) width += (width > 0 ? gap : 0) + column;
  return width;
}

size_t TextTable::least_width() const {
  const std::vector<size_t> all = widths();
  const auto values = all.begin() + static_cast<std::ptrdiff_t>(labels_);
  size_t width = 0;
  for (auto it = all.begin(); it != values; ++it) width += *it + kGap;
  return width + (values == all.end() ? 0 : *std::max_element(values, all.end()));
}

std::string TextTable::line(const std::vector<std::string>& fields, const Columns& columns) const {
  const std::vector<size_t> all = widths();
  const std::string gap(columns.gap, ' ');
  std::string line(columns.indent, ' ');
  for (size_t i = 0; i < labels_; ++i) line += pad_right(fields[i], all[i]) + gap;
  for (size_t i = columns.first; i < columns.last; ++i) {
    line += pad_left(fields[i], all[i]);
    if (i + 1 < columns.last) line += gap;
  }
  return without_trailing_blanks(std::move(line));
}

std::vector<std::string> TextTable::lines(size_t width, size_t indent) const {
  const std::vector<size_t> all = widths();
  const bool tight = indent + full_width(kGap) > width && indent + full_width(1) <= width;
  Columns columns{.first = labels_, .last = labels_, .indent = indent, .gap = tight ? 1 : kGap};
  size_t labels_width = indent;
  for (size_t i = 0; i < labels_; ++i) labels_width += all[i] + columns.gap;

  std::vector<std::string> lines;
  for (; columns.first < all.size(); columns.first = columns.last) {
    columns.last = columns.first + 1;
    size_t used = labels_width + all[columns.first];
    while (columns.last < all.size() && used + columns.gap + all[columns.last] <= width) {
      used += columns.gap + all[columns.last++];
    }
    if (!lines.empty()) lines.emplace_back();
    lines.push_back(line(header_, columns));
    for (const auto& row : rows_) lines.push_back(line(row, columns));
  }
  return lines;
}

}  // namespace rtsweep
