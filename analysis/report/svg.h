// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rtsweep {

// A drawing while it is made, in pixels from the top left corner. It stands on a white
// ground and asks for no font, style sheet or script, so that mail clients, wikis and
// converters show it alike. Every text is made safe; no control character comes through.
class SvgDrawing {
 public:
  SvgDrawing(double width, double height);

  struct Text {
    double size = 12;
    std::string_view anchor = "start";  // "middle", "end"
    std::string_view colour = "#1a1f26";
    bool bold = false;
  };

  void rect(double x, double y, double width, double height, std::string_view fill,
            std::string_view stroke = "");
  // The same with a tooltip.
  void rect(double x, double y, double width, double height, std::string_view fill,
            std::string_view stroke, std::string_view title);
  void line(double x1, double y1, double x2, double y2, std::string_view colour, double width = 1,
            std::string_view dashes = "");
  // "M1,2L3,4": as SVG's d attribute wants it.
  void path(std::string_view d, std::string_view colour, double width);
  void text(double x, double y, std::string_view words, const Text& how);

  // What fits into the width, cut with "..." at its end; empty when not even three
  // characters fit. Widths are estimated: there is no font here.
  static std::string fitting(std::string_view words, double width, double size);
  static double width_of(std::string_view words, double size);

  // A step of 1, 2 or 5 times a power of ten, so that `range` has at most `most` of them.
  static double tick_step(double range, int most);

  std::string take() &&;

 private:
  std::string out_;
};

}  // namespace rtsweep
