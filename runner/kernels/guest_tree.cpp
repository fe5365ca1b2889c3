// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/guest_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kMergedDirectories = {"bin",   "sbin",  "lib",
                                                                "lib32", "lib64", "libx32"};

bool is_merged_directory(std::string_view name) {
  return std::ranges::find(kMergedDirectories, name) != kMergedDirectories.end();
}

std::string without_root(std::string_view path) {
  std::string normal = fs::path(path).relative_path().lexically_normal().string();
  if (normal.ends_with('/')) normal.pop_back();
  return normal == "." ? "" : normal;
}

Result<GuestEntry> entry_for(const fs::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0) {
    return Error::from_errno("read " + file.string(), errno);
  }
  GuestEntry entry{.mode = status.st_mode};
  if (S_ISREG(entry.mode)) entry.from = file;
  if (S_ISLNK(entry.mode)) {
    std::error_code ec;
    entry.content = fs::read_symlink(file, ec).string();
    if (ec) return Error(Errc::kIo, "read " + file.string() + ": " + ec.message());
  }
  return entry;
}

}  // namespace

std::string merged_path(std::string_view path) {
  std::string normal = without_root(path);
  if (is_merged_directory(normal.substr(0, normal.find('/')))) normal.insert(0, "usr/");
  return normal;
}

std::string merged_link_target(std::string_view path, std::string_view target) {
  const std::string from = without_root(path);
  const std::string to = merged_path(path);
  if (from == to || target.starts_with('/')) return std::string(target);
  const fs::path meant = fs::path(from).parent_path() / target;
  const fs::path meant_merged = merged_path(meant.string());
  return meant_merged.lexically_relative(fs::path(to).parent_path()).string();
}

void GuestTree::add(std::string_view path, GuestEntry entry) {
  const std::string merged = merged_path(path);
  if (merged.empty()) return;
  for (fs::path parent = fs::path(merged).parent_path(); !parent.empty();
       parent = parent.parent_path()) {
    entries_.try_emplace(parent.string(), GuestEntry{.mode = S_IFDIR | 0755});
  }
  entries_.insert_or_assign(merged, std::move(entry));
}

void GuestTree::add_directory(std::string_view path, mode_t permissions) {
  add(path, {.mode = S_IFDIR | permissions});
}

void GuestTree::add_file(std::string_view path, const fs::path& from, mode_t permissions) {
  add(path, {.mode = S_IFREG | permissions, .from = from});
}

void GuestTree::add_content(std::string_view path, std::string content, mode_t permissions) {
  add(path, {.mode = S_IFREG | permissions, .content = std::move(content)});
}

void GuestTree::add_link(std::string_view path, std::string_view target) {
  add(path, {.mode = S_IFLNK | 0777, .content = merged_link_target(path, target)});
}

Result<void> GuestTree::add_tree(const fs::path& root) {
  std::error_code ec;
  for (auto it = fs::recursive_directory_iterator(root, ec);
       !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
    const std::string path = it->path().lexically_relative(root).string();
    RTSWEEP_TRY(GuestEntry entry, entry_for(it->path()));
    // Since trixie, base-files has the links /bin, /lib, ... itself.
    if (S_ISLNK(entry.mode) && is_merged_directory(path)) continue;
    if (S_ISLNK(entry.mode)) entry.content = merged_link_target(path, entry.content);
    add(path, std::move(entry));
  }
  if (ec) return Error(Errc::kIo, "read " + root.string() + ": " + ec.message());
  return {};
}

// Past add(), which would take the link's own path for one below /usr.
void GuestTree::add_merged_links() {
  for (const std::string_view name : kMergedDirectories) {
    const std::string target = "usr/" + std::string(name);
    if (!entries_.contains(target)) continue;
    entries_.insert_or_assign(std::string(name),
                              GuestEntry{.mode = S_IFLNK | 0777, .content = target});
  }
}

bool GuestTree::contains(std::string_view path) const {
  return entries_.contains(merged_path(path));
}

void GuestTree::erase_if(const Predicate& unwanted) {
  std::erase_if(entries_, [&](const auto& item) { return unwanted(item.first, item.second); });
}

}  // namespace rtsweep
