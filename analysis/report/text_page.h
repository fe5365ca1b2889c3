// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "analysis/report/cells.h"
#include "analysis/report/plain_text.h"

namespace rtsweep {

// The text report while it is written, line by line, in the columns of a mail.
class TextPage {
 public:
  static constexpr size_t kWidth = 72;

  void line(std::string_view text = "") { (out_ += text) += '\n'; }

  void lines(const std::vector<std::string>& lines) {
    for (const std::string& text : lines) line(text);
  }

  // `first` leads the first line; the others begin with `indent` blanks.
  void wrapped(std::string_view text, size_t indent = 0, std::string_view first = "") {
    lines(wrap(text, kWidth, indent, first));
  }

  // "Host     Intel Xeon ...", going on under the value; nothing without a value.
  void field(std::string_view name, std::string_view value) {
    if (!value.empty()) wrapped(value, 9, fmt::format("{:<9}", name));
  }

  void heading(std::string_view text, char underline) {
    const auto wrapped = wrap(text, kWidth, 0, "");
    lines(wrapped);
    line(std::string(columns_of(wrapped.back()), underline));
  }

  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

// All that is known of the trials of one cell.
void write_cell(TextPage& page, const ReportCells& cells, const CellTrials& cell);

}  // namespace rtsweep
