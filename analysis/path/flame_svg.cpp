// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/flame_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/report/svg.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr double kWidth = 1200;
constexpr double kRow = 18;
constexpr double kMargin = 10;
constexpr double kTitle = 34;
constexpr double kNarrowest = 0.5;
constexpr std::array<const char*, 4> kColours = {"#f4b183", "#f7c59f", "#efa46f", "#f9d5b6"};

struct Flame {
  int64_t total = 0;
  std::map<std::string, Flame> called;
};

Flame tree(const std::map<std::string, int64_t>& stacks) {
  Flame root;
  for (const auto& [stack, insns] : stacks) {
    root.total += insns;
    Flame* at = &root;
    for (const std::string& function : split(stack, ';')) {
      at = &at->called[function.empty() ? "[unknown]" : function];
      at->total += insns;
    }
  }
  return root;
}

size_t depth(const Flame& flame) {
  size_t deepest = 0;
  for (const auto& [name, called] : flame.called) deepest = std::max(deepest, depth(called) + 1);
  return deepest;
}

const char* colour(const std::string& name) {
  size_t sum = 0;
  for (const char c : name) sum += static_cast<unsigned char>(c);
  return kColours[sum % kColours.size()];
}

class Drawer {
 public:
  Drawer(SvgDrawing& drawing, double bottom, int64_t all)
      : drawing_(drawing), bottom_(bottom), all_(std::max<int64_t>(1, all)) {}

  void draw(const Flame& flame, double x, size_t level) {
    for (const auto& [name, called] : flame.called) {
      const double width = (kWidth - 2 * kMargin) * static_cast<double>(called.total) / all_;
      if (width >= kNarrowest) {
        box(name, called.total, x, width, level);
        draw(called, x, level + 1);
      }
      x += width;
    }
  }

 private:
  void box(const std::string& name, int64_t total, double x, double width, size_t level) {
    const double y = bottom_ - static_cast<double>(level + 1) * kRow;
    drawing_.rect(x, y, width, kRow - 1, colour(name), "",
                  fmt::format("{}: {} instructions, {:.1f} %", name, total, 100.0 * total / all_));
    const std::string words = SvgDrawing::fitting(name, width - 6, 11);
    if (!words.empty()) drawing_.text(x + 3, y + kRow - 5, words, {.size = 11});
  }

  SvgDrawing& drawing_;
  double bottom_;
  int64_t all_;
};

}  // namespace

std::string flame_svg(const std::string& title, const std::map<std::string, int64_t>& stacks) {
  const Flame root = tree(stacks);
  const double height = kTitle + static_cast<double>(depth(root)) * kRow + kMargin;
  SvgDrawing drawing(kWidth, height);
  drawing.text(kMargin, 22, title, {.size = 14, .bold = true});
  Drawer(drawing, height - kMargin, root.total).draw(root, kMargin, 0);
  return std::move(drawing).take();
}

}  // namespace rtsweep
