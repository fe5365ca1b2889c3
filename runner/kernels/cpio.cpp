// SPDX-License-Identifier: GPL-2.0-or-later

// The cpio half of guest_tree.h: what the kernel reads an initramfs from
// (Documentation/driver-api/early-userspace/buffer-format.rst).

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <array>
#include <memory>

#include "runner/kernels/guest_tree.h"
#include "runner/kernels/mapped_file.h"
#include "runner/kernels/sha256.h"

namespace rtsweep {
namespace {

// Each archive ends at a multiple of this, so that archives can be concatenated.
constexpr int kBlock = 512;

struct WriteCloser {
  void operator()(archive* writer) const { archive_write_free(writer); }
};
using Writer = std::unique_ptr<archive, WriteCloser>;

struct EntryFree {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Header = std::unique_ptr<archive_entry, EntryFree>;

std::string reason(archive* of) {
  const char* text = archive_error_string(of);
  return text == nullptr ? "damaged, or the disk is full" : text;
}

Error failed(const Writer& writer, const std::filesystem::path& file) {
  return Error(Errc::kIo, "write " + file.string() + ": " + reason(writer.get()));
}

Header header_for(const std::string& path, const GuestEntry& entry, int64_t inode, size_t size) {
  Header header(archive_entry_new());
  archive_entry_set_pathname(header.get(), path.c_str());
  archive_entry_set_mode(header.get(), entry.mode);
  archive_entry_set_uid(header.get(), 0);
  archive_entry_set_gid(header.get(), 0);
  archive_entry_set_mtime(header.get(), 0, 0);
  archive_entry_set_ino64(header.get(), inode);
  archive_entry_set_nlink(header.get(), S_ISDIR(entry.mode) ? 2 : 1);
  archive_entry_set_dev(header.get(), 0);
  if (S_ISLNK(entry.mode)) archive_entry_set_symlink(header.get(), entry.content.c_str());
  archive_entry_set_size(header.get(), S_ISREG(entry.mode) ? static_cast<int64_t>(size) : 0);
  return header;
}

Result<void> write_entry(const Writer& writer, const std::string& path, const GuestEntry& entry,
                         int64_t inode, std::string_view content) {
  const Header header = header_for(path, entry, inode, content.size());
  const bool written =
      archive_write_header(writer.get(), header.get()) == ARCHIVE_OK &&
      (content.empty() || archive_write_data(writer.get(), content.data(), content.size()) ==
                              static_cast<la_ssize_t>(content.size()));
  if (!written) return failed(writer, path);
  return {};
}

struct ReadCloser {
  void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, ReadCloser>;

Result<std::string> read_entry(const Reader& reader) {
  std::string content;
  std::array<char, 65536> piece{};
  while (true) {
    const la_ssize_t got = archive_read_data(reader.get(), piece.data(), piece.size());
    if (got == 0) return content;
    if (got < 0) return Error(Errc::kBadData, reason(reader.get()));
    content.append(piece.data(), static_cast<size_t>(got));
  }
}

}  // namespace

Result<std::string> read_from_cpio(const std::filesystem::path& cpio, const std::string& path) {
  const Reader reader(archive_read_new());
  archive_read_support_format_cpio(reader.get());
  archive_entry* entry = nullptr;
  int status = archive_read_open_filename(reader.get(), cpio.c_str(), 1U << 16U);
  while (status == ARCHIVE_OK) {
    status = archive_read_next_header(reader.get(), &entry);
    if (status != ARCHIVE_OK || path != archive_entry_pathname(entry)) continue;
    auto content = read_entry(reader);
    if (!content) return std::move(content).error().with_context(cpio.string());
    return content;
  }
  if (status == ARCHIVE_EOF) return Error(Errc::kNotSupported, cpio.string() + " has no " + path);
  return Error(Errc::kBadData, cpio.string() + ": " + reason(reader.get()));
}

Result<std::string> write_cpio(const GuestTree& tree, const std::filesystem::path& file) {
  Writer writer(archive_write_new());
  archive_write_set_format_cpio_newc(writer.get());
  archive_write_set_bytes_per_block(writer.get(), kBlock * 128);
  archive_write_set_bytes_in_last_block(writer.get(), kBlock);
  if (archive_write_open_filename(writer.get(), file.c_str()) != ARCHIVE_OK) {
    return failed(writer, file);
  }
  int64_t inode = 0;
  for (const auto& [path, entry] : tree.entries()) {
    ++inode;
    if (!S_ISREG(entry.mode)) {
      RTSWEEP_CHECK_OK(write_entry(writer, path, entry, inode, ""));
    } else if (entry.from.empty()) {
      RTSWEEP_CHECK_OK(write_entry(writer, path, entry, inode, entry.content));
    } else {
      RTSWEEP_TRY(const MappedFile source, MappedFile::open(entry.from));
      RTSWEEP_CHECK_OK(write_entry(writer, path, entry, inode, source.content()));
    }
  }
  if (archive_write_close(writer.get()) != ARCHIVE_OK) return failed(writer, file);
  writer.reset();
  return sha256_of_file(file);
}

}  // namespace rtsweep
