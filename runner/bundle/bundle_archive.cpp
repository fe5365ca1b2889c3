// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/bundle_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "analysis/report/plain_text.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/base/unique_fd.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestName = 200;
constexpr size_t kDeepest = 8;

struct Closer {
  void operator()(archive* one) const { archive_free(one); }
  void operator()(archive_entry* one) const { archive_entry_free(one); }
};
using Archive = std::unique_ptr<archive, Closer>;
using Entry = std::unique_ptr<archive_entry, Closer>;

std::string error_of(const Archive& archive) {
  const char* why = archive_error_string(archive.get());
  return why == nullptr ? "damaged" : printable(why);
}

la_ssize_t append(archive* /*archive*/, void* to, const void* data, size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

Result<void> pack_file(const Archive& writer, const BundleFile& file) {
  const Entry entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), file.name.c_str());
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.content.size()));
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_mtime(entry.get(), 0, 0);
  if (archive_write_header(writer.get(), entry.get()) != ARCHIVE_OK ||
      archive_write_data(writer.get(), file.content.data(), file.content.size()) !=
          static_cast<la_ssize_t>(file.content.size())) {
    return Error(Errc::kIo, "pack " + file.name + ": " + error_of(writer));
  }
  return {};
}

// What kind of thing an entry is, where it is not a file.
std::string_view odd_kind(archive_entry* entry) {
  if (archive_entry_hardlink(entry) != nullptr) return "a hard link";
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG:
    case AE_IFDIR:
      return "";
    case AE_IFLNK:
      return "a symbolic link";
    case AE_IFCHR:
    case AE_IFBLK:
      return "a device";
    case AE_IFIFO:
      return "a pipe";
    default:
      return "not a file";
  }
}

// Why a name is refused; empty when it is fine.
std::string_view odd_name(std::string_view name) {
  if (name.empty()) return "has no name";
  if (name.size() > kLongestName) return "has a name that is too long";
  if (name.starts_with('/')) return "has an absolute path";
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '\\' && c != ':'; };
  if (!std::ranges::all_of(name, plain)) return "has characters in its name that no bundle has";
  const auto parts = split(name, '/');
  if (parts.size() > kDeepest) return "lies too deep";
  for (const std::string& part : parts) {
    if (part == "..") return "leads out of the bundle with \"..\"";
    if (part.empty() || part == ".") return "has an empty part in its path";
  }
  return "";
}

class Unpacker {
 public:
  Unpacker(std::string_view data, std::string_view name, const BundleLimits& limits)
      : data_(data), name_(name), limits_(limits), reader_(archive_read_new()) {
    // Exactly tar in zstd: nothing that libarchive might find in it besides.
    archive_read_append_filter(reader_.get(), ARCHIVE_FILTER_ZSTD);
    archive_read_set_format(reader_.get(), ARCHIVE_FORMAT_TAR);
  }

  Result<std::vector<BundleFile>> run() {
    if (archive_read_open_memory(reader_.get(), data_.data(), data_.size()) != ARCHIVE_OK) {
      return bad(error_of(reader_));
    }
    archive_entry* entry = nullptr;
    while (true) {
      const int got = archive_read_next_header(reader_.get(), &entry);
      if (got == ARCHIVE_EOF) break;
      if (got != ARCHIVE_OK) return bad(error_of(reader_));
      RTSWEEP_CHECK_OK(add(entry));
    }
    if (files_.empty()) return bad("holds no file");
    return std::move(files_);
  }

 private:
  Error bad(const std::string& why) const {
    return Error(Errc::kBadData, fmt::format("{}: not a bundle to be trusted: {}",
                                             printable(std::string(name_)), why));
  }
  Error bad_entry(std::string_view entry, std::string_view why) const {
    return bad(fmt::format("the entry \"{}\" {}", clip(printable(std::string(entry)), 80), why));
  }

  Result<void> add(archive_entry* entry) {
    const char* path = archive_entry_pathname(entry);
    std::string name = path == nullptr ? "" : path;
    if (++entries_ > limits_.entries) {
      return bad(fmt::format("it has more than {} entries", limits_.entries));
    }
    const std::string_view kind = odd_kind(entry);
    if (!kind.empty()) return bad_entry(name, fmt::format("is {}", kind));
    const bool directory = archive_entry_filetype(entry) == AE_IFDIR;
    if (directory && name.ends_with('/')) name.pop_back();
    const std::string_view odd = odd_name(name);
    if (!odd.empty()) return bad_entry(name, odd);
    RTSWEEP_CHECK_OK(take_name(name, directory));
    if (directory) return {};
    return read_content(entry, name);
  }

  // No name twice, and no file where another entry needs a directory.
  Result<void> take_name(const std::string& name, bool directory) {
    if (!directory && directories_.contains(name)) return bad_entry(name, "is there twice");
    if (names_.contains(name)) return bad_entry(name, "is there twice");
    for (size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
      if (names_.contains(name.substr(0, at))) return bad_entry(name, "lies below a file");
      directories_.insert(name.substr(0, at));
    }
    (directory ? directories_ : names_).insert(name);
    return {};
  }

  Result<void> read_content(archive_entry* entry, const std::string& name) {
    const auto size = static_cast<uint64_t>(std::max<la_int64_t>(archive_entry_size(entry), 0));
    if (size > limits_.file_bytes || total_ + size > limits_.total_bytes) {
      return bad_entry(name, fmt::format("is too large ({} bytes)", size));
    }
    BundleFile file{.name = name};
    std::array<char, 65536> piece{};
    while (true) {
      const la_ssize_t got = archive_read_data(reader_.get(), piece.data(), piece.size());
      if (got < 0) return bad_entry(name, error_of(reader_));
      if (got == 0) break;
      file.content.append(piece.data(), static_cast<size_t>(got));
      total_ += static_cast<uint64_t>(got);
      if (file.content.size() > limits_.file_bytes || total_ > limits_.total_bytes) {
        return bad_entry(name, "is too large");
      }
      if (total_ > limits_.ratio_from && total_ > limits_.ratio * data_.size()) {
        return bad_entry(name, fmt::format("unpacks to more than {} times what it was packed to",
                                           limits_.ratio));
      }
    }
    files_.push_back(std::move(file));
    return {};
  }

  std::string_view data_;
  std::string_view name_;
  const BundleLimits& limits_;
  Archive reader_;
  std::vector<BundleFile> files_;
  std::set<std::string> names_, directories_;
  size_t entries_ = 0;
  uint64_t total_ = 0;
};

Result<void> write_new_file(const fs::path& path, std::string_view content) {
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (fd.get() < 0) return Error::from_errno("create " + path.string(), errno);
  return write_all(fd.get(), content, path.string());
}

}  // namespace

Result<std::string> pack_bundle(std::vector<BundleFile> files) {
  std::ranges::sort(files, {}, &BundleFile::name);
  std::string packed;
  const Archive writer(archive_write_new());
  archive_write_set_format_pax_restricted(writer.get());
  archive_write_add_filter_zstd(writer.get());
  archive_write_set_filter_option(writer.get(), "zstd", "compression-level", "19");
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  if (archive_write_open(writer.get(), &packed, nullptr, append, nullptr) != ARCHIVE_OK) {
    return Error(Errc::kIo, "pack the bundle: " + error_of(writer));
  }
  for (const BundleFile& file : files) RTSWEEP_CHECK_OK(pack_file(writer, file));
  if (archive_write_close(writer.get()) != ARCHIVE_OK) {
    return Error(Errc::kIo, "pack the bundle: " + error_of(writer));
  }
  return packed;
}

Result<std::vector<BundleFile>> unpack_bundle(std::string_view data, std::string_view name,
                                              const BundleLimits& limits) {
  return Unpacker(data, name, limits).run();
}

bool looks_like_bundle(std::string_view data) {
  return data.starts_with(std::string_view("\x28\xb5\x2f\xfd", 4));
}

Result<void> write_bundle_files(std::span<const BundleFile> files, const fs::path& directory) {
  std::error_code ec;
  if (fs::exists(fs::symlink_status(directory, ec)) && !fs::is_empty(directory, ec)) {
    return Error(Errc::kIo, directory.string() + " is there already and not empty");
  }
  RTSWEEP_CHECK_OK(make_directories(directory));
  for (const BundleFile& file : files) {
    const fs::path path = directory / file.name;
    RTSWEEP_CHECK_OK(make_directories(path.parent_path()));
    RTSWEEP_CHECK_OK(write_new_file(path, file.content));
  }
  return {};
}

}  // namespace rtsweep
