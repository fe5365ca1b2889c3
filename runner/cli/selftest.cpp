// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep selftest --faults: proves on this machine that bad trials are caught.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/cli/commands.h"
#include "runner/cli/run_session.h"
#include "runner/selftest/fault.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

struct Options {
  bool faults = false;
  bool json = false;
  bool doctored_only = false;
  std::string only;
  std::string keep;
};

bool is_good(const FaultOutcome& outcome) { return outcome.caught && outcome.control_ok; }

std::string_view answer(const FaultOutcome& outcome) {
  if (is_good(outcome)) return "caught";
  return outcome.caught ? "control not clean" : "MISSED";
}

void print_row(const FaultOutcome& outcome) {
  fmt::print("{:<28} {:<8} {:<28} {:<8} {}\n", outcome.name, outcome.real ? "real" : "doctored",
             outcome.code, outcome.verdict, answer(outcome));
  if (!is_good(outcome)) {
    fmt::print("  found {}: {}\n", outcome.codes.empty() ? "nothing" : join(outcome.codes, ", "),
               outcome.note);
  }
  std::fflush(stdout);
}

nlohmann::json json_of(const FaultOutcome& outcome) {
  return {
      {"name", outcome.name},       {"what", outcome.what},   {"code", outcome.code},
      {"caught", outcome.caught},   {"real", outcome.real},   {"control_pass", outcome.control_ok},
      {"verdict", outcome.verdict}, {"codes", outcome.codes}, {"text", outcome.note}};
}

void print_summary(const std::vector<FaultOutcome>& outcomes) {
  const auto caught = std::ranges::count_if(outcomes, is_good);
  const auto real = std::ranges::count_if(outcomes, &FaultOutcome::real);
  fmt::print("{} of {} faults caught with their own reason, {} of them real\n", caught,
             outcomes.size(), real);
}

// Removed with the object, unless the user wants to look at it.
class Scratch {
 public:
  explicit Scratch(const std::string& keep) : keep_(!keep.empty()) {
    std::string name = (fs::temp_directory_path() / "rtsweep-selftest.XXXXXX").string();
    if (keep_) {
      path_ = keep;
    } else if (::mkdtemp(name.data()) != nullptr) {
      path_ = name;
    }
  }
  ~Scratch() {
    std::error_code ec;
    if (!keep_ && !path_.empty()) fs::remove_all(path_, ec);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const fs::path& path() const { return path_; }

 private:
  bool keep_;
  fs::path path_;
};

int run_selftest(const Options& options) {
  const Scratch scratch(options.keep);
  if (!options.json) {
    fmt::print("{:<28} {:<8} {:<28} {:<8} {}\n", "fault", "kind", "reason", "verdict", "");
  }
  const auto outcomes = run_faults({.scratch = scratch.path(),
                                    .guests = guests_directory(),
                                    .real = !options.doctored_only,
                                    .only = options.only},
                                   [&](const FaultOutcome& outcome) {
                                     if (!options.json) print_row(outcome);
                                   });
  if (!outcomes) return fail(outcomes.error());
  const bool good = std::ranges::all_of(*outcomes, is_good);
  if (options.json) {
    nlohmann::json faults = nlohmann::json::array();
    for (const FaultOutcome& outcome : *outcomes) faults.push_back(json_of(outcome));
    std::cout << nlohmann::json{{"faults", faults}, {"good", good}}.dump(2) << "\n";
  } else {
    print_summary(*outcomes);
  }
  return good ? kWithinLimits : kInvalidResult;
}

}  // namespace

void add_selftest_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("selftest", "Prove that rtsweep catches bad trials here");
  command->add_flag("--faults", options->faults, "Make every fault of the catalogue, and catch it")
      ->required();
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--doctored", options->doctored_only,
                    "Only faults that need no VM: seconds instead of minutes");
  command->add_option("--only", options->only, "One fault, by its name");
  command->add_option("--keep", options->keep, "Leave the trials in this new directory");
  command->callback([options, &exit_code] { exit_code = run_selftest(*options); });
}

}  // namespace rtsweep
