// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analysis/report/cells.h"
#include "analysis/report/pictures.h"
#include "analysis/report/svg.h"
#include "analysis/report/wording.h"

namespace rtsweep {
namespace {

constexpr double kWidth = 800, kPlotHeight = 300, kLeft = 78, kRight = 24, kTop = 62;
constexpr std::string_view kSoft = "#5b6572", kGrid = "#e3e7ec", kLimit = "#b8360b";
constexpr auto kColours = std::to_array<std::string_view>(
    {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00", "#56b4e9", "#5b4bb5", "#525a63"});
constexpr size_t kMostLines = 16;  // more CPUs than that are drawn as one

// The CPUs with samples; all in one where they are too many to be told apart.
std::vector<CpuResult> lines_of(const TrialResult& trial) {
  std::vector<CpuResult> lines;
  for (const CpuResult& cpu : trial.cpus) {
    if (cpu.histogram.counted() > 0) lines.push_back(cpu);
  }
  if (lines.size() <= kMostLines) return lines;
  CpuResult all{.max_us = trial.max_us(), .histogram = trial.merged()};
  return {all};
}

class HistogramPlot {
 public:
  HistogramPlot(const TrialResult& trial, std::string_view title)
      : trial_(trial),
        title_(title),
        lines_(lines_of(trial)),
        rows_((lines_.size() + 1) / 2),
        drawing_(kWidth, bottom() + 62 + 17 * static_cast<double>(rows_)) {
    for (const CpuResult& line : lines_) {
      for (const auto& [latency, times] : line.histogram.counts()) {
        highest_us_ = std::max(highest_us_, static_cast<double>(latency.count()));
        most_ = std::max(most_, static_cast<double>(times));
      }
    }
    if (trial_.limit_us) highest_us_ = std::max(highest_us_, static_cast<double>(*trial_.limit_us));
    highest_us_ = std::max(highest_us_ * 1.05, 10.0);
    decades_ = std::max(1.0, std::ceil(std::log10(most_ * 1.2)));
  }

  bool is_empty() const { return lines_.empty(); }

  std::string draw() && {
    head();
    axes();
    limit();
    for (size_t i = 0; i < lines_.size(); ++i) line(lines_[i], i);
    legend();
    return std::move(drawing_).take();
  }

 private:
  static double bottom() { return kTop + kPlotHeight; }
  double x(double us) const { return kLeft + us / highest_us_ * (kWidth - kLeft - kRight); }
  // Half a sample is the ground: one sample is then a line of its own.
  double y(double count) const {
    const double low = std::log10(0.5);
    const double part = (std::log10(std::max(count, 0.5)) - low) / (decades_ - low);
    return bottom() - part * kPlotHeight;
  }

  void head() {
    drawing_.text(kLeft, 26, SvgDrawing::fitting(title_, kWidth - kLeft - kRight, 16),
                  {.size = 16, .bold = true});
    const std::string what =
        fmt::format("Wakeup latency, {} samples, maximum {} us, {} time", grouped(trial_.samples()),
                    us_text(trial_.max_us()), trial_.virtual_clock ? "virtual" : "real");
    drawing_.text(kLeft, 46, what, {.size = 12, .colour = kSoft});
  }

  void axes() {
    for (double decade = 0; decade <= decades_; ++decade) {
      const double count = std::pow(10.0, decade);
      drawing_.line(kLeft, y(count), kWidth - kRight, y(count), kGrid);
      drawing_.text(kLeft - 8, y(count) + 4, grouped(static_cast<uint64_t>(count)),
                    {.size = 11, .anchor = "end", .colour = kSoft});
    }
    const double step = SvgDrawing::tick_step(highest_us_, 10);
    for (double us = 0; us <= highest_us_; us += step) {
      drawing_.line(x(us), bottom(), x(us), bottom() + 5, kSoft);
      drawing_.text(x(us), bottom() + 19, fmt::format("{:g}", us),
                    {.size = 11, .anchor = "middle", .colour = kSoft});
    }
    drawing_.line(kLeft, bottom(), kWidth - kRight, bottom(), kSoft);
    drawing_.text((kLeft + kWidth - kRight) / 2, bottom() + 37, "latency in us",
                  {.size = 12, .anchor = "middle"});
    drawing_.text(kLeft - 8, kTop - 8, "samples", {.size = 12, .anchor = "end"});
  }

  void limit() {
    if (!trial_.limit_us) return;
    const double at = x(static_cast<double>(*trial_.limit_us));
    drawing_.line(at, kTop, at, bottom(), kLimit, 1.5, "6 4");
    drawing_.text(at - 5, kTop + 12, fmt::format("limit {} us", *trial_.limit_us),
                  {.size = 11, .anchor = "end", .colour = kLimit});
  }

  // Steps of one microsecond; down to the ground where a bucket is empty.
  void line(const CpuResult& cpu, size_t index) {
    std::string d;
    int64_t before = -2;
    for (const auto& [latency, times] : cpu.histogram.counts()) {
      const int64_t us = latency.count();
      const double height = y(static_cast<double>(times));
      if (us != before + 1) {
        if (before >= 0) d += fmt::format("V{:.1f}", bottom());
        d += fmt::format("M{:.1f},{:.1f}", x(static_cast<double>(us)), bottom());
      }
      d += fmt::format("V{:.1f}H{:.1f}", height, x(static_cast<double>(us + 1)));
      before = us;
    }
    d += fmt::format("V{:.1f}", bottom());
    drawing_.path(d, kColours[index % kColours.size()], 1.4);
  }

  static std::string label_of(const CpuResult& cpu) {
    std::string label = cpu.cpu < 0 ? "all CPUs" : fmt::format("CPU {}", cpu.cpu);
    label += fmt::format(": max {} us", us_text(cpu.max_us));
    const auto p999 = numbers_of(cpu).quantile_us(999'000);
    if (p999) label += fmt::format(", p99.9 {} us", *p999);
    if (cpu.histogram.overflows() > 0) {
      label += fmt::format(", {} past {} us", grouped(cpu.histogram.overflows()),
                           cpu.histogram.limit().count());
    }
    return label;
  }

  // In two columns.
  void legend() {
    for (size_t i = 0; i < lines_.size(); ++i) {
      const double left = kLeft + (i < rows_ ? 0 : (kWidth - kLeft) / 2);
      const double middle = bottom() + 58 + 17 * static_cast<double>(i < rows_ ? i : i - rows_);
      drawing_.line(left, middle, left + 22, middle, kColours[i % kColours.size()], 3);
      drawing_.text(left + 29, middle + 4,
                    SvgDrawing::fitting(label_of(lines_[i]), (kWidth - kLeft) / 2 - 40, 11),
                    {.size = 11});
    }
  }

  const TrialResult& trial_;
  std::string_view title_;
  std::vector<CpuResult> lines_;
  size_t rows_;
  SvgDrawing drawing_;
  double highest_us_ = 0, most_ = 1, decades_ = 1;
};

}  // namespace

std::string histogram_svg(const TrialResult& trial, std::string_view title) {
  HistogramPlot plot(trial, title);
  return plot.is_empty() ? "" : std::move(plot).draw();
}

}  // namespace rtsweep
