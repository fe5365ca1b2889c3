// SPDX-License-Identifier: GPL-2.0-or-later

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "analysis/trace/explain.h"
#include "analysis/trace/explanation_text.h"

// Whatever the bytes: explanations whose segments add up, or an error that names the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rtsweep;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto explanations = explain_text(text, "fuzz");
  if (!explanations) {
    if (!explanations.error().message().starts_with("fuzz:")) std::abort();
    return 0;
  }
  if (explanations->empty()) std::abort();
  for (const Explanation& one : *explanations) {
    int64_t sum = 0;
    for (const Segment& segment : one.segments) sum += segment.length_ns;
    if (!one.segments.empty() && sum != one.latency_ns) std::abort();
    explanation_text(one, {});
  }
  explanations_json(*explanations).dump();
  return 0;
}
