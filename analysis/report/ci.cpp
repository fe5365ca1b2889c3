// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/ci.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/plain_text.h"
#include "analysis/report/wording.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

// Not isalnum(): the locale has no say in an identifier.
bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

std::string load_of(const Cell& cell) {
  const auto load = cell.find("load");
  return load == cell.end() || load->second.empty() ? "no load" : load->second;
}

std::string id_of(const ReportCells& cells, const TrialResult& trial) {
  return fmt::format("{:03}_{}_{}_r{}", trial.id, slug(cells.configuration(trial.cell)),
                     slug(load_of(trial.cell)), trial.repetition);
}

std::string numbers_text(const TrialResult& trial) {
  std::string text =
      fmt::format("maximum {} us of {} samples", us_text(trial.max_us()), grouped(trial.samples()));
  if (trial.limit_us) text += fmt::format(" (limit {} us)", *trial.limit_us);
  return text;
}

std::string summary_of(const TrialResult& trial) {
  if (trial.usable()) return numbers_text(trial);
  const auto worst =
      std::ranges::max_element(trial.reasons, {}, [](const Reason& r) { return r.severity; });
  if (worst == trial.reasons.end()) return "no result";
  return printable(worst->code + ": " + worst->text);
}

std::string details_of(const TrialResult& trial) {
  std::vector<std::string> lines;
  for (const Reason& reason : trial.reasons) {
    lines.push_back(printable(reason.code + ": " + reason.text));
  }
  return join(lines, "\n");
}

}  // namespace

CiCase ci_case_of(const ReportCells& cells, const TrialResult& trial) {
  return {
      .group = printable(cells.configuration(trial.cell)),
      .name = printable(fmt::format("{}, repetition {}", load_of(trial.cell), trial.repetition)),
      .id = id_of(cells, trial),
      .summary = summary_of(trial),
      .details = details_of(trial)};
}

std::string incomplete_text(const RunReport& report) {
  if (static_cast<int>(report.trials.size()) >= report.planned) return "";
  return fmt::format("{} of {} planned trials were measured", report.trials.size(), report.planned);
}

std::optional<int64_t> ci_maximum_us(const TrialResult& trial) {
  return trial.usable() ? trial.max_us() : std::nullopt;
}

std::string slug(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return !is_word_char(c); }, '_');
  return out.empty() ? "unnamed" : out;
}

bool is_utc_time(std::string_view text) {
  static constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  return text.size() == kShape.size() &&
         std::equal(text.begin(), text.end(), kShape.begin(), [](char c, char shape) {
           return shape == '0' ? c >= '0' && c <= '9' : c == shape;
         });
}

}  // namespace rtsweep
