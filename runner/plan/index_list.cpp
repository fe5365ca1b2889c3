// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/index_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "runner/base/text.h"
#include "runner/host/cpu_list.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

// A range is written out number by number, so its ends must be small beforehand.
bool small_numbers(std::string_view text) {
  size_t digits = 0;
  for (const char c : text) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : 0;
    if (digits > 4) return false;
  }
  return text.size() < 1000;
}

}  // namespace

Result<std::vector<int>> parse_index_list(std::string_view text, int highest) {
  const Error wrong(Errc::kInvalidPlan, fmt::format("{} is no list of numbers from 0 to {} such as "
                                                    "\"0\" or \"0-1,3\"",
                                                    shown_word(text), highest));
  if (trim(text).empty() || text.back() == ',' || !small_numbers(text)) return wrong;
  auto list = parse_cpu_list(text);
  if (!list) return wrong;
  std::ranges::sort(*list);
  list->erase(std::unique(list->begin(), list->end()), list->end());
  if (list->back() > highest) return wrong;
  return list;
}

}  // namespace rtsweep
