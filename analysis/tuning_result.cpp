// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/tuning_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

namespace rtsweep {
namespace {

using nlohmann::json;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

std::string with_single_blanks(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_blank(c)) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

bool is_mask(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isxdigit(c) != 0 || c == ',';
  });
}

// Kernels pad masks to the number of CPUs that they were built for.
std::string_view without_leading_zeros(std::string_view mask) {
  const size_t first = mask.find_first_not_of("0,");
  return first == std::string_view::npos ? "0" : mask.substr(first);
}

// How param_get_bool() prints a module's switch.
std::string_view switch_value(std::string_view text) {
  if (text == "1" || text == "y" || text == "Y") return "Y";
  if (text == "0" || text == "n" || text == "N") return "N";
  return text;
}

// Whether a word is of a list such as "NO_DEFAULTS OSNOISE_WORKLOAD" (osnoise/options of
// tracefs): each is a switch, with NO_ before it when it is off. One is written at a time.
bool is_option_of(std::string_view word, std::string_view list) {
  if (word.empty() || word.find(' ') != std::string_view::npos) return false;
  if (list.find("NO_") == std::string_view::npos) return false;
  return fmt::format(" {} ", list).find(fmt::format(" {} ", word)) != std::string::npos;
}

void put(json& j, const char* key, const std::optional<std::string>& value) {
  if (value) j[key] = *value;
}

void take(const json& j, const char* key, std::optional<std::string>& value) {
  if (j.contains(key)) value = j.at(key).get<std::string>();
}

}  // namespace

std::string settable_value(std::string_view text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']', open == std::string_view::npos ? 0 : open);
  const bool marked = open != std::string_view::npos && close != std::string_view::npos &&
                      (open == 0 || is_blank(text[open - 1]));
  if (marked) return with_single_blanks(text.substr(open + 1, close - open - 1));
  return with_single_blanks(text);
}

bool same_setting(std::string_view wanted, std::string_view effective) {
  const std::string want = with_single_blanks(wanted);
  const std::string have = settable_value(effective);
  if (want == have || switch_value(want) == switch_value(have)) return true;
  if (is_option_of(want, have)) return true;
  return is_mask(want) && is_mask(have) &&
         without_leading_zeros(want) == without_leading_zeros(have);
}

bool was_effective(const TuningResult& result) {
  if (result.refused) return true;
  if (!result.effective || !same_setting(result.wanted, *result.effective)) return false;
  return !result.at_end || same_setting(result.wanted, *result.at_end);
}

bool was_restored(const TuningResult& result) {
  if (!result.before || !result.restored) return true;
  return same_setting(*result.before, *result.restored);
}

void to_json(json& j, const TuningResult& result) {
  j = {{"setting", result.setting}, {"file", result.file}, {"wanted", result.wanted}};
  put(j, "before", result.before);
  put(j, "effective", result.effective);
  put(j, "at_end", result.at_end);
  put(j, "restored", result.restored);
  if (!result.error.empty()) j["error"] = result.error;
  if (result.refused) j["refused"] = true;
}

void from_json(const json& j, TuningResult& result) {
  j.at("setting").get_to(result.setting);
  j.at("file").get_to(result.file);
  j.at("wanted").get_to(result.wanted);
  take(j, "before", result.before);
  take(j, "effective", result.effective);
  take(j, "at_end", result.at_end);
  take(j, "restored", result.restored);
  result.error = j.value("error", "");
  result.refused = j.value("refused", false);
}

}  // namespace rtsweep
