// SPDX-License-Identifier: GPL-2.0-or-later

// cyclictest's command line, as far as it changes what the output means. Written like
// getopt: short options may be bundled ("-mSp90"), values may be attached or not.

#include <algorithm>
#include <array>

#include "analysis/cyclictest_parts.h"
#include "analysis/number_list.h"
#include "runner/base/text.h"

namespace rtsweep::cyclictest {
namespace {

constexpr std::string_view kShortWithValue = "bcdDFhHilopTO";
constexpr std::string_view kShortWithOptionalValue = "aAt";

struct LongOption {
  std::string_view name;
  char letter;
};
constexpr std::array<LongOption, 7> kLong = {{{"histogram", 'h'},
                                              {"histofall", 'H'},
                                              {"nsecs", 'N'},
                                              {"smp", 'S'},
                                              {"interval", 'i'},
                                              {"distance", 'd'},
                                              {"priority", 'p'}}};

void apply(Options& options, char letter, std::string_view value) {
  const auto number = parse_whole(value);
  switch (letter) {
    case 'N':
      options.nanoseconds = true;
      break;
    case 'S':
      options.smp = true;
      break;
    case 'h':
    case 'H':
      if (number && *number > 0) options.histogram = std::min(*number, kMostBuckets);
      break;
    case 'i':
      if (number) options.interval_us = std::clamp<int64_t>(*number, 1, 1'000'000'000);
      break;
    case 'd':
      if (number) options.distance_us = std::clamp<int64_t>(*number, 0, 1'000'000'000);
      break;
    case 'p':
      if (number) options.priority = *number;
      break;
    default:
      break;
  }
}

// Reads one word; returns whether it took the next one as a value.
bool apply_long(Options& options, std::string_view word, std::string_view next) {
  const size_t equals = std::min(word.find('='), word.size());
  const auto* it = std::find_if(kLong.begin(), kLong.end(), [&](const LongOption& option) {
    return option.name == word.substr(0, equals);
  });
  if (it == kLong.end()) return false;
  const bool attached = equals < word.size();
  apply(options, it->letter, attached ? word.substr(equals + 1) : next);
  return !attached && kShortWithValue.find(it->letter) != std::string_view::npos;
}

bool apply_short(Options& options, std::string_view letters, std::string_view next) {
  for (size_t i = 0; i < letters.size(); ++i) {
    const std::string_view rest = letters.substr(i + 1);
    if (kShortWithOptionalValue.find(letters[i]) != std::string_view::npos) return false;
    if (kShortWithValue.find(letters[i]) == std::string_view::npos) {
      apply(options, letters[i], {});
      continue;
    }
    apply(options, letters[i], rest.empty() ? next : rest);
    return rest.empty();
  }
  return false;
}

}  // namespace

Options parse_options(std::string_view cmdline) {
  Options options;
  const std::vector<std::string> argv = words(cmdline);
  for (size_t i = 1; i < argv.size(); ++i) {
    const std::string_view word = argv[i];
    const std::string_view next = i + 1 < argv.size() ? std::string_view(argv[i + 1]) : "";
    bool took_next = false;
    if (word.starts_with("--")) {
      took_next = apply_long(options, word.substr(2), next);
    } else if (word.starts_with('-')) {
      took_next = apply_short(options, word.substr(1), next);
    }
    if (took_next) ++i;
  }
  return options;
}

}  // namespace rtsweep::cyclictest
