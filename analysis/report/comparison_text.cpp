// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/report/comparison.h"
#include "analysis/report/text_page.h"
#include "analysis/report/text_table.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

using statistics::Answer;

std::string in_capitals(Answer answer) {
  switch (answer) {
    case Answer::kRegression:
      return "REGRESSION";
    case Answer::kWorseWithinMargin:
      return "worse within margin";
    case Answer::kNoRegression:
      return "no regression";
    case Answer::kUnclear:
      break;
  }
  return "UNCLEAR";
}

std::string headline(const RunComparison& comparison) {
  const Answer answer = comparison.answer();
  const size_t cells = comparison.cells.size();
  if (answer == Answer::kNoRegression) {
    return cells == 1 ? "No regression" : fmt::format("No regression in {} cells", cells);
  }
  std::string text = answer == Answer::kRegression ? "Regression"
                     : answer == Answer::kUnclear  ? "Unclear"
                                                   : "Worse, within the margin";
  if (cells > 1) text += fmt::format(" in {} of {} cells", comparison.count(answer), cells);
  return text;
}

std::string levels_text(const Cell& levels) {
  std::vector<std::string> parts;
  for (const auto& [factor, level] : levels) parts.push_back(factor + " " + level);
  return join(parts, ", ");
}

void write_side(TextPage& page, std::string_view name, const ComparedSide& side) {
  std::string text = side.run;
  if (!side.levels.empty()) text += ": " + levels_text(side.levels);
  text += fmt::format(", {} trial{}", side.usable, side.usable == 1 ? "" : "s");
  if (side.unusable > 0) text += fmt::format(" ({} more not usable)", side.unusable);
  page.field(name, printable(text));
}

// Only the factors in which the compared cells differ; both clocks when both occur.
class CellNames {
 public:
  explicit CellNames(const RunComparison& comparison) {
    std::map<std::string, std::set<std::string>> levels;
    std::set<bool> clocks;
    for (const ComparedCell& cell : comparison.cells) {
      clocks.insert(cell.virtual_clock);
      for (const auto& [factor, level] : cell.cell) levels[factor].insert(level);
    }
    for (const auto& [factor, of_factor] : levels) {
      if (of_factor.size() > 1) factors_.push_back(factor);
    }
    both_clocks_ = clocks.size() > 1;
  }

  std::string of(const ComparedCell& cell) const {
    std::vector<std::string> parts;
    for (const std::string& factor : factors_) {
      if (const auto level = cell.cell.find(factor); level != cell.cell.end()) {
        parts.push_back(level->second);
      }
    }
    if (both_clocks_) parts.emplace_back(cell.virtual_clock ? "virtual time" : "real time");
    return parts.empty() ? "all" : printable(join(parts, " "));
  }

 private:
  std::vector<std::string> factors_;
  bool both_clocks_ = false;
};

std::string change(const statistics::Endpoint& endpoint) {
  const auto percent = [](double ratio) { return (ratio - 1) * 100; };
  if (std::isnan(endpoint.ratio.log_ratio)) return "-";
  if (std::isinf(endpoint.interval.upper)) {
    return fmt::format("{:+.0f} % [?]", percent(endpoint.ratio.ratio()));
  }
  return fmt::format("{:+.0f} % [{:+.0f}, {:+.0f}]", percent(endpoint.ratio.ratio()),
                     percent(endpoint.interval.lower), percent(endpoint.interval.upper));
}

void write_table(TextPage& page, const RunComparison& comparison, const CellNames& names) {
  TextTable table({"cell", "typical worst", "run maximum", "answer"}, 1);
  for (const ComparedCell& cell : comparison.cells) {
    table.add({names.of(cell), change(cell.result.typical_worst), change(cell.result.run_maximum),
               in_capitals(cell.result.answer)});
  }
  page.lines(table.lines(TextPage::kWidth, 2));
  page.line();
  page.wrapped(
      "Change of the new side against the old, with its 90 % interval ([?]: too few trials to "
      "know).",
      2, "  ");
}

// Cells of which the same is said share a sentence.
void write_sentences(TextPage& page, const RunComparison& comparison, const CellNames& names) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences;
  for (const ComparedCell& cell : comparison.cells) {
    const auto same = std::find_if(sentences.begin(), sentences.end(), [&](const auto& sentence) {
      return sentence.first == cell.sentence;
    });
    if (same == sentences.end()) {
      sentences.push_back({cell.sentence, {names.of(cell)}});
    } else {
      same->second.push_back(names.of(cell));
    }
  }
  for (const auto& [sentence, cells] : sentences) {
    page.line();
    page.wrapped(join(cells, ", ") + ": " + sentence, 2);
  }
}

void write_missing(TextPage& page, std::string_view side, const std::vector<Cell>& cells) {
  if (cells.empty()) return;
  std::vector<std::string> names;
  for (const Cell& cell : cells) names.push_back(levels_text(cell));
  page.line();
  page.wrapped(
      printable(fmt::format("Only on the {} side, not compared: {}.", side, join(names, "; "))));
}

void write_assumptions(TextPage& page, const RunComparison& comparison) {
  const auto& rules = comparison.rules;
  page.line();
  page.wrapped(fmt::format(
      "A false \"regression\" anywhere in this table: at most {:g} % of comparisons of unchanged "
      "kernels, by t tests on logarithms with the trial as the unit, Holm over the cells. "
      "\"Typical worst\" is the mean logarithm of the maxima of intervals, from the histogram. "
      "Margins: {:.0f} % and {:.0f} %.",
      rules.alpha * 100, (rules.typical_margin - 1) * 100, (rules.maximum_margin - 1) * 100));
}

}  // namespace

std::string render_comparison_text(const RunComparison& comparison) {
  TextPage page;
  page.heading(headline(comparison), '=');
  page.line();
  write_side(page, "Old", comparison.old_side);
  write_side(page, "New", comparison.new_side);
  page.line();
  const CellNames names(comparison);
  write_table(page, comparison, names);
  write_sentences(page, comparison, names);
  write_missing(page, "old", comparison.only_old);
  write_missing(page, "new", comparison.only_new);
  write_assumptions(page, comparison);
  return page.take();
}

}  // namespace rtsweep
