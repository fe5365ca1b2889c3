// SPDX-License-Identifier: GPL-2.0-or-later

// KCIDB: what the kernel's common report database takes (kcidb-submit). Version 5.3 of its I/O
// schema, kernelci/kcidb-io, kcidb_io/schema/v05_03.py: unknown fields and nulls are not allowed.
//
//   PASS -> PASS, without a limit DONE ("produced a performance measurement result")
//   FAIL -> FAIL         INVALID -> ERROR ("the status of the tested code is unknown")
//   ERROR -> MISS        impossible -> SKIP
//
// A kernel is a build of a checkout. Where its commit is not known, as of a distribution's
// package, the checkout has a comment only; whoever built the kernel adds the commit.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/report/ci.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/render.h"

namespace rtsweep {
namespace {

using Json = nlohmann::ordered_json;

std::string id_of(const std::string& origin, const std::string& text) {
  return origin + ":" + slug(text);
}

std::string kernel_id(const std::string& origin, const std::string& name, const std::string& arch,
                      const RunReport& report) {
  return id_of(origin, report.run + "_" + name + "_" + arch);
}

std::string level(const Cell& cell, const char* factor) {
  const auto found = cell.find(factor);
  return found == cell.end() ? "" : found->second;
}

// The kernel of a trial. A plan that varies no architecture may not name it in its cells.
std::string build_of(const std::string& origin, const RunReport& report, const Cell& cell) {
  const std::string name = level(cell, "kernel");
  const std::string arch = level(cell, "arch");
  for (const KernelResult& kernel : report.kernels) {
    if (kernel.name == name && (arch.empty() || kernel.arch == arch)) {
      return kernel_id(origin, name, kernel.arch, report);
    }
  }
  return kernel_id(origin, name.empty() ? "running" : name, arch, report);
}

std::string architecture(std::string text) {
  for (char& c : text) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!fine) c = '_';
  }
  return text;
}

Json checkout_of(const std::string& origin, const std::string& id, const std::string& comment) {
  Json json = {{"id", id}, {"origin", origin}, {"valid", true}};
  if (!comment.empty()) json["comment"] = printable(comment);
  return json;
}

Json build_of(const std::string& origin, const std::string& id, const KernelResult& kernel) {
  Json misc = Json::object();
  if (!kernel.package.empty()) misc["package"] = printable(kernel.package);
  if (!kernel.image_sha256.empty()) misc["image_sha256"] = printable(kernel.image_sha256);
  if (kernel.rt) misc["preempt_rt"] = *kernel.rt;
  return {{"checkout_id", id},
          {"id", id},
          {"origin", origin},
          {"comment", printable(kernel.release)},
          {"architecture", architecture(kernel.arch)},
          {"config_name", printable(kernel.name)},
          {"status", "PASS"},
          {"misc", std::move(misc)}};
}

std::string_view status_of(const TrialResult& trial) {
  switch (trial.verdict) {
    case Verdict::kPass:
      return trial.limit_us ? "PASS" : "DONE";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kInvalid:
      return "ERROR";
    case Verdict::kError:
      break;
  }
  return "MISS";
}

Json cell_of(const Cell& cell) {
  Json json = Json::object();
  for (const auto& [factor, level] : cell) json[printable(factor)] = printable(level);
  return json;
}

Json misc_of(const TrialResult& trial) {
  Json reasons = Json::array();
  for (const Reason& reason : trial.reasons) {
    reasons.push_back({{"code", printable(reason.code)}, {"text", printable(reason.text)}});
  }
  Json misc = {{"cell", cell_of(trial.cell)},
               {"repetition", trial.repetition},
               {"verdict", verdict_name(trial.verdict)},
               {"clock", trial.virtual_clock ? "virtual" : "real"},
               {"reasons", std::move(reasons)}};
  if (trial.limit_us) misc["limit_us"] = *trial.limit_us;
  if (!trial.usable()) return misc;
  const Numbers numbers = numbers_of(trial);
  misc["samples"] = numbers.samples;
  for (const uint64_t ppm : kReportQuantilesPpm) {
    if (const auto us = numbers.quantile_us(ppm)) misc[quantile_name(ppm) + "_us"] = *us;
  }
  return misc;
}

// The schema's limit is 16384 characters; the end of a console is what says why.
std::string excerpt(const TrialResult& trial) {
  std::string text;
  for (const std::string& line : printable_lines(trial.console_tail)) text += line + "\n";
  static constexpr size_t kMost = 16'000;
  if (text.size() <= kMost) return text;
  const size_t line = text.find('\n', text.size() - kMost);
  return line == std::string::npos ? "" : text.substr(line + 1);
}

Json test_of(const std::string& origin, const RunReport& report, const ReportCells& cells,
             const TrialResult& trial) {
  const CiCase test = ci_case_of(cells, trial);
  Json json = {{"build_id", build_of(origin, report, trial.cell)},
               {"id", id_of(origin, report.run + "_" + test.id)},
               {"origin", origin},
               {"path", "rtsweep." + architecture(trial.probe.empty() ? "probe" : trial.probe)},
               {"comment", test.group + ", " + test.name + ": " + test.summary},
               {"status", status_of(trial)}};
  if (const auto us = ci_maximum_us(trial)) json["number"] = {{"value", *us}, {"unit", "us"}};
  if (is_utc_time(trial.started)) json["start_time"] = trial.started;
  json["duration"] = trial.wall_s;
  if (std::string log = excerpt(trial); !log.empty()) json["log_excerpt"] = std::move(log);
  json["misc"] = misc_of(trial);
  return json;
}

Json skipped(const std::string& origin, const RunReport& report, const Cell& cell, size_t number,
             const std::string& why) {
  return {{"build_id", build_of(origin, report, cell)},
          {"id", id_of(origin, fmt::format("{}_impossible_{}", report.run, number))},
          {"origin", origin},
          {"path", "rtsweep"},
          {"comment", printable(why)},
          {"status", "SKIP"},
          {"misc", {{"cell", cell_of(cell)}}}};
}

}  // namespace

std::string render_kcidb(const RunReport& report) { return render_kcidb(report, "rtsweep"); }

std::string render_kcidb(const RunReport& report, const std::string& origin) {
  const ReportCells cells(report);
  Json checkouts = Json::array(), builds = Json::array(), tests = Json::array();
  for (const KernelResult& kernel : report.kernels) {
    const std::string id = kernel_id(origin, kernel.name, kernel.arch, report);
    checkouts.push_back(checkout_of(origin, id, kernel.package));
    builds.push_back(build_of(origin, id, kernel));
  }
  for (const TrialResult& trial : report.trials) {
    tests.push_back(test_of(origin, report, cells, trial));
  }
  for (size_t i = 0; i < report.impossible.size(); ++i) {
    const auto& [cell, why] = report.impossible[i];
    tests.push_back(skipped(origin, report, cell, i + 1, why));
  }
  const Json json = {{"version", {{"major", 5}, {"minor", 3}}},
                     {"checkouts", std::move(checkouts)},
                     {"builds", std::move(builds)},
                     {"tests", std::move(tests)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool is_kcidb_origin(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

}  // namespace rtsweep
