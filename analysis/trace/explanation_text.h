// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "analysis/trace/explanation.h"

namespace rtsweep {

struct ExplanationTextOptions {
  size_t width = 80;     // characters in a line, 60 at least
  bool colours = false;  // of a terminal
  bool verbose = false;  // every segment and every line of evidence
};

// For people: the conclusion in one sentence, the timeline, the evidence, what limits the
// finding and what to trace next. No control character of the input comes through.
std::string explanation_text(const Explanation& explanation, const ExplanationTextOptions& options);

// For programs: schema, explanations[] (source, subject, conclusion, headline, latency_us,
// latency_of, cause, segments[] ...).
nlohmann::json explanations_json(std::span<const Explanation> explanations);

}  // namespace rtsweep
