// SPDX-License-Identifier: GPL-2.0-or-later

// A condition as a tree, between its parser and its evaluation.

#pragma once

#include <string>
#include <vector>

#include "analysis/rule_condition.h"

namespace rtsweep {

enum class Subject { kConfig, kCmdline, kFact, kLog, kArch, kKernel };
enum class Comparison { kPresent, kEqual, kUnequal, kLess, kLessEqual, kMore, kMoreEqual, kHas };

// One question to the view: "CONFIG_HZ <= 100".
struct Question {
  Subject subject = Subject::kConfig;
  std::string name;  // of the option, parameter or fact; the pattern of a log line
  Comparison comparison = Comparison::kPresent;
  std::string value;
};

struct Condition::Node {
  enum class Kind { kQuestion, kAnd, kOr, kNot, kKnown, kSurely };

  Kind kind = Kind::kQuestion;
  Question question;
  std::vector<Node> parts;
};

Judgement answer(const Question& question, const SystemView& view, const ConfigDefaults& defaults);

}  // namespace rtsweep
