// SPDX-License-Identifier: GPL-2.0-or-later

// A plan may come from anywhere: whatever its bytes are, it is read or refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <vector>

#include "runner/base/files.h"
#include "runner/plan/plan.h"

namespace rtsweep {
namespace {

// A plan that was read can be ordered, one that was not says where and why.
void read_or_refuse(const std::string& text) {
  const auto plan = parse_plan(text, "p.toml");
  if (plan) {
    EXPECT_FALSE(order_trials(*plan).empty()) << text;
  } else {
    EXPECT_EQ(plan.error().code(), Errc::kInvalidPlan) << text;
    EXPECT_EQ(plan.error().message().find("p.toml:"), 0u) << text;
  }
}

std::vector<std::string> ready_plans() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(RTSWEEP_SOURCE_DIR "/plans")) {
    if (entry.path().extension() == ".toml") texts.push_back(*read_file(entry.path()));
  }
  return texts;
}

TEST(GarbagePlans, OfRandomBytesAreRefused) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random());
    read_or_refuse(text);
  }
}

TEST(GarbagePlans, CutOffAtAnyByteAreReadOrRefused) {
  for (const std::string& text : ready_plans()) {
    for (size_t size = 0; size < text.size(); size += 7) read_or_refuse(text.substr(0, size));
  }
}

TEST(GarbagePlans, WithBytesChangedAreReadOrRefused) {
  std::mt19937 random(2);
  for (const std::string& text : ready_plans()) {
    for (int round = 0; round < 200; ++round) {
      std::string changed = text;
      for (int i = 0; i < 3; ++i)
        changed[random() % changed.size()] = "\"[]{}=.#\n0x-"[random() % 12];
      read_or_refuse(changed);
    }
  }
}

TEST(GarbagePlans, NestedWithoutEndAreRefused) {
  read_or_refuse("a = " + std::string(100'000, '['));
  read_or_refuse("a = " + std::string(100'000, '{'));
  std::string deep = "a";
  for (int i = 0; i < 5'000; ++i) deep += ".a";
  read_or_refuse("[" + deep + "]\n");
  read_or_refuse(deep + " = 1\n");
}

TEST(GarbagePlans, OfHugeNumbersAreRefused) {
  read_or_refuse("seed = 9223372036854775808\n");
  read_or_refuse("[measure]\ninterval_us = 9223372036854775807\n");
  read_or_refuse("[loads.cpu]\nfloor_per_s = 1e400\n");
  read_or_refuse("[loads.cpu]\nfloor_per_s = nan\n");
}

}  // namespace
}  // namespace rtsweep
