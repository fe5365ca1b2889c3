// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/package_trim.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "runner/base/text.h"
#include "runner/kernels/elf.h"
#include "runner/kernels/mapped_file.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

bool matches_any(const std::string& text, std::span<const std::string> patterns) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }

bool is_library(const std::string& path, const GuestEntry& entry) {
  return !S_ISDIR(entry.mode) && path.starts_with("usr/lib") &&
         ::fnmatch("*.so.[0-9]*", name_of(path).c_str(), 0) == 0;
}

// What this entry needs, by file name: an ELF file its libraries, a link its target.
Result<std::vector<std::string>> needs_of(const GuestEntry& entry) {
  if (S_ISLNK(entry.mode)) return std::vector<std::string>{name_of(entry.content)};
  if (!S_ISREG(entry.mode) || entry.from.empty()) return std::vector<std::string>{};
  RTSWEEP_TRY(const MappedFile file, MappedFile::open(entry.from));
  return needed_libraries(file.content());
}

// The libraries reachable from everything that is not a library itself.
class Reachable {
 public:
  Reachable(const GuestTree& tree, const TrimRules& rules) : tree_(tree), rules_(rules) {}

  Result<std::set<std::string>> find() {
    for (const auto& [path, entry] : tree_.entries()) {
      if (is_library(path, entry)) libraries_[name_of(path)].push_back(&entry);
    }
    for (const auto& [path, entry] : tree_.entries()) {
      const bool kept = !is_library(path, entry) || matches_any(name_of(path), rules_.libraries);
      if (!kept) continue;
      if (is_library(path, entry)) names_.insert(name_of(path));
      RTSWEEP_CHECK_OK(follow(entry));
    }
    return names_;
  }

 private:
  Result<void> follow(const GuestEntry& entry) {
    RTSWEEP_TRY(const auto needs, needs_of(entry));
    for (const std::string& name : needs) {
      const auto it = libraries_.find(name);
      if (it == libraries_.end() || !names_.insert(name).second) continue;
      for (const GuestEntry* library : it->second) RTSWEEP_CHECK_OK(follow(*library));
    }
    return {};
  }

  const GuestTree& tree_;
  const TrimRules& rules_;
  std::map<std::string, std::vector<const GuestEntry*>> libraries_;  // by file name
  std::set<std::string> names_;
};

bool is_below(const fs::path& file, std::span<const fs::path> directories) {
  return std::ranges::any_of(directories, [&](const fs::path& directory) {
    return file.string().starts_with(directory.string() + "/");
  });
}

bool is_program(const std::string& path, const GuestEntry& entry) {
  return S_ISREG(entry.mode) && (path.starts_with("usr/bin/") || path.starts_with("usr/sbin/"));
}

}  // namespace

// What only maintainer scripts need, or scripts that come beside the programs; and what
// a library brings for a screen.
std::vector<std::string> default_left_out_packages() {
  return words(R"(
      perl* libperl* lib*-perl python3* libpython3*
      adduser debconf* dpkg dmsetup init-system-helpers libpam* libsemanage* passwd
      sensible-utils tar ucf usrmerge
      gcc-*-base media-types readline-common tzdata
      libgl1-mesa-dri libllvm* libx11-data)");
}

// Documents, desktops and languages; plugins for what no guest does; logging in, which
// needs PAM; of the compiler, link-time optimisation, sanitizers and static linking.
std::vector<std::string> default_left_out_paths() {
  return words(R"(
      usr/bin/su usr/sbin/runuser usr/sbin/agetty usr/sbin/sulogin
      usr/share/doc/* usr/share/doc-base/* usr/share/man/* usr/share/info/* usr/share/locale/*
      usr/share/applications/* usr/share/apport/* usr/share/bash-completion/* usr/share/bug/*
      usr/share/drirc.d/* usr/share/fonts/* usr/share/gdb/* usr/share/icons/*
      usr/share/initramfs-tools/* usr/share/lintian/* usr/share/menu/* usr/share/perl*
      usr/share/pixmaps/* usr/share/python* usr/share/zoneinfo/*
      usr/lib/*/dri/* usr/lib/*/engines-3/* usr/lib/*/gconv/* usr/lib/*/gprofng/*
      usr/lib/*/krb5/* usr/lib/*/perl* usr/lib/locale/* usr/lib/python* usr/lib/systemd/*
      usr/bin/*-dwp usr/bin/*gcov* usr/bin/*-gold usr/bin/*ld.gold usr/bin/*gp-display-*
      usr/bin/*gprofng* usr/bin/*lto-dump*
      usr/lib/gcc/*/lib?san* usr/lib/gcc/*/libhwasan* usr/lib/gcc/*/lto1
      usr/lib/gcc/*/lto-wrapper
      usr/lib/*/libc.a usr/lib/*/libm.a usr/lib/*/libm-*.a
      var/*)");
}

void link_nested_libraries(GuestTree& tree) {
  std::map<std::string, std::string> links;  // path to target
  for (const auto& [path, entry] : tree.entries()) {
    const std::vector<std::string> parts = split(path, '/');  // usr lib T blas libblas.so.3
    if (parts.size() != 5 || !is_library(path, entry)) continue;
    const std::string link = parts[0] + "/" + parts[1] + "/" + parts[2] + "/" + parts[4];
    if (!tree.contains(link)) links.emplace(link, parts[3] + "/" + parts[4]);
  }
  for (const auto& [link, target] : links) tree.add_link(link, target);
}

Result<void> check_libraries(const GuestTree& tree, std::span<const fs::path> directories) {
  std::set<std::string> libraries;
  for (const auto& [path, entry] : tree.entries()) {
    if (path.starts_with("usr/lib")) libraries.insert(name_of(path));
  }
  for (const auto& [path, entry] : tree.entries()) {
    if (!is_program(path, entry) || !is_below(entry.from, directories)) continue;
    RTSWEEP_TRY(const auto needs, needs_of(entry));
    for (const std::string& library : needs) {
      if (libraries.contains(library)) continue;
      return Error(Errc::kNotSupported,
                   path + " needs " + library +
                       ", whose package is left out of guests: name that package too");
    }
  }
  return {};
}

Result<void> trim(GuestTree& tree, const TrimRules& rules) {
  tree.erase_if(
      [&](const std::string& path, const GuestEntry&) { return matches_any(path, rules.paths); });
  RTSWEEP_TRY(const auto needed, Reachable(tree, rules).find());
  tree.erase_if([&](const std::string& path, const GuestEntry& entry) {
    return is_library(path, entry) && !needed.contains(name_of(path));
  });
  return {};
}

}  // namespace rtsweep
