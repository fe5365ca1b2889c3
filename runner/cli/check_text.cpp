// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kMostEvidence = 8;  // lines below one finding, without -v
constexpr size_t kLabelWidth = 6;    // "  why   "
constexpr size_t kWidestText = 100;  // longer lines are hard to read

struct Group {
  Severity severity;
  std::string_view heading;
  std::string_view colour;
};
constexpr std::array<Group, 3> kGroups = {
    {{Severity::kInvalid, "INVALID: a measurement here must not be used", "\x1b[1;31m"},
     {Severity::kWarning, "WARNINGS: a measurement here says less than it seems to", "\x1b[1;33m"},
     {Severity::kNote, "NOTES: to be known when results are compared", "\x1b[1;36m"}}};

std::string plural(size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// Control characters of a foreign log must not reach a terminal.
std::string printable(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    safe += byte < ' ' || byte == 0x7f ? ' ' : c;
  }
  return safe;
}

class TextPage {
 public:
  TextPage(const CheckTextOptions& options) : options_(options) {}

  void heading(std::string_view text, std::string_view colour) {
    page_ += options_.colours ? fmt::format("\n{}{}\x1b[0m\n", colour, text)
                              : fmt::format("\n{}\n", text);
  }

  void name(std::string_view text) {
    page_ += options_.colours ? fmt::format("\n  \x1b[1m{}\x1b[0m\n", text)
                              : fmt::format("\n  {}\n", text);
  }

  // Words behind a label, further lines below the first word.
  void paragraph(std::string_view label, std::string_view text, size_t indent) {
    const size_t margin = indent + (label.empty() ? 0 : kLabelWidth);
    const size_t width = std::min(std::max<size_t>(options_.width, margin + 20), kWidestText);
    std::string line = std::string(indent, ' ') + std::string(label);
    line.resize(std::max(line.size(), margin), ' ');
    bool empty = true;
    for (const std::string& word : words(text)) {
      if (!empty && line.size() + 1 + word.size() > width) {
        page_ += line + "\n";
        line.assign(margin, ' ');
        empty = true;
      }
      line += (empty ? "" : " ") + word;
      empty = false;
    }
    page_ += line + "\n";
  }

  void blank() { page_ += "\n"; }
  std::string take() { return std::move(page_); }

 private:
  const CheckTextOptions& options_;
  std::string page_;
};

// "config:12: CONFIG_KASAN=y"
std::string place_of(const Evidence& one) {
  std::string place = one.source;
  if (one.line > 0) place += fmt::format(":{}", one.line);
  if (place.empty()) return printable(one.text);
  return printable(fmt::format("{}: {}", place, one.text));
}

void add_finding(TextPage& page, const RtFinding& finding, bool verbose) {
  const RtRule& rule = *finding.rule;
  page.name(rule.code);
  page.paragraph("", rule.text, 4);
  const size_t shown =
      verbose ? finding.where.size() : std::min(finding.where.size(), kMostEvidence);
  for (size_t i = 0; i < shown; ++i) page.paragraph("", place_of(finding.where[i]), 6);
  if (shown < finding.where.size()) {
    page.paragraph("", fmt::format("and {} more (-v)", finding.where.size() - shown), 6);
  }
  page.paragraph("why", rule.why, 4);
  page.paragraph("fix", rule.fix, 4);
  page.paragraph("see", rule.source, 4);
}

std::string described(const SystemView& view) {
  std::vector<std::string> parts;
  if (!view.kernel_version.empty()) parts.push_back("Linux " + view.kernel_version);
  if (!view.arch.empty()) parts.push_back(view.arch);
  const auto flavour = view.observed.find("flavour");
  if (flavour != view.observed.end() && !flavour->second.empty()) {
    static const std::map<std::string, std::string> kWords = {{"rt", "PREEMPT_RT"},
                                                              {"cobalt", "Xenomai/Cobalt"},
                                                              {"evl", "EVL (Xenomai 4)"},
                                                              {"plain", "not real-time"}};
    parts.push_back(kWords.at(flavour->second.front().value));
  }
  if (view.config) parts.push_back(fmt::format("{} config", config_kind_name(view.config->kind)));
  return join(parts, ", ");
}

// What is missing, by how many rules need it; options one by one would be too many.
std::string missing_text(const CheckResult& result) {
  std::map<std::string, size_t> rules;
  for (const UnknownRule& unknown : result.unknown) {
    std::set<std::string> needs;
    for (const std::string& need : unknown.missing) {
      const bool option = need.starts_with("CONFIG_");
      needs.insert(option ? "options that the config leaves open"
                          : need.substr(0, need.find(" (")));
    }
    for (const std::string& need : needs) ++rules[need];
  }
  std::vector<std::pair<size_t, std::string>> sorted;
  for (const auto& [need, count] : rules) sorted.emplace_back(count, need);
  std::ranges::sort(sorted, std::greater());
  std::vector<std::string> parts;
  for (const auto& [count, need] : sorted) parts.push_back(fmt::format("{} ({})", need, count));
  return join(parts, ", ");
}

void add_unknown(TextPage& page, const CheckResult& result) {
  if (result.unknown.empty()) return;
  page.heading("UNKNOWN: not judged, for want of", "\x1b[1m");
  page.blank();
  for (const UnknownRule& unknown : result.unknown) {
    page.paragraph("", fmt::format("{}: {}", unknown.rule->code, join(unknown.missing, ", ")), 2);
  }
}

void add_summary(TextPage& page, const CheckResult& result, bool verbose) {
  const size_t rules = result.findings.size() + result.unknown.size() + result.silent;
  page.blank();
  page.paragraph(
      "",
      fmt::format("{}, {}, {}; {} of {} rules found nothing.",
                  plural(result.count(Severity::kInvalid), "invalid", "invalid"),
                  plural(result.count(Severity::kWarning), "warning", "warnings"),
                  plural(result.count(Severity::kNote), "note", "notes"), result.silent, rules),
      0);
  if (result.unknown.empty()) return;
  page.paragraph("",
                 fmt::format("{} could not be judged without: {}{}",
                             plural(result.unknown.size(), "rule", "rules"), missing_text(result),
                             verbose ? "." : "; -v lists them."),
                 0);
}

nlohmann::json where_json(const std::vector<Evidence>& where) {
  nlohmann::json list = nlohmann::json::array();
  for (const Evidence& one : where) {
    nlohmann::json item = {{"text", one.text}};
    if (!one.source.empty()) item["file"] = one.source;
    if (one.line > 0) item["line"] = one.line;
    list.push_back(std::move(item));
  }
  return list;
}

nlohmann::json finding_json(const RtFinding& finding) {
  const RtRule& rule = *finding.rule;
  return {{"code", rule.code},
          {"severity", severity_name(rule.severity)},
          {"text", rule.text},
          {"why", rule.why},
          {"fix", rule.fix},
          {"source", rule.source},
          {"where", where_json(finding.where)}};
}

nlohmann::json system_json(const SystemView& view) {
  nlohmann::json system = nlohmann::json::object();
  if (!view.kernel_version.empty()) system["kernel_version"] = view.kernel_version;
  if (!view.arch.empty()) system["arch"] = view.arch;
  const auto flavour = view.observed.find("flavour");
  if (flavour != view.observed.end() && !flavour->second.empty()) {
    system["flavour"] = flavour->second.front().value;
  }
  if (view.config) system["config_kind"] = config_kind_name(view.config->kind);
  return system;
}

}  // namespace

std::string check_text(const CheckResult& result, const SystemView& view,
                       const std::string& subject, const CheckTextOptions& options) {
  TextPage page(options);
  const std::string description = described(view);
  page.paragraph("", subject + (description.empty() ? "" : ": " + description), 0);
  for (const Group& group : kGroups) {
    if (result.count(group.severity) == 0) continue;
    page.heading(group.heading, group.colour);
    for (const RtFinding& finding : result.findings) {
      if (finding.rule->severity == group.severity) add_finding(page, finding, options.verbose);
    }
  }
  if (options.verbose) add_unknown(page, result);
  add_summary(page, result, options.verbose);
  return page.take();
}

nlohmann::json check_json(const CheckResult& result, const SystemView& view) {
  nlohmann::json findings = nlohmann::json::array();
  for (const RtFinding& finding : result.findings) findings.push_back(finding_json(finding));
  nlohmann::json unknown = nlohmann::json::array();
  for (const UnknownRule& one : result.unknown) {
    unknown.push_back({{"code", one.rule->code}, {"needs", one.missing}});
  }
  return {{"system", system_json(view)},
          {"findings", findings},
          {"unknown", unknown},
          {"summary",
           {{"invalid", result.count(Severity::kInvalid)},
            {"warnings", result.count(Severity::kWarning)},
            {"notes", result.count(Severity::kNote)},
            {"unknown", result.unknown.size()},
            {"silent", result.silent}}}};
}

}  // namespace rtsweep
