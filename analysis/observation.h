// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace rtsweep {

// One thing that was seen on a machine or in a text.
struct Observation {
  std::string value;   // what rules compare: "powersave", "133"
  std::string said;    // for people: "CPUs 0-3: powersave"
  std::string source;  // the file it was read from; may be empty
  size_t line = 0;     // of that file, from 1; 0 without

  bool operator==(const Observation&) const = default;
};

// What was observed, by the name that rules use. A name that is there without an observation is
// known to have none (no swap); one that is not there is unknown.
using Observations = std::map<std::string, std::vector<Observation>, std::less<>>;

}  // namespace rtsweep
