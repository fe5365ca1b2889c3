// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/gate_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "analysis/report/ci_escape.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/text_page.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

std::string text_of(const Gate& gate) {
  TextPage page;
  page.line(fmt::format("{}: gate of {}", gate_answer_name(gate.answer()), printable(gate.run)));
  if (!gate.baseline.empty()) page.wrapped("against the baseline of " + printable(gate.baseline));
  page.line();
  for (const GateCheck& check : gate.checks) {
    page.wrapped(printable(check.name), 9, fmt::format("{:<9}", gate_answer_name(check.answer)));
    page.wrapped(printable(check.kind + ": " + check.text), 9, std::string(9, ' '));
  }
  page.line();
  page.line(fmt::format("{} PASS, {} FAIL, {} INVALID", gate.count(GateAnswer::kPass),
                        gate.count(GateAnswer::kFail), gate.count(GateAnswer::kInvalid)));
  return page.take();
}

std::string json_of(const Gate& gate) {
  using Json = nlohmann::ordered_json;
  Json checks = Json::array();
  for (const GateCheck& check : gate.checks) {
    checks.push_back({{"kind", check.kind},
                      {"name", check.name},
                      {"answer", gate_answer_name(check.answer)},
                      {"text", check.text}});
  }
  const Json json = {{"schema", 1},
                     {"answer", gate_answer_name(gate.answer())},
                     {"run", gate.run},
                     {"baseline", gate.baseline.empty() ? Json() : Json(gate.baseline)},
                     {"checks", std::move(checks)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

void add_case(pugi::xml_node suite, const GateCheck& check) {
  pugi::xml_node node = suite.append_child("testcase");
  set(node, "classname", "gate." + check.kind);
  set(node, "name", printable(check.name));
  set(node, "time", "0");
  if (check.answer == GateAnswer::kPass) return;
  pugi::xml_node outcome =
      node.append_child(check.answer == GateAnswer::kFail ? "failure" : "error");
  set(outcome, "type", std::string(gate_answer_name(check.answer)));
  set(outcome, "message", printable(check.text));
}

// As render_junit(): valid for Jenkins' and for Ant's schema. A gate has no time of its own.
std::string junit_of(const Gate& gate) {
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  for (const auto& [name, value] : {std::pair<const char*, std::string>{"id", "0"},
                                    {"package", "rtsweep"},
                                    {"name", "gate"},
                                    {"timestamp", "1970-01-01T00:00:00"},
                                    {"hostname", "localhost"},
                                    {"tests", std::to_string(gate.checks.size())},
                                    {"failures", std::to_string(gate.count(GateAnswer::kFail))},
                                    {"errors", std::to_string(gate.count(GateAnswer::kInvalid))},
                                    {"time", "0"}}) {
    set(suite, name, value);
  }
  suite.append_child("properties");
  for (const GateCheck& check : gate.checks) add_case(suite, check);
  suite.append_child("system-out").text().set(text_of(gate).c_str());
  suite.append_child("system-err").text().set("");
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

std::string tap_of(const Gate& gate) {
  std::string out = fmt::format("TAP version 13\n1..{}\n", gate.checks.size());
  size_t number = 0;
  for (const GateCheck& check : gate.checks) {
    out += fmt::format("{} {} - {}: {}\n  ---\n  answer: {}\n  text: {}\n  ...\n",
                       check.answer == GateAnswer::kPass ? "ok" : "not ok", ++number, check.kind,
                       tap_escaped(check.name), gate_answer_name(check.answer),
                       yaml_quoted(check.text));
  }
  return out;
}

std::string github_of(const Gate& gate) {
  std::string out;
  for (const GateCheck& check : gate.checks) {
    if (check.answer == GateAnswer::kPass) continue;
    out += github_command(
        "error", fmt::format("{} {}: {}", gate_answer_name(check.answer), check.kind, check.name),
        check.text);
  }
  return out + github_command("notice", "rtsweep gate", gate_answer_name(gate.answer()));
}

struct Format {
  std::string_view name;
  std::string (*render)(const Gate&);
};

constexpr Format kFormats[] = {{"text", text_of},
                               {"json", json_of},
                               {"junit", junit_of},
                               {"tap", tap_of},
                               {"github", github_of}};

}  // namespace

std::vector<std::string> gate_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

Result<std::string> render_gate(const Gate& gate, std::string_view format) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.render(gate);
  }
  return Error(Errc::kInvalidPlan, fmt::format("unknown format '{}' (there are: {})", format,
                                               join(gate_formats(), ", ")));
}

}  // namespace rtsweep
