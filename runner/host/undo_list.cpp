// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/undo_list.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <tuple>

#include "analysis/tuning_result.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/host/services.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using Kind = UndoEntry::Kind;

constexpr char kLockFile[] = "undo.lock";
constexpr char kStateDirectory[] = "/var/lib/rtsweep";
constexpr char kBootId[] = "proc/sys/kernel/random/boot_id";
constexpr std::string_view kInterrupts = "proc/irq/";

Result<UniqueFd> take_lock(const fs::path& directory) {
  const fs::path path = directory / kLockFile;
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return Error::from_errno("open " + path.string(), errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) return Error::from_errno("lock " + path.string(), errno);
  return Error(Errc::kNotSupported, "another rtsweep tunes this machine now (it holds " +
                                        path.string() + "); wait until it has ended");
}

// Somebody else's list would make us write his values.
Result<void> check_owner(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) return Error::from_errno("stat " + file.string(), errno);
  if (S_ISREG(status.st_mode) && status.st_uid == ::geteuid()) return {};
  return Error(Errc::kBadData, file.string() + ": not a file of this user; it is not used");
}

bool may_be_written(std::string_view file) {
  const std::vector<std::string> parts = split(file, '/');
  if (std::ranges::find(parts, "..") != parts.end()) return false;
  return file.starts_with("sys/") || file.starts_with("proc/sys/") || file.starts_with(kInterrupts);
}

// "sys/kernel/tracing/instances/NAME"
bool may_be_removed(std::string_view directory) {
  const fs::path path(directory);
  return may_be_written(directory) && path.parent_path().filename() == "instances" &&
         !path.filename().empty();
}

std::optional<UndoEntry> parse_line(const std::string& line) {
  const auto j = nlohmann::json::parse(line, nullptr, false);
  if (!j.is_object()) return std::nullopt;
  try {
    UndoEntry entry{.boot = j.at("boot").get<std::string>()};
    if (j.contains("service")) {
      entry.kind = Kind::kService;
      j.at("service").get_to(entry.name);
      return entry.name.empty() ? std::nullopt : std::optional(entry);
    }
    if (j.contains("instance")) {
      entry.kind = Kind::kTraceInstance;
      j.at("instance").get_to(entry.name);
      return may_be_removed(entry.name) ? std::optional(entry) : std::nullopt;
    }
    j.at("file").get_to(entry.name);
    j.at("old").get_to(entry.old);
    entry.via = j.value("via", "");
    return may_be_written(entry.name) ? std::optional(entry) : std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void add_part(std::string& text, int count, const char* one, const char* many) {
  if (count == 0) return;
  text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
}

}  // namespace

std::string undo_line(const UndoEntry& entry) {
  nlohmann::json j = {{"boot", entry.boot}};
  if (entry.kind == Kind::kService) {
    j["service"] = entry.name;
  } else if (entry.kind == Kind::kTraceInstance) {
    j["instance"] = entry.name;
  } else {
    j["file"] = entry.name;
    j["old"] = entry.old;
    if (!entry.via.empty()) j["via"] = entry.via;
  }
  // Whatever a kernel file held must not make this throw.
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

UndoEntries parse_undo_list(std::string_view text) {
  UndoEntries list;
  const std::string_view whole = text.substr(0, text.rfind('\n') + 1);  // npos + 1 is 0
  for (const std::string& line : split(whole, '\n')) {
    if (line.empty()) continue;
    if (auto entry = parse_line(line)) {
      list.entries.push_back(*std::move(entry));
    } else {
      ++list.damaged;
    }
  }
  return list;
}

bool UndoReport::empty() const {
  return restored == 0 && of_earlier_boot == 0 && damaged == 0 && vanished.empty() &&
         failed.empty();
}

std::string UndoReport::text() const {
  std::string text;
  add_part(text, restored, "setting put back", "settings put back");
  add_part(text, of_earlier_boot, "of an earlier boot was gone with it",
           "of an earlier boot were gone with it");
  add_part(text, damaged, "line of the undo list could not be read",
           "lines of the undo list could not be read");
  if (!vanished.empty()) text += (text.empty() ? "" : ", ") + ("gone: " + join(vanished, ", "));
  if (!failed.empty()) {
    text += (text.empty() ? "" : ", ") + ("NOT put back: " + join(failed, "; "));
  }
  return text;
}

Result<UndoList> UndoList::open(HostRoot host, CommandRunner& commands, const fs::path& directory) {
  RTSWEEP_CHECK_OK(make_directories(directory));
  RTSWEEP_CHECK_OK(sync_directory(directory.parent_path()));
  RTSWEEP_TRY(UniqueFd lock, take_lock(directory));
  UndoList list(std::move(host), commands, directory / kUndoFile, std::move(lock));
  RTSWEEP_CHECK_OK(list.load());
  return list;
}

bool UndoList::left_in(const fs::path& directory) {
  std::error_code ec;
  const auto size = fs::file_size(directory / kUndoFile, ec);
  return !ec && size > 0;
}

Result<void> UndoList::load() {
  // Where the kernel does not say, every list is of this boot.
  if (auto boot = host_.read(kBootId)) boot_ = *std::move(boot);
  std::error_code ec;
  if (!fs::exists(fs::symlink_status(file_, ec))) return {};
  RTSWEEP_CHECK_OK(check_owner(file_));
  RTSWEEP_TRY(const std::string text, read_file(file_));
  UndoEntries list = parse_undo_list(text);
  entries_ = std::move(list.entries);
  damaged_ = list.damaged;
  return {};
}

Result<void> UndoList::save() const {
  std::string text;
  for (const UndoEntry& entry : entries_) text += undo_line(entry);
  return write_file_durably(file_, text);
}

bool UndoList::knows(const UndoEntry& entry) const {
  return std::ranges::any_of(entries_, [&](const UndoEntry& known) {
    return known.kind == entry.kind && known.name == entry.name && known.boot == entry.boot;
  });
}

Result<void> UndoList::remember(std::vector<UndoEntry> entries) {
  std::vector<UndoEntry> fresh;
  for (UndoEntry& entry : entries) {
    entry.boot = boot_;
    if (!knows(entry)) fresh.push_back(std::move(entry));
  }
  if (fresh.empty()) return {};
  std::ranges::move(fresh, std::back_inserter(entries_));
  return save();
}

bool UndoList::put_back_file(const UndoEntry& entry, UndoReport& report) const {
  const auto now = host_.read(entry.name);
  std::error_code ec;
  if (!now && !fs::exists(host_.path(entry.name), ec)) {
    report.vanished.push_back("/" + entry.name);
    return entry.name.starts_with(kInterrupts);
  }
  if (now && same_setting(entry.old, *now)) return true;
  if (!entry.via.empty()) std::ignore = host_.write(entry.name, entry.via);
  if (const auto written = host_.write(entry.name, entry.old); !written) {
    report.failed.push_back(written.error().message());
    return false;
  }
  const auto after = host_.read(entry.name);
  if (after && same_setting(entry.old, *after)) {
    ++report.restored;
    return true;
  }
  report.failed.push_back(fmt::format("/{} stays {} instead of {}", entry.name,
                                      after ? settable_value(*after) : "unreadable", entry.old));
  return false;
}

bool UndoList::put_back_service(const UndoEntry& entry, UndoReport& report) const {
  Services services(host_, *commands_);
  const auto before = services.state(entry.name);
  // Also one that is active: its stop may still be on the way when our systemctl was
  // killed, and a start takes that back.
  const auto started = services.start(entry.name);
  if (!started) {
    report.failed.push_back(started.error().message());
    return false;
  }
  if (!before || *before != kServiceActive) ++report.restored;
  return true;
}

// Its tracer is stopped by the removal (__remove_instance of kernel/trace/trace.c).
bool UndoList::remove_instance(const UndoEntry& entry, UndoReport& report) const {
  const fs::path directory = host_.path(entry.name);
  if (::rmdir(directory.c_str()) == 0) {
    ++report.restored;
    return true;
  }
  if (errno == ENOENT) return true;
  report.failed.push_back(Error::from_errno("remove " + directory.string(), errno).message());
  return false;
}

bool UndoList::put_back(const UndoEntry& entry, UndoReport& report) const {
  if (entry.boot != boot_) {
    ++report.of_earlier_boot;
    return true;
  }
  if (entry.kind == Kind::kTraceInstance) return remove_instance(entry, report);
  return entry.kind == Kind::kFile ? put_back_file(entry, report) : put_back_service(entry, report);
}

Result<UndoReport> UndoList::undo() {
  UndoReport report{.damaged = damaged_};
  if (entries_.empty() && damaged_ == 0) return report;
  std::ranges::reverse(entries_);
  std::vector<UndoEntry> kept;
  for (const UndoEntry& entry : entries_) {
    if (!put_back(entry, report)) kept.push_back(entry);
  }
  std::ranges::reverse(kept);
  entries_ = std::move(kept);
  damaged_ = 0;
  RTSWEEP_CHECK_OK(save());
  return report;
}

fs::path state_directory() {
  const char* set = std::getenv("RTSWEEP_STATE");
  return set != nullptr && *set != '\0' ? set : kStateDirectory;
}

UndoPlace undo_place(const fs::path& run_directory) {
  const fs::path state = state_directory();
  const auto made = make_directories(state);
  if (made && ::access(state.c_str(), W_OK | X_OK) == 0) return {state, ""};
  return {run_directory,
          fmt::format("the undo list of tuning is in the run directory: {}; should this run be "
                      "killed, tuning stays until it is resumed",
                      made ? state.string() + " cannot be written" : made.error().message())};
}

}  // namespace rtsweep
