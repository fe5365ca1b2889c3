// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep explain FILE...: what caused the latency in a trace. The conclusion first, then
// the timeline, then the evidence.

#include "analysis/trace/explain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/trace/explanation_text.h"
#include "runner/bundle/open_run.h"
#include "runner/cli/commands.h"
#include "runner/cli/explain_path.h"
#include "runner/cli/explain_run.h"
#include "runner/cli/terminal.h"
#include "runner/cli/trace_input.h"

namespace rtsweep {
namespace {

struct ExplainCommand {
  std::vector<std::string> files;
  OutlierChoice choice;
  double breakpoint_us = 50;
  bool json = false;
  bool verbose = false;
  std::string method = "auto";
  PathCommand path;
};

// Whether it is the path of a trial in virtual time that is asked for.
bool wants_path(const ExplainCommand& command) {
  if (command.method == "path") return true;
  if (command.method == "trace" || command.files.size() != 1 || command.choice.outlier)
    return false;
  return explains_by_path(command.files.front(), command.choice.trial);
}

int explain_path_of(const ExplainCommand& command) {
  if (command.files.size() != 1) {
    return fail(Error(Errc::kInvalidPlan, "--method path takes one run directory"));
  }
  PathCommand path = command.path;
  path.directory = command.files.front();
  path.trial = command.choice.trial;
  path.json = command.json;
  return explain_by_path(path);
}

// What can be asked of a path only.
void add_path_options(CLI::App& command, ExplainCommand& options) {
  command
      .add_option(
          "--method", options.method,
          "trace: by the trace of an outlier; path: by what a VM executed, which measures the "
          "trial again; auto: path for trials in virtual time without a trace")
      ->check(CLI::IsMember({"auto", "trace", "path"}))
      ->capture_default_str();
  command.add_option("--worst", options.path.worst, "Of a path: how many of the worst wakeups")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command.add_option("--what-if", options.path.what_if,
                     "Of a path: measure also with this kernel parameter, and compare");
  command.add_option("--flame", options.path.flame,
                     "Of a path: write the worst wakeup's flame graph (SVG)");
}

Result<std::vector<Explanation>> explain_file(const std::string& file,
                                              const ExplainCommand& command) {
  std::error_code ec;
  if (std::filesystem::is_directory(file, ec)) {
    RTSWEEP_TRY(Explanation found, explain_run(file, command.choice));
    return std::vector<Explanation>{std::move(found)};
  }
  const auto breakpoint_ns = static_cast<int64_t>(command.breakpoint_us * 1e3);
  return explain_trace_file(file, {.breakpoint_ns = breakpoint_ns});
}

// The traces in a bundle, whoever made it.
Result<std::vector<Explanation>> explain_bundle(const std::string& file,
                                                const ExplainCommand& command) {
  RTSWEEP_TRY(const TemporaryDirectory unpacked, unpack_to_temporary(file));
  std::vector<std::string> traces;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(unpacked.path())) {
    if (entry.path().extension() == ".dat") traces.push_back(entry.path().string());
  }
  if (traces.empty()) return Error(Errc::kBadData, file + ": no trace in the bundle");
  std::ranges::sort(traces);
  std::vector<Explanation> explanations;
  for (const std::string& trace : traces) {
    RTSWEEP_TRY(auto found, explain_file(trace, command));
    std::move(found.begin(), found.end(), std::back_inserter(explanations));
  }
  return explanations;
}

// What to trace next is said once.
void drop_repeated_advice(std::vector<Explanation>& explanations) {
  std::set<std::string> said;
  for (size_t i = explanations.size(); i-- > 0;) {
    std::erase_if(explanations[i].next,
                  [&said](const std::string& advice) { return !said.insert(advice).second; });
  }
}

void print_text(std::vector<Explanation> explanations, const ExplainCommand& command) {
  drop_repeated_advice(explanations);
  const ExplanationTextOptions options{
      .width = output_width(), .colours = ::isatty(STDOUT_FILENO) == 1, .verbose = command.verbose};
  for (size_t i = 0; i < explanations.size(); ++i) {
    fmt::print("{}{}", i > 0 ? "\n\n" : "", explanation_text(explanations[i], options));
  }
}

// A file that cannot be read does not keep the others from being explained.
int explain_files(const ExplainCommand& command) {
  int code = kWithinLimits;
  std::vector<Explanation> explanations;
  for (const std::string& file : command.files) {
    auto found = is_bundle_file(file) ? explain_bundle(file, command) : explain_file(file, command);
    if (!found) {
      code = fail(found.error());
      continue;
    }
    std::move(found->begin(), found->end(), std::back_inserter(explanations));
  }
  if (command.json) {
    fmt::print("{}\n", explanations_json(explanations).dump(2));
  } else {
    print_text(explanations, command);
  }
  for (const Explanation& one : explanations) {
    if (one.conclusion != Conclusion::kExplained && code == kWithinLimits) code = kInvalidResult;
  }
  return code;
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("explain", "What caused the latency in a trace");
  const auto options = std::make_shared<ExplainCommand>();
  command
      ->add_option(
          "files", options->files,
          "A run directory or a bundle; or ftrace text, trace.dat, a kernel log or mail with "
          "a trace in it, rtla's analysis, perf sched latency")
      ->required();
  command->add_option("--trial", options->choice.trial,
                      "Of a run: which trial (default: that of the worst outlier)");
  command->add_option("--outlier", options->choice.outlier,
                      "Of a trial: which outlier, by its number in time (default: the worst)");
  command->get_option("--outlier")->needs("--trial");
  command
      ->add_option("--breakpoint", options->breakpoint_us,
                   "In a trace that marks no outlier: wake-ups that took this long, in us, are one")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  command->add_flag("--json", options->json, "For programs");
  add_path_options(*command, *options);
  command->add_flag("-v,--verbose", options->verbose, "Every segment and every line of evidence");
  command->footer(
      "Exit code: 0 explained, 1 could not read it, 3 unknown or not provable (any of them).");
  command->callback([options, &exit_code] {
    exit_code = wants_path(*options) ? explain_path_of(*options) : explain_files(*options);
  });
}

}  // namespace rtsweep
