// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

namespace rtsweep {

// A table for a fixed-width font. When it is wider than the page, its columns move
// together; when that is not enough, they go on below, with the labels repeated.
class TextTable {
 public:
  // The first `labels` columns are aligned left and repeated, the others right.
  TextTable(std::vector<std::string> header, size_t labels)
      : header_(std::move(header)), labels_(labels) {}

  // As many fields as the header has.
  void add(std::vector<std::string> fields) { rows_.push_back(std::move(fields)); }

  // Lines of at most `width` columns, unless one column and the labels alone are wider.
  std::vector<std::string> lines(size_t width, size_t indent) const;

  // How wide the label columns and the widest other column are together.
  size_t least_width() const;

 private:
  struct Columns {
    size_t first, last;  // of those that are no labels
    size_t indent, gap;
  };

  std::vector<size_t> widths() const;
  size_t full_width(size_t gap) const;
  std::string line(const std::vector<std::string>& fields, const Columns& columns) const;

  std::vector<std::string> header_;
  size_t labels_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace rtsweep
