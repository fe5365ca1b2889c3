// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/plan/plan_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "runner/base/text.h"
#include "runner/plan/duration.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

constexpr size_t kShownRefusals = 10;

std::string_view type_name(toml::node_type type) {
  switch (type) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

std::string out_of_range(std::string_view key, int64_t value, Range range) {
  if (range.most == std::numeric_limits<int64_t>::max()) {
    return fmt::format("{} must be at least {}, not {}", key, range.least, value);
  }
  return fmt::format("{} must be between {} and {}, not {}", key, range.least, range.most, value);
}

}  // namespace

std::optional<toml::table> PlanReader::parse(std::string_view text) {
  try {
    return toml::parse(text, file_.string());
  } catch (const toml::parse_error& error) {
    refuse(error.source(), std::string(error.description()));
    return std::nullopt;
  }
}

void PlanReader::refuse(const toml::source_region& where, std::string message) {
  refusals_.push_back({where.begin, std::move(message)});
}

void PlanReader::wrong_type(std::string_view key, const toml::node& node, std::string_view wanted) {
  refuse(node.source(), fmt::format("{} must be {}, not {}", key, wanted, type_name(node.type())));
}

std::optional<std::string> PlanReader::text(std::string_view key, const toml::node& node) {
  const auto* value = node.as_string();
  if (value == nullptr) {
    wrong_type(key, node, "a string");
    return std::nullopt;
  }
  const bool has_control = std::ranges::any_of(value->get(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  if (has_control) {
    refuse(node.source(),
           fmt::format("{} has a control character: {}", key, shown_word(value->get())));
    return std::nullopt;
  }
  return value->get();
}

std::optional<bool> PlanReader::boolean(std::string_view key, const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get();
  wrong_type(key, node, "true or false");
  return std::nullopt;
}

std::optional<double> PlanReader::number(std::string_view key, const toml::node& node) {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value) {
    wrong_type(key, node, "a number");
    return std::nullopt;
  }
  if (!(*value >= 0 && *value <= 1e15)) {
    refuse(node.source(), fmt::format("{} must be a number from 0 on, not {}", key, *value));
    return std::nullopt;
  }
  return value;
}

std::optional<int64_t> PlanReader::integer(std::string_view key, const toml::node& node,
                                           Range range) {
  const auto* value = node.as_integer();
  if (value == nullptr) {
    wrong_type(key, node, "an integer");
    return std::nullopt;
  }
  if (value->get() < range.least || value->get() > range.most) {
    refuse(node.source(), out_of_range(key, value->get(), range));
    return std::nullopt;
  }
  return value->get();
}

std::optional<std::chrono::seconds> PlanReader::duration(std::string_view key,
                                                         const toml::node& node) {
  if (!node.is_string()) {
    wrong_type(key, node, "a duration in quotes such as \"10s\"");
    return std::nullopt;
  }
  const auto value = text(key, node);
  if (!value) return std::nullopt;
  const auto parsed = parse_duration(*value);
  if (!parsed) {
    refuse(node.source(),
           fmt::format("bad {} {}: {}", key, shown_word(*value), parsed.error().message()));
    return std::nullopt;
  }
  if (parsed->count() == 0) {
    refuse(node.source(), fmt::format("{} must be more than nothing", key));
    return std::nullopt;
  }
  return *parsed;
}

std::optional<std::string> PlanReader::value_text(std::string_view key, const toml::node& node) {
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  if (node.is_string()) return text(key, node);
  wrong_type(key, node, "a string, a number, true or false");
  return std::nullopt;
}

std::optional<std::string> PlanReader::word(std::string_view key, const toml::node& node,
                                            std::span<const std::string> right) {
  auto value = text(key, node);
  if (!value || std::ranges::find(right, *value) != right.end()) return value;
  refuse(node.source(), unknown_word(key, *value, right));
  return std::nullopt;
}

std::vector<PlanReader::Item> PlanReader::texts(std::string_view key, const toml::node& node) {
  std::vector<Item> items;
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    if (!node.is_string()) {
      wrong_type(key, node, "an array of strings");
    } else if (auto value = text(key, node)) {
      items.push_back({std::move(*value), node.source()});
    }
    return items;
  }
  for (const toml::node& element : *array) {
    auto value = text(fmt::format("a level of {}", key), element);
    if (value) items.push_back({std::move(*value), element.source()});
  }
  return items;
}

const toml::table* PlanReader::table(std::string_view key, const toml::node& node) {
  if (!node.is_table()) wrong_type(key, node, fmt::format("a table: [{}]", key));
  return node.as_table();
}

Error PlanReader::error() const {
  std::vector<Refusal> sorted = refusals_;
  std::ranges::stable_sort(sorted, {}, [](const Refusal& refusal) {
    return std::tuple(refusal.where.line, refusal.where.column);
  });
  std::vector<std::string> lines;
  for (const Refusal& refusal : sorted) {
    if (lines.size() == kShownRefusals) {
      lines.push_back(fmt::format("and {} more", sorted.size() - kShownRefusals));
      break;
    }
    lines.push_back(fmt::format("{}:{}:{}: {}", file_.string(), refusal.where.line,
                                refusal.where.column, refusal.message));
  }
  return {Errc::kInvalidPlan, join(lines, "\n")};
}

std::vector<std::pair<const toml::key*, const toml::node*>> in_file_order(
    const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, node] : table) entries.emplace_back(&key, &node);
  std::ranges::sort(entries, {}, [](const auto& entry) {
    const toml::source_position& where = entry.first->source().begin;
    return std::tuple(where.line, where.column);
  });
  return entries;
}

}  // namespace rtsweep
