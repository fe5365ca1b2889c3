// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/explanation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr int kSchema = 1;
constexpr size_t kNarrowest = 60;
constexpr size_t kMostSegments = 20;  // without verbose
constexpr size_t kMostEvidence = 24;

std::string printable(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    safe += byte < ' ' || byte == 0x7f ? ' ' : c;
  }
  return safe;
}

// Words of a foreign file may be damaged UTF-8, which JSON cannot hold.
std::string valid_utf8(std::string_view text) {
  const auto dumped = nlohmann::json(std::string(text))
                          .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(dumped).get<std::string>();
}

std::string conclusion_words(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::kExplained:
      return "EXPLAINED";
    case Conclusion::kUnknown:
      return "UNKNOWN";
    case Conclusion::kNotProvable:
      break;
  }
  return "NOT PROVABLE";
}

std::string_view conclusion_colour(Conclusion conclusion) {
  return conclusion == Conclusion::kExplained ? "\x1b[1;32m" : "\x1b[1;33m";
}

class Page {
 public:
  explicit Page(const ExplanationTextOptions& options)
      : width_(std::max(options.width, kNarrowest)) {}

  void line(std::string_view text) { text_ += std::string(text) + "\n"; }

  // Words behind `first`, further lines indented to `margin`.
  void paragraph(std::string first, size_t margin, std::string_view text) {
    std::string line = std::move(first);
    line.resize(std::max(line.size(), margin), ' ');
    bool empty = true;
    for (const std::string& word : words(text)) {
      if (!empty && line.size() + 1 + word.size() > width_) {
        text_ += line + "\n";
        line.assign(margin, ' ');
        empty = true;
      }
      line += (empty ? "" : " ") + word;
      empty = false;
    }
    text_ += line + "\n";
  }

  std::string take() { return std::move(text_); }

 private:
  size_t width_;
  std::string text_;
};

// The segments to show: all, or the longest in their order.
std::vector<const Segment*> shown_segments(const Explanation& explanation, bool verbose) {
  std::vector<const Segment*> shown;
  for (const Segment& segment : explanation.segments) shown.push_back(&segment);
  if (verbose || shown.size() <= kMostSegments) return shown;
  std::ranges::stable_sort(shown, std::ranges::greater(), &Segment::length_ns);
  shown.resize(kMostSegments);
  std::ranges::sort(shown, {}, &Segment::begin_ns);
  return shown;
}

std::string segment_words(const Segment& segment) {
  std::string text = fmt::format("CPU {}  {}", segment.cpu, segment_name(segment.kind));
  if (!segment.who.empty()) text += ": " + segment.who;
  if (!segment.detail.empty()) text += " (" + segment.detail + ")";
  if (segment.line > 0) text += fmt::format(" [line {}]", segment.line);
  return printable(text);
}

void add_timeline(Page& page, const Explanation& explanation, bool verbose) {
  if (explanation.segments.empty() || !explanation.latency_ns) return;
  const auto shown = shown_segments(explanation, verbose);
  const int64_t begin = explanation.segments.front().begin_ns;
  const double total = static_cast<double>(std::max<int64_t>(*explanation.latency_ns, 1));
  page.line("");
  page.line("       at us      for us      %");
  int64_t left = *explanation.latency_ns;
  for (const Segment* segment : shown) {
    left -= segment->length_ns;
    page.paragraph(fmt::format("{:12.1f} {:11.1f} {:6.1f}  ",
                               static_cast<double>(segment->begin_ns - begin) / 1e3,
                               static_cast<double>(segment->length_ns) / 1e3,
                               100 * static_cast<double>(segment->length_ns) / total),
                   33, segment_words(*segment));
  }
  if (shown.size() < explanation.segments.size()) {
    page.paragraph(fmt::format("{:12} {:11.1f} {:6.1f}  ", "", static_cast<double>(left) / 1e3,
                               100 * static_cast<double>(left) / total),
                   33,
                   fmt::format("{} shorter ones (-v)", explanation.segments.size() - shown.size()));
  }
  page.line(fmt::format("{:>12} {:11.1f}", "=", total / 1e3));
}

void add_evidence(Page& page, const Explanation& explanation, bool verbose) {
  const auto& evidence = explanation.evidence;
  if (evidence.empty()) return;
  page.line("\nevidence");
  for (size_t i = 0; i < evidence.size(); ++i) {
    const size_t half = kMostEvidence / 2;
    const bool shown =
        verbose || evidence.size() <= kMostEvidence + 4 || i < half || i + half >= evidence.size();
    if (i == half && !shown) {
      page.line(fmt::format("         ({} more lines, -v)", evidence.size() - kMostEvidence));
    }
    if (!shown) continue;
    const std::string number =
        evidence[i].line > 0 ? fmt::format("{:>7}  ", evidence[i].line) : std::string(9, ' ');
    page.paragraph(number, 9, printable(evidence[i].text));
  }
}

void add_list(Page& page, std::string_view heading, const std::vector<std::string>& items) {
  if (items.empty()) return;
  page.line(fmt::format("\n{}", heading));
  for (const std::string& item : items) page.paragraph("  - ", 4, printable(item));
}

nlohmann::json segment_json(const Segment& segment) {
  nlohmann::json json = {{"kind", segment_code(segment.kind)},
                         {"begin_us", static_cast<double>(segment.begin_ns) / 1e3},
                         {"length_us", static_cast<double>(segment.length_ns) / 1e3}};
  if (segment.cpu >= 0) json["cpu"] = segment.cpu;
  if (!segment.who.empty()) json["who"] = valid_utf8(segment.who);
  if (!segment.detail.empty()) json["detail"] = valid_utf8(segment.detail);
  if (segment.line > 0) json["line"] = segment.line;
  return json;
}

nlohmann::json strings_json(const std::vector<std::string>& texts) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& text : texts) list.push_back(valid_utf8(text));
  return list;
}

nlohmann::json explanation_json(const Explanation& one) {
  nlohmann::json json = {{"source", valid_utf8(one.source)},
                         {"subject", valid_utf8(one.subject)},
                         {"conclusion", conclusion_code(one.conclusion)},
                         {"headline", valid_utf8(one.headline)},
                         {"segments", nlohmann::json::array()},
                         {"evidence", nlohmann::json::array()},
                         {"notes", strings_json(one.notes)},
                         {"next", strings_json(one.next)}};
  if (one.latency_ns) {
    json["latency_us"] = static_cast<double>(*one.latency_ns) / 1e3;
    json["latency_of"] = valid_utf8(one.latency_of);
  }
  if (one.cause) {
    json["cause"] = {{"kind", segment_code(*one.cause)}, {"who", valid_utf8(one.cause_who)}};
    if (!one.cause_detail.empty()) json["cause"]["detail"] = valid_utf8(one.cause_detail);
  }
  for (const Segment& segment : one.segments) json["segments"].push_back(segment_json(segment));
  for (const EvidenceLine& line : one.evidence) {
    nlohmann::json item = {{"text", valid_utf8(line.text)}};
    if (line.line > 0) item["line"] = line.line;
    json["evidence"].push_back(std::move(item));
  }
  return json;
}

}  // namespace

std::string explanation_text(const Explanation& explanation,
                             const ExplanationTextOptions& options) {
  Page page(options);
  const std::string label = conclusion_words(explanation.conclusion);
  page.paragraph("", 0, printable(explanation.source + ": " + explanation.subject));
  std::string headline = label + ": " + printable(explanation.headline);
  page.paragraph("", 0, headline);
  add_timeline(page, explanation, options.verbose);
  if (explanation.latency_ns)
    page.paragraph(std::string(13, ' '), 13, printable(explanation.latency_of));
  add_evidence(page, explanation, options.verbose);
  add_list(page, "to be known", explanation.notes);
  add_list(page, "to trace next", explanation.next);
  std::string text = page.take();
  if (options.colours) {
    const size_t at = text.find("\n" + label + ":");
    if (at != std::string::npos) {
      text.insert(at + 1 + label.size(), "\x1b[0m");
      text.insert(at + 1, conclusion_colour(explanation.conclusion));
    }
  }
  return text;
}

nlohmann::json explanations_json(std::span<const Explanation> explanations) {
  nlohmann::json list = nlohmann::json::array();
  for (const Explanation& one : explanations) list.push_back(explanation_json(one));
  return {{"schema", kSchema}, {"explanations", std::move(list)}};
}

}  // namespace rtsweep
