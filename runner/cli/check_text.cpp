// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kMostEvidence = 8;  // lines below one finding, without -v
constexpr char kHardBlank = '\x01';  // a blank at which no line is broken
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

  bool fits(std::string_view text, size_t indent) const {
    return indent + text.size() <= std::min(options_.width, kWidestText);
  }

  void blank() { page_ += "\n"; }
  std::string take() {
    std::ranges::replace(page_, kHardBlank, ' ');
    return std::move(page_);
  }

 private:
  const CheckTextOptions& options_;
  std::string page_;
};

std::string numbered(const Evidence& one) {
  return one.line > 0 ? fmt::format("{}: {}", one.line, one.text) : one.text;
}

// "config:12: CONFIG_KASAN=y"; several of one file, or a long one, below the file's name.
void add_evidence(TextPage& page, std::span<const Evidence> where) {
  for (size_t first = 0; first < where.size();) {
    size_t last = first + 1;
    const std::string& source = where[first].source;
    while (last < where.size() && where[last].source == source) ++last;
    const std::string joint = source +
                              (source.empty()          ? ""
                               : where[first].line > 0 ? ":"
                                                       : ": ") +
                              numbered(where[first]);
    if (!source.empty() && (last - first > 1 || !page.fits(joint, 6))) {
      page.paragraph("", printable(source), 6);
      for (; first < last; ++first) page.paragraph("", printable(numbered(where[first])), 8);
      continue;
    }
    page.paragraph("", printable(joint), 6);
    first = source.empty() ? first + 1 : last;
  }
}

// Keeps "# CONFIG_X is not set" together when lines are broken.
std::string unbroken_settings(std::string text) {
  constexpr std::string_view kEnd = " is not set";
  for (size_t at = text.find("# CONFIG_"); at != std::string::npos;
       at = text.find("# CONFIG_", at)) {
    const size_t end = text.find(kEnd, at);
    if (end == std::string::npos) break;
    for (; at < end + kEnd.size(); ++at) {
      if (text[at] == ' ') text[at] = kHardBlank;
    }
  }
  return text;
}

void add_finding(TextPage& page, const RtFinding& finding, bool verbose) {
  const RtRule& rule = *finding.rule;
  page.name(rule.code);
  page.paragraph("", rule.text, 4);
  const size_t shown =
      verbose ? finding.where.size() : std::min(finding.where.size(), kMostEvidence);
  add_evidence(page, std::span(finding.where).first(shown));
  if (shown < finding.where.size()) {
    page.paragraph("", fmt::format("and {} more (-v)", finding.where.size() - shown), 6);
  }
  page.paragraph("why", rule.why, 4);
  page.paragraph("fix", unbroken_settings(rule.fix), 4);
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
                       std::span<const std::string> subject, const CheckTextOptions& options) {
  TextPage page(options);
  const std::string description = described(view);
  for (const std::string& line : subject) page.paragraph("", printable(line), 0);
  if (!description.empty()) page.paragraph("", printable(description), 0);
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
