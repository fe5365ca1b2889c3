// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/host/tuning_spec.h"
#include "runner/plan/plan_reader.h"

namespace rtsweep {

// A key of [tuning] with a single value, which may also be a factor: "tuning.governor".
struct TuningKey {
  std::string_view name;
  std::string_view factor;  // its name as a factor
  std::string_view sets;    // what, for people
  std::string_view values;  // what they look like
  std::string_view file;    // how its effect is proved

  // Sets it in the spec; why the text is no value of it, otherwise.
  std::optional<std::string> (*set)(TuningSpec& spec, const std::string& text);
};

std::span<const TuningKey> tuning_keys();

// Null for other keys, such as "stop_services".
const TuningKey* find_tuning_key(std::string_view name);

// All keys of [tuning], also those with lists and tables.
std::vector<std::string> tuning_key_names();

}  // namespace rtsweep
