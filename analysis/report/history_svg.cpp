// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/history_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/svg.h"

namespace rtsweep {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 300;
constexpr double kLeft = 64;
constexpr double kRight = 20;
constexpr double kTop = 44;
constexpr double kBottom = 46;
constexpr std::string_view kTypical = "#0072b2";
constexpr std::string_view kMaximum = "#d55e00";
constexpr std::string_view kChange = "#b8360b";
constexpr std::string_view kGrid = "#dfe3e8";
constexpr std::string_view kSoft = "#5b6572";

class Plane {
 public:
  explicit Plane(const std::vector<CellOfRun>& runs) : runs_(runs.size()) {
    lower_ = upper_ = runs.front().typical_worst;
    for (const CellOfRun& run : runs) {
      lower_ = std::min({lower_, run.typical_worst, run.run_maximum});
      upper_ = std::max({upper_, run.typical_worst, run.run_maximum});
    }
    // Runs that hardly differ shall not look as if they did.
    const double rim = std::max(0.05 * (upper_ - lower_), std::log(1.1));
    lower_ -= rim;
    upper_ += rim;
  }

  double x(double run) const {
    const double steps = std::max<double>(1, static_cast<double>(runs_) - 1);
    return kLeft + 8 + (kWidth - kLeft - kRight - 16) * run / steps;
  }
  double y(double log_us) const {
    return kTop + (kHeight - kTop - kBottom) * (upper_ - log_us) / (upper_ - lower_);
  }
  double range() const { return upper_ - lower_; }
  bool shows(double log_us) const { return log_us >= lower_ && log_us <= upper_; }

 private:
  size_t runs_;
  double lower_, upper_;
};

void draw_axes(SvgDrawing& svg, const Plane& plane, const std::vector<CellOfRun>& runs) {
  double last = 1e9;
  const auto tick = [&](double us) {
    const double y = plane.y(std::log(us));
    if (!plane.shows(std::log(us)) || last - y < 22) return;
    last = y;
    svg.line(kLeft, y, kWidth - kRight, y, kGrid);
    svg.text(kLeft - 8, y + 4, fmt::format("{:.6g}", us), {.size = 11, .anchor = "end"});
  };
  // A narrow range may lie between two round numbers: ticks around the last run's value then.
  const double own = std::round(std::exp(runs.back().typical_worst));
  const bool narrow = plane.range() < std::log(2);
  for (double decade = 1; decade <= 1e7 && !narrow; decade *= 10) {
    for (const double step : {1.0, 1.5, 2.0, 3.0, 5.0, 7.0}) tick(decade * step);
  }
  if (narrow) {
    for (const double ratio : {0.8, 0.9, 1.0, 1.1, 1.25}) tick(std::round(own * ratio));
  }
  svg.text(8, kTop - 6, "us", {.size = 11, .colour = kSoft});
  const double bottom = kHeight - kBottom + 18;
  svg.text(kLeft, bottom, runs.front().started.substr(0, 10), {.size = 11, .colour = kSoft});
  svg.text(kWidth - kRight, bottom, runs.back().started.substr(0, 10),
           {.size = 11, .anchor = "end", .colour = kSoft});
}

void draw_legend(SvgDrawing& svg) {
  const double y = kHeight - 12;
  svg.line(kLeft, y - 4, kLeft + 22, y - 4, kTypical, 2);
  svg.text(kLeft + 28, y, "typical worst interval", {.size = 11});
  svg.rect(kLeft + 190, y - 7, 6, 6, kMaximum);
  svg.text(kLeft + 202, y, "run maximum", {.size = 11});
  svg.line(kLeft + 310, y - 4, kLeft + 332, y - 4, kChange, 1.5, "5,4");
  svg.text(kLeft + 338, y, "a change began", {.size = 11});
}

}  // namespace

std::string history_svg(const CellHistory& history, const std::string& title) {
  SvgDrawing svg(kWidth, kHeight);
  svg.text(kLeft, 20, SvgDrawing::fitting(title, kWidth - kLeft - kRight, 14),
           {.size = 14, .bold = true});
  if (history.runs.empty()) return std::move(svg).take();
  const Plane plane(history.runs);
  draw_axes(svg, plane, history.runs);
  for (const HistoryChange& change : history.changes) {
    const double x = plane.x(static_cast<double>(change.since) - 0.5);
    svg.line(x, kTop, x, kHeight - kBottom, kChange, 1.5, "5,4");
    svg.text(x + 4, kTop + 11,
             fmt::format("{:+.0f} % {}", 100 * (change.ratio - 1),
                         change.statistic == "run maximum" ? "max" : "typical"),
             {.size = 11, .colour = kChange});
  }
  std::string path;
  for (size_t i = 0; i < history.runs.size(); ++i) {
    const CellOfRun& run = history.runs[i];
    const double x = plane.x(static_cast<double>(i));
    path += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "M" : "L", x, plane.y(run.typical_worst));
    svg.rect(x - 3, plane.y(run.run_maximum) - 3, 6, 6, kMaximum, "",
             fmt::format("{} {}: {} us", run.started, run.run, run.max_us));
  }
  svg.path(path, kTypical, 2);
  draw_legend(svg);
  return std::move(svg).take();
}

}  // namespace rtsweep
