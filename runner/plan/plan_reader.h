// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/toml.h"
#include "runner/plan/plan.h"

namespace rtsweep {

struct Range {
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();
};

// Reads single values of a plan and keeps what is wrong with them. A value that
// cannot be used is refused and read as nothing, so that one pass finds every mistake.
class PlanReader {
 public:
  explicit PlanReader(std::filesystem::path file) : file_(std::move(file)) {}

  // The whole file; nothing when its syntax is wrong.
  std::optional<toml::table> parse(std::string_view text);

  void refuse(const toml::source_region& where, std::string message);

  std::optional<std::string> text(std::string_view key, const toml::node& node);
  std::optional<bool> boolean(std::string_view key, const toml::node& node);
  std::optional<double> number(std::string_view key, const toml::node& node);
  std::optional<int64_t> integer(std::string_view key, const toml::node& node, Range range);
  std::optional<std::chrono::seconds> duration(std::string_view key, const toml::node& node);

  // A string, number, true or false, as text: for values that are texts in the end,
  // whatever TOML type was natural.
  std::optional<std::string> value_text(std::string_view key, const toml::node& node);

  // One of these words.
  std::optional<std::string> word(std::string_view key, const toml::node& node,
                                  std::span<const std::string> right);

  // The texts of an array, or of a single string, with where each of them stands.
  struct Item {
    std::string text;
    toml::source_region where;
  };
  std::vector<Item> texts(std::string_view key, const toml::node& node);

  const toml::table* table(std::string_view key, const toml::node& node);

  void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted);

  bool clean() const { return refusals_.empty(); }

  // All refusals as one error; meaningful only when not clean.
  Error error() const;

  const std::filesystem::path& file() const { return file_; }

 private:
  struct Refusal {
    toml::source_position where;
    std::string message;
  };

  std::filesystem::path file_;
  std::vector<Refusal> refusals_;
};

// A key that one of the plan's tables may have.
struct PlanKey {
  std::string_view name;
  std::string_view fallback;  // as one would write it; "" when there is none
  void (*read)(PlanReader& reader, const toml::node& node, Plan& plan);
};

// What one table may have, and its heading in a plan file.
struct PlanSection {
  std::string_view heading;  // "" is the top of the file
  std::span<const PlanKey> keys;
};

// Reads the table's keys in the section's order; refuses those that it does not have.
void read_section(PlanReader& reader, const toml::table& table, const PlanSection& section,
                  Plan& plan);

// The entries of a table in the order of the file, in which people think of them.
std::vector<std::pair<const toml::key*, const toml::node*>> in_file_order(const toml::table& table);

}  // namespace rtsweep
