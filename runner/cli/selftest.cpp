// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep selftest --faults: proves on this machine that bad trials are caught.
// rtsweep selftest --determinism: that virtual time gives the same numbers again.
// rtsweep selftest --causes: that explain names what delayed a kernel.
// rtsweep selftest --statistics: that the error rates of the statistics are as stated.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/cli/causes_text.h"
#include "runner/cli/commands.h"
#include "runner/cli/error_rates_text.h"
#include "runner/cli/run_session.h"
#include "runner/selftest/determinism.h"
#include "runner/selftest/fault.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

struct Options {
  bool faults = false;
  bool determinism = false;
  bool causes = false;
  bool statistics = false;
  bool json = false;
  bool doctored_only = false;
  std::string only;
  std::string arch;
  std::string keep;
  size_t replications = simulation::Effort{}.comparisons;
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

int test_faults(const Options& options, const fs::path& scratch) {
  if (!options.json) {
    fmt::print("{:<28} {:<8} {:<28} {:<8} {}\n", "fault", "kind", "reason", "verdict", "");
  }
  const auto outcomes = run_faults({.scratch = scratch,
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

nlohmann::json json_of(const DeterminismOutcome& outcome) {
  return {{"kernel", outcome.kernel},   {"arch", outcome.arch},
          {"release", outcome.release}, {"identical", outcome.identical},
          {"runs", outcome.runs},       {"one_run_is_exact", outcome.record},
          {"sha256", outcome.sha256},   {"text", outcome.note}};
}

void print_row(const DeterminismOutcome& outcome) {
  fmt::print("{:<8} {:<6} {:<28} {} runs  {}\n", outcome.kernel, outcome.arch, outcome.release,
             outcome.runs, outcome.identical ? "identical" : "DIFFERENT: " + outcome.note);
  std::fflush(stdout);
}

int test_determinism(const Options& options, const fs::path& scratch) {
  const auto outcomes =
      run_determinism({.scratch = scratch, .guests = guests_directory(), .arch = options.arch},
                      [&](const DeterminismOutcome& outcome) {
                        if (!options.json) print_row(outcome);
                      });
  if (!outcomes) return fail(outcomes.error());
  const bool good = std::ranges::all_of(*outcomes, &DeterminismOutcome::identical);
  if (options.json) {
    nlohmann::json kernels = nlohmann::json::array();
    for (const DeterminismOutcome& outcome : *outcomes) kernels.push_back(json_of(outcome));
    std::cout << nlohmann::json{{"kernels", kernels}, {"good", good}}.dump(2) << "\n";
  }
  return good ? kWithinLimits : kInvalidResult;
}

// 1 when a kind could not be made, 2 when too many are not named.
int test_causes(const Options& options, const fs::path& scratch) {
  const auto results =
      run_causes({.scratch = scratch, .guests = guests_directory(), .only = options.only},
                 [&](const InjectionResult& result) {
                   if (options.json) return;
                   fmt::print("{}", injection_result_text(result));
                   std::fflush(stdout);
                 });
  if (!results) return fail(results.error());
  const CausesSummary summary = summarize(*results, options.only.empty() ? kEnoughOutliers : 1);
  if (options.json) {
    std::cout << causes_json(*results, summary).dump(2) << "\n";
  } else {
    fmt::print("\n{}", causes_text(*results, summary));
  }
  if (summary.errors > 0 || summary.injected == 0) return kCouldNotWork;
  return summary.good ? kWithinLimits : kLimitExceeded;
}

// The intervals' effort goes down with that of the comparisons.
int test_statistics(const Options& options) {
  simulation::Effort effort;
  const double share =
      static_cast<double>(options.replications) / static_cast<double>(effort.comparisons);
  const auto scaled = [&](size_t usual) {
    return std::max<size_t>(1, static_cast<size_t>(static_cast<double>(usual) * share));
  };
  effort = {options.replications, scaled(effort.intervals), scaled(effort.levels)};
  const auto rates = simulation::measure_error_rates(effort);
  if (options.json) {
    std::cout << error_rates_json(rates).dump(2) << "\n";
  } else {
    std::cout << error_rates_text(rates);
  }
  return rates.missed().empty() ? kWithinLimits : kLimitExceeded;
}

int run_selftest(const Options& options) {
  if (options.faults + options.determinism + options.causes + options.statistics != 1) {
    return fail(Error(Errc::kInvalidPlan,
                      "selftest needs one of --faults, --causes, --determinism, --statistics"));
  }
  if (options.statistics) return test_statistics(options);
  const Scratch scratch(options.keep);
  if (options.faults) return test_faults(options, scratch.path());
  if (options.causes) return test_causes(options, scratch.path());
  return test_determinism(options, scratch.path());
}

}  // namespace

void add_selftest_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("selftest", "Prove on this machine that rtsweep keeps its promises");
  command->add_flag("--faults", options->faults, "Make every fault of the catalogue, and catch it");
  command->add_flag("--determinism", options->determinism,
                    "Measure with every RT kernel three times: virtual time must repeat exactly");
  command->add_flag("--causes", options->causes,
                    "Delay real kernels in eleven ways; explain must name kind and place");
  command->add_flag("--statistics", options->statistics,
                    "Count false alarms, misses and coverage on simulated machines");
  command
      ->add_option("--replications", options->replications,
                   "Simulated cells for each number, for --statistics")
      ->check(CLI::Range(size_t{48}, size_t{10'000'000}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--doctored", options->doctored_only,
                    "Only faults that need no VM: seconds instead of minutes");
  command->add_option("--only", options->only, "One fault or cause, by its name");
  command->add_option("--arch", options->arch, "One architecture, for --determinism");
  command->add_option("--keep", options->keep, "Leave the trials in this new directory");
  command->callback([options, &exit_code] { exit_code = run_selftest(*options); });
}

}  // namespace rtsweep
