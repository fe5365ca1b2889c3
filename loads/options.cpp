// SPDX-License-Identifier: GPL-2.0-or-later

#include "loads/options.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr std::array<std::pair<char, uint64_t>, 3> kUnits = {
    {{'G', 1ULL << 30}, {'M', 1ULL << 20}, {'K', 1ULL << 10}}};

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> bytes(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const auto& [letter, factor] : kUnits) {
    if (text.back() != letter) continue;
    const auto value = number<uint64_t>(text.substr(0, text.size() - 1));
    if (!value || *value > UINT64_MAX / factor) return std::nullopt;
    return *value * factor;
  }
  return number<uint64_t>(text);
}

Error bad_option(std::string_view name, const std::string& text, const std::string& wanted) {
  return {Errc::kInvalidPlan,
          "option '" + std::string(name) + "' is '" + text + "', but must be " + wanted};
}

}  // namespace

std::string option_text(const LoadContext& context, std::string_view name) {
  const auto it = context.options.find(std::string(name));
  return it == context.options.end() ? std::string() : it->second;
}

Result<int64_t> option_number(const LoadContext& context, std::string_view name, int64_t least,
                              int64_t most, int64_t automatic) {
  const std::string text = option_text(context, name);
  if (text.empty()) return automatic;
  const auto value = number<int64_t>(text);
  if (!value || *value < least || *value > most) {
    return bad_option(
        name, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return *value;
}

Result<uint64_t> option_bytes(const LoadContext& context, std::string_view name, uint64_t least,
                              uint64_t most, uint64_t automatic) {
  const std::string text = option_text(context, name);
  if (text.empty()) return automatic;
  const auto value = bytes(text);
  if (!value || *value < least || *value > most) {
    return bad_option(
        name, text,
        "bytes from " + bytes_text(least) + " to " + bytes_text(most) + ", such as 4096 or 64M");
  }
  return *value;
}

Result<std::string> option_choice(const LoadContext& context, std::string_view name,
                                  std::initializer_list<std::string_view> choices) {
  const std::string text = option_text(context, name);
  const std::vector<std::string> known(choices.begin(), choices.end());
  for (const std::string& choice : known) {
    if (text == choice) return choice;
  }
  std::string wanted = "one of " + join(known, ", ");
  if (const auto near = nearest_word(text, known)) wanted += " (did you mean '" + *near + "'?)";
  return bad_option(name, text, wanted);
}

std::string bytes_text(uint64_t bytes) {
  for (const auto& [letter, factor] : kUnits) {
    if (bytes >= factor && bytes % factor == 0) return std::to_string(bytes / factor) + letter;
  }
  return std::to_string(bytes);
}

}  // namespace rtsweep
