// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/html_timelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/report/html.h"

namespace rtsweep {
namespace {

// What a page may hold of them, so that it opens at once whatever the run.
constexpr size_t kMostTimelines = 12;
constexpr size_t kMostBytes = 256 << 10;

struct Candidate {
  TimelineKey key;
  int64_t latency_us = 0;
  const TimelinePicture* picture = nullptr;
};

std::vector<Candidate> candidates_of(const RunReport& report) {
  std::vector<Candidate> candidates;
  for (const TrialResult& trial : report.trials) {
    const size_t known = std::min(trial.timelines.size(), trial.outliers.size());
    for (size_t i = 0; i < known; ++i) {
      if (!trial.timelines[i] || trial.timelines[i]->rows.empty()) continue;
      candidates.push_back({{trial.id, i}, trial.outliers[i].latency_us, &*trial.timelines[i]});
    }
  }
  std::ranges::stable_sort(candidates, std::ranges::greater(), &Candidate::latency_us);
  return candidates;
}

}  // namespace

ShownTimelines shown_timelines(const RunReport& report) {
  ShownTimelines shown;
  std::string list;
  for (const Candidate& one : candidates_of(report)) {
    const std::string text =
        fmt::format(R"({{"trial":{},"outlier":{},"picture":{}}})", one.key.first, one.key.second,
                    timeline_json(*one.picture));
    if (shown.keys.size() == kMostTimelines) break;
    if (list.size() + text.size() > kMostBytes) continue;
    list += (list.empty() ? "" : ",") + text;
    shown.keys.insert(one.key);
  }
  shown.json = "[" + list + "]";
  return shown;
}

std::string timelines_html(const TrialResult& trial, const std::set<TimelineKey>& shown) {
  std::string html;
  for (size_t i = 0; i < trial.outliers.size(); ++i) {
    if (!shown.contains({trial.id, i})) continue;
    const OutlierResult& outlier = trial.outliers[i];
    html += fmt::format(
        "<figure class=outlier><figcaption>Outlier of {} on CPU {}{}{}</figcaption>"
        "<div data-timeline={}></div></figure>\n",
        html_us(outlier.latency_us), outlier.cpu, outlier.cause.empty() ? "" : ": ",
        html_escaped(outlier.cause), i);
  }
  return html;
}

}  // namespace rtsweep
