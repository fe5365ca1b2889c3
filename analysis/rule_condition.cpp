// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/rule_condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "analysis/rule_condition_parts.h"

namespace rtsweep {
namespace {

using Node = Condition::Node;
constexpr int kDeepest = 50;  // nested parentheses and nots

struct Token {
  enum class Kind { kWord, kText, kSign, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;
  size_t at = 0;
};

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
}

Result<std::vector<Token>> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const size_t begin = at++;
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    if (is_word_char(c)) {
      while (at < text.size() && is_word_char(text[at])) ++at;
      tokens.push_back({Token::Kind::kWord, std::string(text.substr(begin, at - begin)), begin});
    } else if (c == '"') {
      const size_t end = text.find('"', at);
      if (end == std::string_view::npos) {
        return Error(Errc::kBadData, fmt::format("column {}: quote without its end", begin + 1));
      }
      tokens.push_back({Token::Kind::kText, std::string(text.substr(at, end - at)), begin});
      at = end + 1;
    } else {
      if (at < text.size() && text[at] == '=' && (c == '!' || c == '<' || c == '>')) ++at;
      tokens.push_back({Token::Kind::kSign, std::string(text.substr(begin, at - begin)), begin});
    }
  }
  tokens.push_back({Token::Kind::kEnd, "", text.size()});
  return tokens;
}

std::optional<Comparison> comparison_of(const Token& token) {
  static constexpr std::array<std::pair<std::string_view, Comparison>, 7> kSigns = {
      {{"=", Comparison::kEqual},
       {"!=", Comparison::kUnequal},
       {"<", Comparison::kLess},
       {"<=", Comparison::kLessEqual},
       {">", Comparison::kMore},
       {">=", Comparison::kMoreEqual},
       {"has", Comparison::kHas}}};
  if (token.kind != Token::Kind::kSign && token.kind != Token::Kind::kWord) return std::nullopt;
  const auto* it =
      std::ranges::find(kSigns, token.text, [](const auto& sign) { return sign.first; });
  return it == kSigns.end() ? std::nullopt : std::optional(it->second);
}

// Recursive descent: or_parts > and_parts > unary > question.
class ConditionParser {
 public:
  explicit ConditionParser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<Node> parse() {
    RTSWEEP_TRY(Node root, joined("or"));
    if (here().kind != Token::Kind::kEnd) return wrong("what is this");
    return root;
  }

 private:
  const Token& here() const { return tokens_[at_]; }
  bool take(std::string_view text) {
    const bool found = here().kind != Token::Kind::kText && here().text == text;
    if (found) ++at_;
    return found;
  }
  Error wrong(std::string_view what) const {
    return {Errc::kBadData, fmt::format("column {}: {}: '{}'", here().at + 1, what, here().text)};
  }

  Result<Node> joined(std::string_view word) {
    const bool is_or = word == "or";
    Node node{is_or ? Node::Kind::kOr : Node::Kind::kAnd, {}, {}};
    do {
      auto part = is_or ? joined("and") : unary();
      if (!part) return part;
      node.parts.push_back(std::move(part).value());
    } while (take(word));
    if (node.parts.size() == 1) return Node(std::move(node.parts.front()));
    return node;
  }

  Result<Node> unary() {
    if (++depth_ > kDeepest) return wrong("nested too deeply");
    auto node = unary_part();
    --depth_;
    return node;
  }

  Result<Node> unary_part() {
    if (take("not")) return around(Node::Kind::kNot, unary());
    if (take("(")) return in_parentheses();
    for (const auto& [word, kind] : {std::pair("known", Node::Kind::kKnown),
                                     std::pair("surely", Node::Kind::kSurely)}) {
      if (!take(word)) continue;
      if (!take("(")) return wrong("'(' expected");
      return around(kind, in_parentheses());
    }
    return question();
  }

  static Result<Node> around(Node::Kind kind, Result<Node> inner) {
    if (!inner) return inner;
    Node node{kind, {}, {}};
    node.parts.push_back(std::move(inner).value());
    return node;
  }

  Result<Node> in_parentheses() {
    auto inner = joined("or");
    if (inner && !take(")")) return wrong("')' expected");
    return inner;
  }

  Result<Node> question() {
    if (here().kind != Token::Kind::kWord) return wrong("a question expected");
    Node node;
    if (!set_subject(node.question, here().text)) return wrong("unknown subject");
    ++at_;
    if (node.question.subject == Subject::kLog) {
      if (here().kind != Token::Kind::kText || here().text.empty())
        return wrong("\"TEXT\" expected");
      node.question.name = tokens_[at_++].text;
      return node;
    }
    const auto comparison = comparison_of(here());
    if (!comparison) return node;
    ++at_;
    if (here().kind != Token::Kind::kWord && here().kind != Token::Kind::kText) {
      return wrong("a value expected");
    }
    node.question.comparison = *comparison;
    node.question.value = tokens_[at_++].text;
    return node;
  }

  static bool set_subject(Question& question, std::string_view word) {
    struct Prefix {
      std::string_view text;
      Subject subject;
    };
    for (const Prefix& prefix :
         {Prefix{"CONFIG_", Subject::kConfig}, Prefix{"cmdline.", Subject::kCmdline},
          Prefix{"fact.", Subject::kFact}}) {
      if (!word.starts_with(prefix.text) || word.size() == prefix.text.size()) continue;
      question.subject = prefix.subject;
      question.name = word.substr(prefix.text.size());
      return true;
    }
    if (word != "log" && word != "arch" && word != "kernel") return false;
    question.subject = word == "log"    ? Subject::kLog
                       : word == "arch" ? Subject::kArch
                                        : Subject::kKernel;
    return true;
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int depth_ = 0;
};

void merge(Judgement& to, Judgement from) {
  std::ranges::move(from.evidence, std::back_inserter(to.evidence));
  to.missing.merge(from.missing);
}

Judgement judge_node(const Node& node, const SystemView& view, const ConfigDefaults& defaults);

// The evidence is that of the parts which decided: of an `or` that is true the true ones.
Judgement judge_joined(const Node& node, const SystemView& view, const ConfigDefaults& defaults) {
  const bool is_and = node.kind == Node::Kind::kAnd;
  std::vector<Judgement> parts;
  Judgement whole{.truth = is_and ? Truth::kTrue : Truth::kFalse};
  for (const Node& part : node.parts) {
    parts.push_back(judge_node(part, view, defaults));
    const Truth truth = parts.back().truth;
    whole.truth = is_and ? both(whole.truth, truth) : either(whole.truth, truth);
  }
  for (Judgement& part : parts) {
    if (part.truth == whole.truth) merge(whole, std::move(part));
  }
  return whole;
}

Judgement judge_node(const Node& node, const SystemView& view, const ConfigDefaults& defaults) {
  if (node.kind == Node::Kind::kQuestion) return answer(node.question, view, defaults);
  if (node.kind == Node::Kind::kAnd || node.kind == Node::Kind::kOr) {
    return judge_joined(node, view, defaults);
  }
  Judgement inner = judge_node(node.parts.front(), view, defaults);
  if (node.kind == Node::Kind::kKnown) {
    return {.truth = inner.truth == Truth::kUnknown ? Truth::kFalse : Truth::kTrue};
  }
  if (node.kind == Node::Kind::kSurely) {
    if (inner.truth == Truth::kUnknown) return {.truth = Truth::kFalse};
    return inner;
  }
  inner.truth = opposite(inner.truth);
  return inner;
}

void collect_facts(const Node& node, std::set<std::string>& names) {
  if (node.kind == Node::Kind::kQuestion && node.question.subject == Subject::kFact) {
    names.insert(node.question.name);
  }
  for (const Node& part : node.parts) collect_facts(part, names);
}

}  // namespace

Truth both(Truth a, Truth b) { return std::min(a, b); }
Truth either(Truth a, Truth b) { return std::max(a, b); }
Truth opposite(Truth a) {
  if (a == Truth::kUnknown) return a;
  return a == Truth::kTrue ? Truth::kFalse : Truth::kTrue;
}

Result<Condition> Condition::parse(std::string_view text) {
  RTSWEEP_TRY(std::vector<Token> tokens, tokens_of(text));
  RTSWEEP_TRY(Node root, ConditionParser(std::move(tokens)).parse());
  return Condition(std::make_shared<const Node>(std::move(root)));
}

Judgement Condition::judge(const SystemView& view, const ConfigDefaults& defaults) const {
  return judge_node(*root_, view, defaults);
}

std::set<std::string> Condition::facts() const {
  std::set<std::string> names;
  collect_facts(*root_, names);
  return names;
}

}  // namespace rtsweep
