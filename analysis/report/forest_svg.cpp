// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/forest_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/svg.h"

namespace rtsweep {
namespace {

constexpr double kLabels = 330;
constexpr double kPlot = 300;
constexpr double kValues = 150;
constexpr double kRow = 24;
constexpr double kTop = 14;
constexpr double kAxis = 40;
constexpr std::string_view kSlower = "#b8360b";
constexpr std::string_view kFaster = "#0b7a55";
constexpr std::string_view kGrid = "#dfe3e8";
constexpr std::string_view kInk = "#1a1f26";

// Ratios that a reader knows; those within the range are marked.
constexpr double kTicks[] = {0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10};
constexpr double kLeastTickGap = 34;

class Axis {
 public:
  explicit Axis(const std::vector<statistics::Finding>& findings) {
    for (const auto& finding : findings) {
      lower_ = std::min(lower_, std::log(finding.interval.lower));
      upper_ = std::max(upper_, std::log(finding.interval.upper));
    }
    const double rim = 0.05 * (upper_ - lower_);
    lower_ -= rim;
    upper_ += rim;
  }

  double x(double ratio) const {
    return kLabels + kPlot * (std::log(ratio) - lower_) / (upper_ - lower_);
  }
  bool shows(double ratio) const { return std::log(ratio) >= lower_ && std::log(ratio) <= upper_; }

 private:
  double lower_ = std::log(0.9);
  double upper_ = std::log(1.1);
};

std::string label_of(const statistics::Finding& finding) {
  std::string text = fmt::format("{} {} over {}", finding.factor, finding.level, finding.baseline);
  if (finding.extent != statistics::Extent::kEverywhere) {
    text += fmt::format(", {} {}", finding.other_factor, finding.other_level);
  }
  return text;
}

void draw_axis(SvgDrawing& svg, const Axis& axis, double bottom) {
  double last = -1e9;
  for (const double tick : kTicks) {
    const double x = axis.x(tick);
    if (!axis.shows(tick) || (x - last < kLeastTickGap && tick != 1)) continue;
    svg.line(x, kTop, x, bottom, tick == 1 ? kInk : kGrid, 1);
    if (x - last >= kLeastTickGap) {
      svg.text(x, bottom + 15, fmt::format("{:g}", tick), {.size = 11, .anchor = "middle"});
      last = x;
    }
  }
  svg.text(kLabels + kPlot / 2, bottom + 32, "typical worst interval, ratio (log)",
           {.size = 11, .anchor = "middle", .colour = "#5b6572"});
}

void draw_row(SvgDrawing& svg, const Axis& axis, const statistics::Finding& finding, double y) {
  const std::string_view colour = finding.ratio >= 1 ? kSlower : kFaster;
  svg.text(kLabels - 12, y + 4, SvgDrawing::fitting(label_of(finding), kLabels - 20, 12),
           {.size = 12, .anchor = "end"});
  svg.line(axis.x(finding.interval.lower), y, axis.x(finding.interval.upper), y, colour, 2);
  for (const double end : {finding.interval.lower, finding.interval.upper}) {
    svg.line(axis.x(end), y - 4, axis.x(end), y + 4, colour, 2);
  }
  svg.rect(axis.x(finding.ratio) - 4, y - 4, 8, 8, colour);
  svg.text(kLabels + kPlot + 12, y + 4,
           fmt::format("{:.2f} [{:.2f}, {:.2f}]", finding.ratio, finding.interval.lower,
                       finding.interval.upper),
           {.size = 12});
}

}  // namespace

std::string forest_svg(const std::vector<statistics::Finding>& findings) {
  if (findings.empty()) return "";
  const double bottom = kTop + kRow * static_cast<double>(findings.size());
  SvgDrawing svg(kLabels + kPlot + kValues, bottom + kAxis);
  const Axis axis(findings);
  draw_axis(svg, axis, bottom);
  for (size_t i = 0; i < findings.size(); ++i) {
    draw_row(svg, axis, findings[i], kTop + kRow * (static_cast<double>(i) + 0.5));
  }
  return std::move(svg).take();
}

}  // namespace rtsweep
