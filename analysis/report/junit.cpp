// SPDX-License-Identifier: GPL-2.0-or-later

// JUnit XML: what Jenkins, GitLab, Azure and most other CI systems read. There is no standard;
// this keeps to what both common schemas allow: Jenkins' junit-10.xsd and that of Ant's JUnit
// report, which wants properties, system-out, a time stamp without zone, and one outcome per case.
//
//   PASS        a case without anything
//   FAIL        <failure type="FAIL">
//   INVALID     <error type="INVALID">     never <skipped>: most systems show that as green
//   ERROR       <error type="ERROR">
//   impossible  <skipped>
//   incomplete  <error type="INCOMPLETE">, in a case of its own

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "analysis/report/ci.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/render.h"
#include "analysis/report/wording.h"

namespace rtsweep {
namespace {

using Node = pugi::xml_node;

void set(Node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
}

std::string seconds(double s) { return fmt::format("{:.3f}", s); }

Node add_case(Node suite, const std::string& group, const std::string& name, double wall_s) {
  Node node = suite.append_child("testcase");
  set(node, "classname", group);
  set(node, "name", name);
  set(node, "time", seconds(wall_s));
  return node;
}

void add_outcome(Node test, const char* kind, std::string_view type, const std::string& message,
                 const std::string& text) {
  Node node = test.append_child(kind);
  if (!type.empty()) set(node, "type", std::string(type));
  set(node, "message", message);
  if (!text.empty()) node.text().set(text.c_str());
}

// The end of the console belongs to what went wrong: a panic is read there.
std::string evidence_of(const TrialResult& trial, const std::string& details) {
  std::string text = details;
  for (const std::string& line : printable_lines(trial.console_tail)) text += "\n" + line;
  return text;
}

void add_trial(Node suite, const ReportCells& cells, const TrialResult& trial) {
  const CiCase test = ci_case_of(cells, trial);
  Node node =
      add_case(suite, test.group, fmt::format("{} (#{})", test.name, trial.id), trial.wall_s);
  if (trial.verdict == Verdict::kPass) return;
  const bool failed = trial.verdict == Verdict::kFail;
  add_outcome(node, failed ? "failure" : "error", verdict_name(trial.verdict), test.summary,
              evidence_of(trial, test.details));
}

void add_property(Node properties, const char* name, const std::string& value) {
  if (value.empty()) return;
  Node node = properties.append_child("property");
  set(node, "name", name);
  set(node, "value", printable(value));
}

void add_properties(Node suite, const RunReport& report) {
  Node properties = suite.append_child("properties");
  add_property(properties, "run", report.run);
  add_property(properties, "rtsweep", report.rtsweep_version);
  add_property(properties, "target", report.target);
  add_property(properties, "host", report.host);
  add_property(properties, "emulator", report.emulator);
  for (const KernelResult& kernel : report.kernels) {
    add_property(
        properties, "kernel",
        fmt::format("{} {}: {} {}", kernel.name, kernel.arch, kernel.release, rt_text(kernel.rt)));
  }
}

// Every number, for people: CI systems show it beside the suite.
std::string numbers_of_all(const RunReport& report, const ReportCells& cells) {
  std::string text;
  for (const TrialResult& trial : report.trials) {
    const CiCase test = ci_case_of(cells, trial);
    text += fmt::format("#{} {} {}, {}: {}\n", trial.id, verdict_name(trial.verdict), test.group,
                        test.name, test.summary);
  }
  return text;
}

void add_attributes(Node suite, const RunReport& report) {
  const VerdictCounts counts = count_verdicts(report);
  const int incomplete = incomplete_text(report).empty() ? 0 : 1;
  double wall_s = 0;
  for (const TrialResult& trial : report.trials) wall_s += trial.wall_s;
  const std::string name = printable(report.name.empty() ? report.run : report.name);
  set(suite, "id", "0");
  set(suite, "package", "rtsweep");
  set(suite, "name", name.empty() ? "rtsweep" : name);
  set(suite, "timestamp",
      is_utc_time(report.started) ? report.started.substr(0, 19) : "1970-01-01T00:00:00");
  set(suite, "hostname", "localhost");  // the run directory does not have the host's name
  set(suite, "tests",
      std::to_string(report.trials.size() + report.impossible.size() +
                     static_cast<size_t>(incomplete)));
  set(suite, "failures", std::to_string(counts.fail));
  set(suite, "errors", std::to_string(counts.invalid + counts.error + incomplete));
  set(suite, "skipped", std::to_string(report.impossible.size()));
  set(suite, "time", seconds(wall_s));
}

}  // namespace

std::string render_junit(const RunReport& report) {
  const ReportCells cells(report);
  pugi::xml_document document;
  Node suite = document.append_child("testsuites").append_child("testsuite");
  add_attributes(suite, report);
  add_properties(suite, report);
  for (const TrialResult& trial : report.trials) add_trial(suite, cells, trial);
  for (const auto& [cell, why] : report.impossible) {
    Node node = add_case(suite, printable(cells.configuration(cell)),
                         printable(cells.name_of(cell)) + ", impossible", 0);
    add_outcome(node, "skipped", "", printable(why), "");
  }
  if (const std::string text = incomplete_text(report); !text.empty()) {
    add_outcome(add_case(suite, "run", "complete", 0), "error", "INCOMPLETE", text, "");
  }
  suite.append_child("system-out").text().set(numbers_of_all(report, cells).c_str());
  suite.append_child("system-err").text().set("");
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace rtsweep
