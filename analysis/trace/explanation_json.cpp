// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/explanation_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace rtsweep {
namespace {

using Json = nlohmann::json;

// Past 2^53 ns a double no longer holds whole nanoseconds, and no trace clock gets there.
constexpr double kMostUs = 9e12;

int64_t ns_of(const Json& us) {
  const auto value = us.get<double>();
  return std::isfinite(value) && std::abs(value) < kMostUs ? std::llround(value * 1e3) : 0;
}

SegmentKind kind_of(const std::string& code) {
  for (int i = 0; i <= static_cast<int>(SegmentKind::kNotVisible); ++i) {
    const auto kind = static_cast<SegmentKind>(i);
    if (segment_code(kind) == code) return kind;
  }
  return SegmentKind::kNotVisible;
}

Conclusion conclusion_of(const std::string& code) {
  for (const Conclusion one : {Conclusion::kExplained, Conclusion::kUnknown}) {
    if (conclusion_code(one) == code) return one;
  }
  return Conclusion::kNotProvable;
}

Segment segment_of(const Json& json) {
  return {.kind = kind_of(json.at("kind").get<std::string>()),
          .begin_ns = ns_of(json.at("begin_us")),
          .length_ns = ns_of(json.at("length_us")),
          .cpu = json.value("cpu", -1),
          .who = json.value("who", ""),
          .detail = json.value("detail", ""),
          .line = json.value("line", size_t{0})};
}

Explanation explanation_of(const Json& json) {
  Explanation one{.source = json.value("source", ""),
                  .subject = json.value("subject", ""),
                  .conclusion = conclusion_of(json.value("conclusion", "")),
                  .headline = json.at("headline").get<std::string>(),
                  .latency_of = json.value("latency_of", ""),
                  .notes = json.value("notes", std::vector<std::string>()),
                  .next = json.value("next", std::vector<std::string>())};
  if (json.contains("latency_us")) one.latency_ns = ns_of(json["latency_us"]);
  if (json.contains("cause")) {
    one.cause = kind_of(json["cause"].value("kind", ""));
    one.cause_who = json["cause"].value("who", "");
  }
  for (const Json& segment : json.value("segments", Json::array())) {
    one.segments.push_back(segment_of(segment));
  }
  for (const Json& line : json.value("evidence", Json::array())) {
    one.evidence.push_back({line.value("line", size_t{0}), line.value("text", "")});
  }
  return one;
}

}  // namespace

Result<std::vector<Explanation>> parse_explanations(std::string_view json) {
  std::vector<Explanation> explanations;
  try {
    const Json all = Json::parse(json);
    for (const Json& one : all.is_array() ? all : all.at("explanations")) {
      explanations.push_back(explanation_of(one));
    }
  } catch (const Json::exception& wrong) {
    return Error(Errc::kBadData, std::string("explanations: ") + wrong.what());
  }
  return explanations;
}

}  // namespace rtsweep
