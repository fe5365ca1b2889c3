// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/report/html.h"
#include "analysis/report/plain_text.h"

namespace rtsweep {
namespace {

// The mean width of a character of common sans-serif fonts, in parts of their size.
constexpr double kCharacter = 0.56;

std::string stroke_of(std::string_view colour) {
  return colour.empty() ? "" : fmt::format(R"( stroke="{}" stroke-width="0.7")", colour);
}

}  // namespace

SvgDrawing::SvgDrawing(double width, double height)
    : out_(fmt::format(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
          "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"DejaVu Sans, Verdana, Arial, "
          "sans-serif\">\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n",
          width, height)) {}

void SvgDrawing::rect(double x, double y, double width, double height, std::string_view fill,
                      std::string_view stroke) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"{}\"{}/>\n",
      x, y, width, height, fill, stroke_of(stroke));
}

void SvgDrawing::rect(double x, double y, double width, double height, std::string_view fill,
                      std::string_view stroke, std::string_view title) {
  out_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"{}\"{}><title>{}</title></rect>\n",
      x, y, width, height, fill, stroke_of(stroke), html_escaped(printable(title)));
}

void SvgDrawing::line(double x1, double y1, double x2, double y2, std::string_view colour,
                      double width, std::string_view dashes) {
  out_ += fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
      "stroke=\"{}\" stroke-width=\"{:.1f}\"{}/>\n",
      x1, y1, x2, y2, colour, width,
      dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
}

void SvgDrawing::path(std::string_view d, std::string_view colour, double width) {
  out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n", d,
                      colour, width);
}

void SvgDrawing::text(double x, double y, std::string_view words, const Text& how) {
  out_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.0f}\" text-anchor=\"{}\" "
      "fill=\"{}\"{}>{}</text>\n",
      x, y, how.size, how.anchor, how.colour, how.bold ? " font-weight=\"bold\"" : "",
      html_escaped(printable(words)));
}

double SvgDrawing::width_of(std::string_view words, double size) {
  return static_cast<double>(columns_of(printable(words))) * size * kCharacter;
}

std::string SvgDrawing::fitting(std::string_view words, double width, double size) {
  const auto most = static_cast<size_t>(std::max(0.0, width / (size * kCharacter)));
  const std::string safe = printable(words);
  if (columns_of(safe) <= most) return safe;
  return most < 6 ? "" : clip(safe, most);
}

double SvgDrawing::tick_step(double range, int most) {
  const double raw = range / std::max(1, most);
  const double power = std::pow(10.0, std::floor(std::log10(std::max(raw, 1e-9))));
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= raw) return times * power;
  }
  return 10 * power;
}

std::string SvgDrawing::take() && { return std::move(out_) + "</svg>\n"; }

}  // namespace rtsweep
