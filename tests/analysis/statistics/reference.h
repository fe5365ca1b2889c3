// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

// The reference cases that stand beside the checkout: published values of textbooks and of R, and
// values computed at 40 digits. Their README says where each comes from.
namespace rtsweep::testing {

using Json = nlohmann::json;

inline std::filesystem::path reference_file(const std::string& name) {
  return std::filesystem::path(RTSWEEP_STATS_REFERENCE_DIR) / name;
}

inline const Json& reference_cases() {
  static const Json kCases = [] {
    std::ifstream file(reference_file("expected.json"));
    return file ? Json::parse(file)["cases"] : Json();
  }();
  return kCases;
}

// The case with this id; null, with a failure of the test, when there is none.
inline Json reference_case(const std::string& id) {
  for (const Json& one : reference_cases()) {
    if (one["id"] == id) return one;
  }
  ADD_FAILURE() << "no reference case " << id;
  return {};
}

// The numbers of one column of a CSV file with a header line.
inline std::vector<double> column_of(const std::string& file_name, size_t column) {
  std::ifstream file(reference_file(file_name));
  std::vector<double> values;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string field;
    for (size_t i = 0; i <= column; ++i) std::getline(fields, field, ',');
    std::erase(field, '"');
    values.push_back(std::stod(field));
  }
  return values;
}

inline std::vector<double> numbers(const Json& array) { return array.get<std::vector<double>>(); }

}  // namespace rtsweep::testing

// Binds `name` to the case, or skips the test where the reference values are not at hand.
#define RTSWEEP_REFERENCE(name, id)                                           \
  if (::rtsweep::testing::reference_cases().is_null())                        \
    GTEST_SKIP() << "no reference values in " << RTSWEEP_STATS_REFERENCE_DIR; \
  const auto name = ::rtsweep::testing::reference_case(id);                   \
  ASSERT_FALSE(name.is_null())

// |actual - expected| <= relative * |expected|.
#define EXPECT_RELATIVE(actual, expected, relative) \
  EXPECT_NEAR(actual, expected, std::abs(static_cast<double>(expected)) * (relative))
