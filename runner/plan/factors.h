// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

struct TuningKey;

// A kind of thing that a plan can vary.
struct FactorKind {
  std::string_view name;       // as the plan spells it
  std::string_view varies;     // what it is, for people
  std::string_view levels;     // what its levels look like
  std::string_view fallback;   // what holds in a plan without it; "" when there is none
  std::string_view read_back;  // how its effect is proved after boot
  bool boots = false;          // needs a target that boots kernels

  // Why the text cannot be a level, or nothing. Null: any text can.
  std::optional<std::string> (*refuse)(const std::string& level) = nullptr;

  const TuningKey* tuning = nullptr;  // the key of [tuning] that it varies, if it is one
};

// Why the text cannot be a level of the factor, or nothing.
std::optional<std::string> refuse_level(const FactorKind& kind, const std::string& level);

// All of them, in the order in which documentation and lists show them.
std::span<const FactorKind> factor_kinds();

const FactorKind* find_factor_kind(std::string_view name);

std::vector<std::string> factor_names();

// Where trials run.
struct TargetKind {
  std::string_view name;
  std::string_view measures_on;
};
std::span<const TargetKind> target_kinds();

// The names of any of these lists.
template <typename Kind>
std::vector<std::string> names_of(std::span<const Kind> kinds) {
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

// Debian's names of the architectures that can be measured.
std::span<const std::string> known_arches();

}  // namespace rtsweep
