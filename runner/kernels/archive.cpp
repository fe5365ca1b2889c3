// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/archive.h"

#include <fnmatch.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/kernels/apt_settings.h"
#include "runner/kernels/sha256.h"

namespace rtsweep {

namespace fs = std::filesystem;

// nlohmann-json finds these by their names.
static void to_json(nlohmann::json& json, const PackageId& id) {
  json = {{"name", id.name}, {"version", id.version}, {"arch", id.arch}};
}
static void from_json(const nlohmann::json& json, PackageId& id) {
  json.at("name").get_to(id.name);
  json.at("version").get_to(id.version);
  json.at("arch").get_to(id.arch);
}

namespace {

using std::chrono::hours;
using std::chrono::minutes;

bool matches_any(const std::string& name, std::span<const std::string> patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

// What of apt's answer the request wants. What it names is wanted in any case.
void keep_wanted(const PackageRequest& request, std::vector<PackageId>& packages) {
  std::erase_if(packages, [&](const PackageId& id) {
    if (std::ranges::find(request.packages, id.name) != request.packages.end()) return false;
    return !request.with_dependencies || matches_any(id.name, request.leave_out);
  });
  std::ranges::sort(packages);
}

// A request's record has a name made of all that it depends on.
fs::path record_file(const fs::path& directory, const PackageRequest& request) {
  const nlohmann::json all = {request.packages, request.with_dependencies, request.leave_out};
  return directory / "resolved" / (sha256(all.dump()).substr(0, 32) + ".json");
}

std::optional<std::vector<PackageId>> read_record(const fs::path& file) {
  const auto text = read_file(file);
  if (!text) return std::nullopt;
  try {
    return nlohmann::json::parse(*text).at("resolved").get<std::vector<PackageId>>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;  // damaged: ask apt again
  }
}

Result<void> write_record(const fs::path& file, const PackageRequest& request,
                          const std::vector<PackageId>& packages) {
  RTSWEEP_CHECK_OK(make_directories(file.parent_path()));
  const nlohmann::json record = {{"packages", request.packages}, {"resolved", packages}};
  return write_file_durably(file, record.dump(1) + "\n");
}

// The name that apt-get download gives a file.
std::string deb_name(const PackageId& id) {
  std::string version = id.version;
  if (const size_t colon = version.find(':'); colon != std::string::npos) {
    version.replace(colon, 1, "%3a");
  }
  return id.name + "_" + version + "_" + id.arch + ".deb";
}

fs::path beside(const fs::path& file, const char* suffix) { return file.string() + suffix; }

// The file's hash, if it is there and as it was when it was downloaded.
std::optional<std::string> intact_hash(const fs::path& file) {
  const auto recorded = read_file(beside(file, ".sha256"));
  if (!recorded) return std::nullopt;
  const auto now = sha256_of_file(file);
  if (!now || *now != trim(*recorded)) return std::nullopt;
  return *now;
}

bool younger_than(const fs::path& file, std::chrono::seconds age) {
  std::error_code ec;
  const auto written = fs::last_write_time(file, ec);
  return !ec && fs::file_time_type::clock::now() - written < age;
}

}  // namespace

ArchiveSettings ArchiveSettings::from_environment() {
  ArchiveSettings settings;
  settings.mirror = environment("RTSWEEP_DEBIAN_MIRROR").value_or(settings.mirror);
  while (settings.mirror.ends_with('/')) settings.mirror.pop_back();
  settings.keyring = environment("RTSWEEP_DEBIAN_KEYRING").value_or(settings.keyring.string());
  return settings;
}

// "Inst libc6 (2.36-9+deb12u14 Debian:12.15/oldstable [arm64]) []"
Result<std::vector<PackageId>> parse_simulation(std::string_view output) {
  std::vector<PackageId> packages;
  for (const std::string& line : split(output, '\n')) {
    if (!line.starts_with("Inst ")) continue;
    const std::vector<std::string> parts = words(line);
    const size_t version = line.find('(');
    const size_t end = line.find(')', version);
    const size_t arch = line.rfind('[', end);
    if (parts.size() < 3 || end == std::string::npos || arch == std::string::npos ||
        arch < version) {
      return Error(Errc::kBadData, "apt-get --simulate said: " + line);
    }
    packages.push_back({.name = split(parts[1], ':').front(),
                        .version = line.substr(version + 1, line.find(' ', version) - version - 1),
                        .arch = line.substr(arch + 1, line.find(']', arch) - arch - 1)});
  }
  return packages;
}

Archive::Place Archive::place(const std::string& suite, const std::string& arch) const {
  return {suite, arch, cache_.path("apt/" + suite + "-" + arch)};
}

Result<void> Archive::write_settings(const Place& place) const {
  std::error_code ec;
  if (!fs::exists(settings_.keyring, ec)) {
    return Error(Errc::kNotSupported,
                 "no " + settings_.keyring.string() +
                     " to check signatures with: install debian-archive-keyring");
  }
  RTSWEEP_CHECK_OK(make_directories(place.directory / "lists/partial"));
  RTSWEEP_CHECK_OK(make_directories(place.directory / "cache/archives/partial"));
  RTSWEEP_CHECK_OK(write_file_durably(place.directory / "status", ""));  // nothing is installed
  RTSWEEP_CHECK_OK(
      write_file_durably(place.directory / "sources.list", apt_sources(settings_, place.suite)));
  return write_file_durably(place.directory / "apt.conf",
                            apt_conf(place.directory, place.suite, place.arch));
}

Result<std::string> Archive::apt_get(const Place& place, const fs::path& directory,
                                     const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {
      "env", "-C", directory.string(),          "LC_ALL=C.UTF-8", "apt-get",
      "-q",  "-c", place.directory / "apt.conf"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto output = commands_.run(argv);
  if (!output) {
    return std::move(output).error().with_context("Debian " + place.suite + " " + place.arch);
  }
  return output;
}

// Mirrors sometimes fail on an index once, so a failed update is tried again. Lists
// that are there but old will do when the network is not there, unless the newest
// were asked for.
Result<void> Archive::refresh_lists(const Place& place, Freshness freshness) {
  const std::string sources = apt_sources(settings_, place.suite);
  const fs::path stamp = place.directory / "updated";
  const auto age = freshness == Freshness::kNewest ? minutes(5) : hours(24);
  const auto updated_from = read_file(stamp);
  const bool usable = updated_from && *updated_from == sources;
  if (usable && younger_than(stamp, age)) return {};
  auto update = apt_get(place, place.directory, {"update"});
  if (!update) update = apt_get(place, place.directory, {"update"});
  if (!update && usable && freshness == Freshness::kPinned) return {};
  if (!update) return std::move(update).error();
  return write_file_durably(stamp, sources);
}

Result<std::vector<PackageId>> Archive::ask_apt(const Place& place, const PackageRequest& request) {
  std::vector<std::string> arguments = {"--simulate", "--no-install-recommends", "install"};
  arguments.insert(arguments.end(), request.packages.begin(), request.packages.end());
  RTSWEEP_TRY(const std::string output, apt_get(place, place.directory, arguments));
  RTSWEEP_TRY(auto packages, parse_simulation(output));
  keep_wanted(request, packages);
  return packages;
}

std::optional<std::vector<PackageId>> Archive::resolved_before(
    const PackageRequest& request) const {
  return read_record(record_file(place(request.suite, request.arch).directory, request));
}

Result<std::vector<PackageId>> Archive::resolve(const PackageRequest& request,
                                                Freshness freshness) {
  if (freshness == Freshness::kPinned) {
    if (auto known = resolved_before(request)) return *std::move(known);
  }
  const Place where = place(request.suite, request.arch);
  RTSWEEP_TRY(const CacheLock held, cache_.lock("apt-" + where.suite + "-" + where.arch));
  RTSWEEP_CHECK_OK(write_settings(where));
  RTSWEEP_CHECK_OK(refresh_lists(where, freshness));
  RTSWEEP_TRY(auto packages, ask_apt(where, request));
  RTSWEEP_CHECK_OK(write_record(record_file(where.directory, request), request, packages));
  return packages;
}

// apt-get download leaves its files in the current directory and has checked them;
// the hash written beside each tells later that it is complete and unchanged.
Result<void> Archive::download_to_pool(const Place& place, std::span<const PackageId> packages) {
  std::vector<std::string> arguments = {"download"};
  for (const PackageId& id : packages) arguments.push_back(id.name + "=" + id.version);
  const fs::path part = place.directory / "part";
  std::error_code ec;
  fs::remove_all(part, ec);
  RTSWEEP_CHECK_OK(make_directories(part));
  RTSWEEP_CHECK_OK(make_directories(cache_.path("debs")));
  auto output = apt_get(place, part, arguments);
  if (!output) return std::move(output).error();
  for (const PackageId& id : packages) {
    const fs::path file = cache_.path("debs") / deb_name(id);
    RTSWEEP_TRY(const std::string hash, sha256_of_file(part / deb_name(id)));
    fs::rename(part / deb_name(id), file, ec);
    if (ec) return Error(Errc::kIo, "rename to " + file.string() + ": " + ec.message());
    RTSWEEP_CHECK_OK(write_file_durably(beside(file, ".sha256"), hash + "\n"));
  }
  return {};
}

Result<std::vector<Deb>> Archive::download(const std::string& suite, const std::string& arch,
                                           std::span<const PackageId> packages) {
  const Place where = place(suite, arch);
  RTSWEEP_TRY(const CacheLock held, cache_.lock("apt-" + suite + "-" + arch));
  std::vector<Deb> debs;
  std::vector<PackageId> missing;
  for (const PackageId& id : packages) {
    const fs::path file = cache_.path("debs") / deb_name(id);
    const auto hash = intact_hash(file);
    if (!hash) missing.push_back(id);
    debs.push_back({.package = id, .file = file, .sha256 = hash.value_or("")});
  }
  if (missing.empty()) return debs;
  RTSWEEP_CHECK_OK(write_settings(where));
  RTSWEEP_CHECK_OK(download_to_pool(where, missing));
  for (Deb& deb : debs) {
    if (!deb.sha256.empty()) continue;
    RTSWEEP_TRY(deb.sha256, sha256_of_file(deb.file));
  }
  return debs;
}

// A version that was remembered may have left the archive since: then a download
// fails although the network is fine, and only newer ones can be had.
Result<std::vector<Deb>> Archive::fetch(const PackageRequest& request, Freshness freshness) {
  RTSWEEP_TRY(const auto packages, resolve(request, freshness));
  auto debs = download(request.suite, request.arch, packages);
  if (debs || freshness == Freshness::kNewest) return debs;
  auto newest = resolve(request, Freshness::kNewest);
  if (!newest || *newest == packages) return debs;
  return download(request.suite, request.arch, *newest);
}

}  // namespace rtsweep
