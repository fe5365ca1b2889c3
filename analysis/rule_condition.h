// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/system_view.h"
#include "runner/base/result.h"

namespace rtsweep {

// Three values: what is not known makes a condition neither true nor false, unless the other
// parts decide it (false and unknown is false, true or unknown is true).
enum class Truth { kFalse, kUnknown, kTrue };

Truth both(Truth a, Truth b);    // and
Truth either(Truth a, Truth b);  // or
Truth opposite(Truth a);         // not

// What a condition was decided by.
struct Evidence {
  std::string text;      // "CONFIG_KASAN=y", "CPUs 0-3: powersave"
  std::string source;    // a file; may be empty
  size_t line = 0;       // of that file; 0 without
  bool absence = false;  // something is not there: shown only when nothing else is

  bool operator==(const Evidence&) const = default;
};

struct Judgement {
  Truth truth = Truth::kUnknown;
  std::vector<Evidence> evidence;
  std::set<std::string> missing;  // what would have to be known
};

// What kconfig does with options that a defconfig does not mention.
struct ConfigDefaults {
  std::set<std::string, std::less<>> off;  // default n on every architecture
  std::set<std::string, std::less<>> on;   // default y on every architecture
};

// A condition over a SystemView, written as
//
//   CONFIG_KASAN                    the option is y or m
//   CONFIG_HZ <= 100                numbers where both sides are, else text
//   cmdline.nohlt                   the word is there
//   cmdline.idle = poll             its last value; `has` asks for one of a comma list
//   fact.governor != performance    any of the observations of that name
//   fact.swap                       there is an observation
//   log "sched: RT throttling"      a line of the log; '*' is any text
//   arch = arm64   kernel >= 6.13
//   known(...)                      whether the part is known; never unknown itself
//   surely(...)                     the part is known and true; never unknown itself
//
// joined by `not`, `and`, `or` and parentheses; `and` goes before `or`.
class Condition {
 public:
  // kBadData, with the place, for what cannot be read.
  static Result<Condition> parse(std::string_view text);

  // The view must be completed().
  Judgement judge(const SystemView& view, const ConfigDefaults& defaults) const;

  // Names used with fact., for checking them against those that exist.
  std::set<std::string> facts() const;

  struct Node;

 private:
  explicit Condition(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

  std::shared_ptr<const Node> root_;
};

}  // namespace rtsweep
