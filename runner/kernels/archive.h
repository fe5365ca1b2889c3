// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/base/command.h"
#include "runner/base/result.h"
#include "runner/kernels/cache.h"

namespace rtsweep {

// One version of a package, as Debian's archive identifies it.
struct PackageId {
  std::string name;
  std::string version;
  std::string arch;  // or "all"

  friend auto operator<=>(const PackageId&, const PackageId&) = default;
};

// A package file on this machine's disk.
struct Deb {
  PackageId package;
  std::filesystem::path file;
  std::string sha256;
};

struct PackageRequest {
  std::string suite;  // "bookworm", "bookworm-security", "trixie", ...
  std::string arch;   // of the machine that will run them
  std::vector<std::string> packages;
  bool with_dependencies = true;       // all that they depend on, recommendations not
  std::vector<std::string> leave_out;  // shell patterns: dependencies not to be fetched
};

// kPinned: the same versions as last time, if there was one, and then no network.
// kNewest: what the archive has now.
enum class Freshness { kPinned, kNewest };

struct ArchiveSettings {
  std::string mirror = "http://deb.debian.org/debian";
  std::filesystem::path keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

  // $RTSWEEP_DEBIAN_MIRROR and $RTSWEEP_DEBIAN_KEYRING, where they are set. Security
  // updates are looked for beside the mirror: MIRROR-security.
  static ArchiveSettings from_environment();
};

// Debian's archive, for any release and architecture, whatever this machine runs.
// apt does the work, with a state directory of its own for each release and
// architecture: nothing of the machine's own apt is read or changed but its network
// settings. apt checks the signatures with Debian's keyring.
class Archive {
 public:
  Archive(const Cache& cache, CommandRunner& commands,
          ArchiveSettings settings = ArchiveSettings::from_environment())
      : cache_(cache), commands_(commands), settings_(std::move(settings)) {}

  // The packages asked for and, unless they are not wanted, all that they depend on;
  // sorted. Nothing is installed, so all of it is in the list, libc6 too. What a
  // request resolved to is remembered.
  Result<std::vector<PackageId>> resolve(const PackageRequest& request,
                                         Freshness freshness = Freshness::kPinned);

  // What a request resolved to before, if it did; asks nobody.
  std::optional<std::vector<PackageId>> resolved_before(const PackageRequest& request) const;

  // Their files, in the same order; downloads those that the cache does not have.
  Result<std::vector<Deb>> download(const std::string& suite, const std::string& arch,
                                    std::span<const PackageId> packages);

  // Both.
  Result<std::vector<Deb>> fetch(const PackageRequest& request,
                                 Freshness freshness = Freshness::kPinned);

 private:
  struct Place {
    std::string suite;
    std::string arch;
    std::filesystem::path directory;  // apt's state
  };

  Place place(const std::string& suite, const std::string& arch) const;
  Result<void> write_settings(const Place& place) const;
  Result<void> refresh_lists(const Place& place, Freshness freshness);
  Result<std::string> apt_get(const Place& place, const std::filesystem::path& directory,
                              const std::vector<std::string>& arguments);
  Result<std::vector<PackageId>> ask_apt(const Place& place, const PackageRequest& request);
  Result<void> download_to_pool(const Place& place, std::span<const PackageId> packages);

  const Cache& cache_;
  CommandRunner& commands_;
  ArchiveSettings settings_;
};

// What `apt-get --simulate install` would install.
Result<std::vector<PackageId>> parse_simulation(std::string_view output);

}  // namespace rtsweep
