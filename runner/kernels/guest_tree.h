// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace rtsweep {

// A file, directory or symbolic link of a guest.
struct GuestEntry {
  mode_t mode = 0;             // type and permissions, as stat(2) has them
  std::filesystem::path from;  // a regular file's content is this host file's; or, if empty,
  std::string content;         // this; of a symbolic link, its target
};

// A guest's file system, or a part of it, before it becomes a cpio.
//
// /bin, /sbin and /lib* are symbolic links into /usr in every guest, as on every
// Debian system since 12. The kernel replaces a link by a directory when an initramfs
// has both, so whatever is added below /lib is stored below usr/lib. Paths are kept
// without the leading slash.
class GuestTree {
 public:
  void add_directory(std::string_view path, mode_t permissions = 0755);
  void add_file(std::string_view path, const std::filesystem::path& from, mode_t permissions);
  void add_content(std::string_view path, std::string content, mode_t permissions);
  void add_link(std::string_view path, std::string_view target);

  // All below a directory of the host, such as an unpacked package. Files are read
  // when the cpio is written. Hard links become files of their own.
  Result<void> add_tree(const std::filesystem::path& root);

  // /bin, /sbin, /lib, and those of /lib64, ... that this tree has in /usr, as links
  // into /usr. For the layer that a guest's programs are in.
  void add_merged_links();

  bool contains(std::string_view path) const;

  using Predicate = std::function<bool(const std::string& path, const GuestEntry& entry)>;
  void erase_if(const Predicate& unwanted);

  // Sorted by path, parents before what is in them; missing parents are added.
  const std::map<std::string, GuestEntry>& entries() const { return entries_; }

 private:
  void add(std::string_view path, GuestEntry entry);

  std::map<std::string, GuestEntry> entries_;
};

// "/lib/x" and "lib/x" are "usr/lib/x".
std::string merged_path(std::string_view path);

// Where a symbolic link at `path` must point after `path` was moved by merged_path().
std::string merged_link_target(std::string_view path, std::string_view target);

// Writes an uncompressed newc cpio, the same bytes for the same tree: sorted, owned
// by root, times 0, inodes numbered in order. Returns its SHA-256.
Result<std::string> write_cpio(const GuestTree& tree, const std::filesystem::path& file);

// The content of a regular file in a cpio; kNotSupported if it is not there. A path
// as GuestTree keeps it, symbolic links are not followed.
Result<std::string> read_from_cpio(const std::filesystem::path& cpio, const std::string& path);

}  // namespace rtsweep
