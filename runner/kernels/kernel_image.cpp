// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_image.h"

#include <array>

#include "runner/kernels/unpack.h"

namespace rtsweep {
namespace {

using namespace std::string_view_literals;

// Unpacked kernels are below this; the banner lies in their read-only data.
constexpr size_t kMostUnpacked = 256U << 20U;

// First bytes of what kernels are packed with: gzip, xz, zstd, lz4 (legacy), lzma.
constexpr std::array<std::string_view, 5> kMagics = {"\x1f\x8b\x08"sv, "\xfd\x37\x7a\x58\x5a\x00"sv,
                                                     "\x28\xb5\x2f\xfd"sv, "\x02\x21\x4c\x18"sv,
                                                     "\x5d\x00\x00\x00"sv};

// A word of at most 64 characters, as the kernel bounds `uname -r`.
std::optional<std::string> word_at(std::string_view text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \0\n"sv));
  if (word.empty() || word.size() > 64 || word.front() < '0' || word.front() > '9') {
    return std::nullopt;
  }
  return std::string(word);
}

// Documentation/arch/x86/boot.rst: "HdrS" at 0x202; at 0x20e the offset, less 0x200,
// of the version text.
std::optional<std::string> release_in_x86_header(std::string_view image) {
  if (image.size() < 0x210 || image.substr(0x202, 4) != "HdrS") return std::nullopt;
  const auto low = static_cast<unsigned char>(image[0x20e]);
  const auto high = static_cast<unsigned char>(image[0x20f]);
  const size_t offset = low + 256U * high + 0x200U;
  if (offset >= image.size()) return std::nullopt;
  return word_at(image.substr(offset));
}

std::optional<std::string> release_in_banner(std::string_view image) {
  constexpr std::string_view kBanner = "Linux version ";
  for (size_t at = image.find(kBanner); at != std::string_view::npos;
       at = image.find(kBanner, at + 1)) {
    if (auto release = word_at(image.substr(at + kBanner.size()))) return release;
  }
  return std::nullopt;
}

// The magic may also occur in code: each place is tried.
std::optional<std::string> release_in_packed(std::string_view image, std::string_view magic) {
  for (size_t at = image.find(magic); at != std::string_view::npos;
       at = image.find(magic, at + 1)) {
    const std::string unpacked = unpack_start(image.substr(at), kMostUnpacked);
    if (auto release = release_in_banner(unpacked)) return release;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> release_of_image(std::string_view image) {
  if (auto release = release_in_x86_header(image)) return release;
  if (auto release = release_in_banner(image)) return release;
  for (const std::string_view magic : kMagics) {
    if (auto release = release_in_packed(image, magic)) return release;
  }
  return std::nullopt;
}

}  // namespace rtsweep
