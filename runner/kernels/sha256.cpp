// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/sha256.h"

#include <fcntl.h>
#include <gcrypt.h>

#include <array>
#include <cerrno>
#include <memory>
#include <type_traits>
#include <vector>

#include "runner/base/unique_fd.h"

namespace rtsweep {
namespace {

constexpr size_t kDigestBytes = 32;
constexpr size_t kPiece = 1U << 20U;

// libgcrypt wants to be asked for its version before its first use.
void initialise_once() {
  static const bool done = [] {
    gcry_check_version(nullptr);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return true;
  }();
  static_cast<void>(done);
}

struct Closer {
  void operator()(gcry_md_hd_t hash) const { gcry_md_close(hash); }
};
using Hash = std::unique_ptr<std::remove_pointer_t<gcry_md_hd_t>, Closer>;

Hash new_hash() {
  initialise_once();
  gcry_md_hd_t hash = nullptr;
  gcry_md_open(&hash, GCRY_MD_SHA256, 0);
  return Hash(hash);
}

std::string digest(const Hash& hash) {
  static constexpr std::array<char, 17> kDigits = {"0123456789abcdef"};
  const unsigned char* bytes = gcry_md_read(hash.get(), GCRY_MD_SHA256);
  std::string text;
  for (size_t i = 0; i < kDigestBytes; ++i) {
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 0xFU];
  }
  return text;
}

}  // namespace

std::string sha256(std::string_view data) {
  const Hash hash = new_hash();
  gcry_md_write(hash.get(), data.data(), data.size());
  return digest(hash);
}

Result<std::string> sha256_of_file(const std::filesystem::path& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Error::from_errno("read " + file.string(), errno);
  const Hash hash = new_hash();
  std::vector<char> piece(kPiece);
  while (true) {
    const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error::from_errno("read " + file.string(), errno);
    if (got == 0) return digest(hash);
    gcry_md_write(hash.get(), piece.data(), static_cast<size_t>(got));
  }
}

}  // namespace rtsweep
