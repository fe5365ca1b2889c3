// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/causes_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace rtsweep {
namespace {

using nlohmann::json;

// Counts by injected kind and named kind, the kinds in the order in which they come.
struct Matrix {
  std::vector<std::string> kinds;  // injected
  std::vector<std::string> named;
  std::map<std::pair<std::string, std::string>, size_t> counts;

  size_t at(const std::string& kind, const std::string& name) const {
    const auto found = counts.find({kind, name});
    return found == counts.end() ? 0 : found->second;
  }
};

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// What was named as it was injected stands on the diagonal, the rest to the right of it.
Matrix matrix_of(const std::vector<InjectionResult>& results) {
  Matrix matrix;
  for (const InjectionResult& result : results) add_once(matrix.kinds, result.kind);
  matrix.named = matrix.kinds;
  for (const InjectionResult& result : results) {
    for (const InjectedOutlier& one : result.injected) {
      add_once(matrix.named, one.named);
      ++matrix.counts[{one.kind, one.named}];
    }
  }
  return matrix;
}

std::string matrix_text(const Matrix& matrix) {
  std::string text = "| injected \\ named |";
  for (const std::string& name : matrix.named) text += " " + name + " |";
  text += "\n|---|";
  for (size_t i = 0; i < matrix.named.size(); ++i) text += "---:|";
  text += "\n";
  for (const std::string& kind : matrix.kinds) {
    text += "| " + kind + " |";
    for (const std::string& name : matrix.named) {
      const size_t count = matrix.at(kind, name);
      text += count == 0 ? " |" : fmt::format(" {} |", count);
    }
    text += "\n";
  }
  return text;
}

json json_of(const InjectedOutlier& one) {
  return {{"kind", one.kind},
          {"named", one.named},
          {"right", one.right},
          {"kernel", one.kernel},
          {"arch", one.arch},
          {"latency_us", one.latency_us},
          {"who", one.who},
          {"place_right", one.place_right},
          {"sum_us", static_cast<double>(one.sum_ns) / 1e3},
          {"sum_right", one.sum_right},
          {"headline", one.headline},
          {"trace", one.file}};
}

}  // namespace

std::string injection_result_text(const InjectionResult& result) {
  const auto right = std::ranges::count_if(result.injected, &InjectedOutlier::right);
  std::string text =
      fmt::format("{:<14} {:<8} {:<6} {:>3} delays {:>3} outliers {:>3} right", result.kind,
                  result.kernel, result.arch, result.made, result.injected.size(), right);
  if (result.natural > 0) text += fmt::format("  ({} at other times)", result.natural);
  text += "\n";
  if (!result.error.empty()) text += "  ERROR: " + result.error + "\n";
  for (const InjectedOutlier& one : result.injected) {
    if (!one.right) text += fmt::format("  {}: {}: {}\n", one.file, one.named, one.headline);
    if (!one.sum_right) {
      text += fmt::format("  {}: segments of {:.1f} us for {} us\n", one.file,
                          static_cast<double>(one.sum_ns) / 1e3, one.latency_us);
    }
  }
  return text;
}

std::string causes_text(const std::vector<InjectionResult>& results, const CausesSummary& summary) {
  std::string text = matrix_text(matrix_of(results)) + "\n";
  text += fmt::format(
      "{} of {} injected outliers named with kind and place: {:.1f} % (95 % interval {:.1f} to "
      "{:.1f} %)\n{} of {} sums within 2 us or 1 %\n",
      summary.right, summary.injected, summary.rate * 100, summary.rate_low * 100,
      summary.rate_high * 100, summary.sums_right, summary.injected);
  if (summary.errors > 0) text += fmt::format("{} VMs say nothing: ERROR\n", summary.errors);
  return text;
}

json causes_json(const std::vector<InjectionResult>& results, const CausesSummary& summary) {
  const Matrix matrix = matrix_of(results);
  json injected = json::array();
  json vms = json::array();
  json counts = json::object();
  for (const auto& [key, count] : matrix.counts) counts[key.first][key.second] = count;
  for (const InjectionResult& result : results) {
    for (const InjectedOutlier& one : result.injected) injected.push_back(json_of(one));
    vms.push_back({{"kind", result.kind},
                   {"kernel", result.kernel},
                   {"arch", result.arch},
                   {"delays", result.made},
                   {"outliers", result.injected.size()},
                   {"natural", result.natural},
                   {"error", result.error}});
  }
  return {{"injected", injected},
          {"vms", vms},
          {"matrix", counts},
          {"right", summary.right},
          {"rate", summary.rate},
          {"rate_interval", {summary.rate_low, summary.rate_high}},
          {"sums_right", summary.sums_right},
          {"good", summary.good}};
}

}  // namespace rtsweep
