// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/virtual/rerun_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/base/files.h"
#include "runner/boot/vm_results.h"
#include "runner/boot/vm_target.h"
#include "runner/run/raw_files.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Result<json> read_json(const fs::path& file) {
  RTSWEEP_TRY(const std::string text, read_file(file));
  json parsed = json::parse(text, nullptr, false);
  if (parsed.is_object()) return parsed;
  return Error(Errc::kBadData, file.string() + ": not a JSON object");
}

Result<std::vector<std::string>> differences(const fs::path& before, const fs::path& after) {
  RTSWEEP_TRY(const json one, read_json(before / kIdentityFile));
  RTSWEEP_TRY(const json other, read_json(after / kIdentityFile));
  std::vector<std::string> fields;
  for (const auto& [name, value] : one.items()) {
    if (name != "argv" && (!other.contains(name) || other.at(name) != value)) {
      fields.push_back(name);
    }
  }
  return fields;
}

bool same_file(const fs::path& before, const fs::path& after, const char* name) {
  const auto one = read_file(before / name);
  const auto other = read_file(after / name);
  return one && other && *one == *other;
}

bool same_thread(const CyclictestThread& one, const CyclictestThread& other) {
  return one.cycles == other.cycles && one.histogram == other.histogram &&
         one.overflows == other.overflows && one.min == other.min && one.max == other.max;
}

bool same_samples(const fs::path& before, const fs::path& after) {
  const RawTrial one = read_raw_trial(before);
  const RawTrial other = read_raw_trial(after);
  return one.json && other.json &&
         std::ranges::equal(one.json->threads, other.json->threads, same_thread);
}

Result<void> check_end(const fs::path& directory) {
  RTSWEEP_TRY(const json end, read_json(directory / kEndFile));
  const auto ended = end.get<TrialEnd>();
  if (ended.kind == TrialEnd::Kind::kComplete) return {};
  return Error(Errc::kBadData,
               fmt::format("the trial was measured again and ended as {}{}{}", end_name(ended.kind),
                           ended.message.empty() ? "" : ": ", ended.message));
}

void add_parameter(Cell& cell, const std::string& parameter) {
  if (parameter.empty()) return;
  std::string& cmdline = cell["cmdline"];
  cmdline += cmdline.empty() ? parameter : " " + parameter;
}

}  // namespace

Result<Rerun> rerun_trial(const RunDirectory& run, const PlannedTrial& trial,
                          const RerunOptions& options, const std::atomic<bool>& stop,
                          const Listener& listener) {
  const Plan& plan = run.plan();
  if (plan.target != "vm" || !plan.virtual_clock) {
    return Error(Errc::kNotSupported,
                 run.path().string() +
                     ": not measured in virtual time (target \"vm\", clock "
                     "\"virtual\"), so no trial of it can be repeated exactly");
  }
  PlannedTrial again = trial;
  add_parameter(again.cell, options.parameter);
  VmTarget target(options.guests);
  target.set_plugin(options.plugin);
  RTSWEEP_CHECK_OK(make_directories(options.directory));
  RTSWEEP_CHECK_OK(target.prepare(plan, {&again, 1}, listener));
  RTSWEEP_CHECK_OK(target.measure(plan, again, options.directory, stop, listener));
  RTSWEEP_CHECK_OK(check_end(options.directory));
  const fs::path before = run.trial_directory(trial);
  std::error_code ec;
  Rerun rerun{.same_results = same_file(before, options.directory, kResultsFile),
              .same_console = same_file(before, options.directory, kConsoleFile),
              .has_results = fs::exists(before / kResultsFile, ec),
              .same_samples = same_samples(before, options.directory)};
  if (options.parameter.empty()) {
    RTSWEEP_TRY(rerun.other_identity, differences(before, options.directory));
  }
  return rerun;
}

}  // namespace rtsweep
