// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/run_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cassert>
#include <nlohmann/json.hpp>
#include <set>

#include "runner/base/files.h"

namespace rtsweep {

using nlohmann::json;
namespace fs = std::filesystem;

static void to_json(json& j, const RunHead& head) {
  json impossible = json::array();
  for (const auto& [cell, reason] : head.impossible) {
    impossible.push_back({{"cell", cell}, {"reason", reason}});
  }
  j = {{"format", kRunFormat},
       {"rtsweep", head.rtsweep_version},
       {"host", head.host},
       {"created", head.created},
       {"impossible", impossible}};
}

static void from_json(const json& j, RunHead& head) {
  j.at("rtsweep").get_to(head.rtsweep_version);
  j.at("host").get_to(head.host);
  j.at("created").get_to(head.created);
  for (const json& entry : j.at("impossible")) {
    head.impossible.emplace_back(entry.at("cell").get<Cell>(),
                                 entry.at("reason").get<std::string>());
  }
}

static void to_json(json& j, const KernelResult& kernel) {
  j = {{"name", kernel.name},
       {"arch", kernel.arch},
       {"release", kernel.release},
       {"package", kernel.package},
       {"image_sha256", kernel.image_sha256},
       {"options", kernel.options}};
  if (kernel.rt) j["rt"] = *kernel.rt;
}

static void from_json(const json& j, KernelResult& kernel) {
  j.at("name").get_to(kernel.name);
  j.at("arch").get_to(kernel.arch);
  j.at("release").get_to(kernel.release);
  j.at("package").get_to(kernel.package);
  j.at("image_sha256").get_to(kernel.image_sha256);
  if (j.contains("rt")) kernel.rt = j.at("rt").get<bool>();
  if (j.contains("options")) j.at("options").get_to(kernel.options);
}

namespace {

constexpr size_t kLongestName = 120;

// Letters, digits and a few signs stay; the rest of a level would be trouble in a path.
std::string file_name_part(std::string_view text) {
  std::string part;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view(".+-=").find(c) != std::string_view::npos;
    part += plain ? c : '-';
  }
  return part;
}

// Nothing there, or only the beginning of a run whose runner was killed before it was whole.
bool is_free(const fs::path& directory) {
  static const std::set<std::string> kBeginning = {"trials", "plan.toml", "plan.toml.new",
                                                   "run.json.new"};
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(directory, ec)) {
    if (!kBeginning.contains(entry.path().filename())) return false;
  }
  return true;
}

Result<RunHead> parse_head(const fs::path& file) {
  RTSWEEP_TRY(const std::string text, read_file(file));
  try {
    const json j = json::parse(text);
    const int format = j.at("format").get<int>();
    if (format > kRunFormat) {
      return Error(Errc::kBadData, fmt::format("{}: format {} is of a later rtsweep; this one "
                                               "reads up to {}",
                                               file.string(), format, kRunFormat));
    }
    return j.get<RunHead>();
  } catch (const json::exception& wrong) {
    return Error(Errc::kBadData, file.string() + ": " + wrong.what());
  }
}

std::vector<PlannedTrial> possible_trials(const Plan& plan, const RunHead& head) {
  std::vector<PlannedTrial> trials = order_trials(plan);
  std::erase_if(trials, [&](const PlannedTrial& trial) {
    return std::ranges::any_of(head.impossible,
                               [&](const auto& entry) { return entry.first == trial.cell; });
  });
  return trials;
}

}  // namespace

RunDirectory::RunDirectory(const fs::path& directory, Plan plan, RunHead head)
    : directory_(fs::absolute(directory).lexically_normal()),  // loads work elsewhere
      plan_(std::move(plan)),
      head_(std::move(head)),
      trials_(possible_trials(plan_, head_)) {}

Result<RunDirectory> RunDirectory::create(const fs::path& directory, const Plan& plan,
                                          const RunHead& head) {
  if (!is_free(directory)) {
    return Error(Errc::kIo, directory.string() +
                                ": is not empty; go on with 'rtsweep resume', or choose another "
                                "directory with --out");
  }
  RTSWEEP_CHECK_OK(make_directories(directory / "trials"));
  RTSWEEP_CHECK_OK(write_file_durably(directory / "plan.toml", plan.text));
  // run.json comes last: a directory that has it is whole.
  RTSWEEP_CHECK_OK(write_file_durably(directory / "run.json", json(head).dump(2) + "\n"));
  return RunDirectory(directory, plan, head);
}

Result<RunDirectory> RunDirectory::open(const fs::path& directory) {
  RTSWEEP_TRY(RunHead head, parse_head(directory / "run.json"));
  RTSWEEP_TRY(const std::string text, read_file(directory / "plan.toml"));
  RTSWEEP_TRY(Plan plan, parse_plan(text, directory / "plan.toml"));
  return RunDirectory(directory, std::move(plan), std::move(head));
}

const PlannedTrial& RunDirectory::trial(int id) const {
  const auto it = std::ranges::find(trials_, id, &PlannedTrial::id);
  assert(it != trials_.end());
  return *it;
}

std::string RunDirectory::trial_name(const PlannedTrial& trial) const {
  std::string name = fmt::format("trials/{:03}", trial.id);
  for (const Factor& factor : plan_.factors) {
    const auto level = trial.cell.find(factor.name);
    if (level == trial.cell.end() || level->second.empty()) continue;
    name += "_" + file_name_part(level->second);
  }
  return name.substr(0, kLongestName) + fmt::format("_r{}", trial.repetition);
}

Result<void> RunDirectory::write_machines(const RunMachines& machines) const {
  const json j = {{"emulator", machines.emulator}, {"kernels", machines.kernels}};
  return write_file_durably(directory_ / "kernels.json", j.dump(2) + "\n");
}

RunMachines RunDirectory::read_machines() const {
  const auto text = read_file(directory_ / "kernels.json");
  if (!text) return {};
  const json j = json::parse(*text, nullptr, false);
  if (j.is_discarded()) return {};
  return {.emulator = j.value("emulator", ""),
          .kernels = j.value("kernels", std::vector<KernelResult>())};
}

Result<void> RunDirectory::lock() {
  const fs::path file = directory_ / "lock";
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return Error::from_errno("open " + file.string(), errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error(Errc::kIo, directory_.string() + ": another rtsweep works on this run");
  }
  lock_ = std::move(fd);
  return {};
}

}  // namespace rtsweep
