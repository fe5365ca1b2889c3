// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/text_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

std::vector<size_t> column_widths(std::span<const std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

}  // namespace

std::string wrapped(std::string_view text, size_t indent, size_t width) {
  const std::string margin(indent, ' ');
  std::string lines;
  std::string line;
  for (const std::string& word : words(text)) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      lines += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + margin + line + "\n";
}

std::optional<std::string> columns(std::span<const std::vector<std::string>> rows, size_t width) {
  const std::vector<size_t> widths = column_widths(rows);
  size_t total = 0;
  for (const size_t column : widths) total += column + 2;
  if (total > width) return std::nullopt;
  std::string table;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("  {:<{}}", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

std::string ranges_text(std::span<const int> numbers) {
  std::vector<std::string> parts;
  for (size_t first = 0; first < numbers.size();) {
    size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    parts.push_back(first == last ? fmt::format("{}", numbers[first])
                                  : fmt::format("{}-{}", numbers[first], numbers[last]));
    first = last + 1;
  }
  return join(parts, ", ");
}

}  // namespace rtsweep
