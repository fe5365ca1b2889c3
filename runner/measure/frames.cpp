// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/frames.h"

#include <fmt/format.h>
#include <termios.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <thread>

#include "runner/base/files.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr std::string_view kMark = "RTSWEEP2";

// A serial line's interrupt thread is a real-time task. Given 300 kB at once it would
// take the CPU until the kernel throttles all real-time tasks.
constexpr size_t kPiece = 4096;
constexpr auto kPause = std::chrono::milliseconds(20);

// What a stream may claim that a file unpacks to.
constexpr size_t kLargestFile = size_t{256} << 20;

// zlib's own type for bytes.
const Bytef* as_bytes(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

uint32_t crc32_of(std::string_view content) {
  return static_cast<uint32_t>(::crc32_z(0, as_bytes(content), content.size()));
}

std::string packed(std::string_view content) {
  std::string result(::compressBound(content.size()), '\0');
  uLongf size = result.size();
  // Cannot fail with room for the bound.
  ::compress2(reinterpret_cast<Bytef*>(result.data()), &size, as_bytes(content), content.size(),
              Z_DEFAULT_COMPRESSION);
  result.resize(size);
  return result;
}

std::optional<std::string> unpacked(std::string_view stored, size_t expected) {
  std::string result(expected, '\0');
  uLongf size = expected;
  const int status =
      ::uncompress(reinterpret_cast<Bytef*>(result.data()), &size, as_bytes(stored), stored.size());
  if (status != Z_OK || size != expected) return std::nullopt;
  return result;
}

bool is_plain_name(std::string_view name) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && name.size() < 64 && name.front() != '.' &&
         std::ranges::all_of(name, allowed);
}

struct Header {
  std::string name;
  size_t size = 0;
  uint32_t crc = 0;
  size_t packed_size = 0;
};

template <typename T>
bool parse_number(std::string_view text, T& value, int base) {
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return ec == std::errc{} && end == text.data() + text.size();
}

std::optional<Header> parse_header(std::string_view line) {
  const std::vector<std::string> word = words(line);
  Header header;
  if (word.size() != 5 || word[0] != kMark || !is_plain_name(word[1])) return std::nullopt;
  if (!parse_number(word[2], header.size, 10) || !parse_number(word[3], header.crc, 16) ||
      !parse_number(word[4], header.packed_size, 10) || header.size > kLargestFile) {
    return std::nullopt;
  }
  header.name = word[1];
  return header;
}

}  // namespace

std::string encode_frame(std::string_view name, std::string_view content) {
  const std::string stored = packed(content);
  return fmt::format("{} {} {} {:08x} {}\n{}\n", kMark, name, content.size(), crc32_of(content),
                     stored.size(), stored);
}

Frames decode_frames(std::string_view stream) {
  Frames found;
  while (!stream.empty()) {
    const size_t line_end = stream.find('\n');
    if (line_end == std::string_view::npos) break;
    const auto header = parse_header(stream.substr(0, line_end));
    if (!header) {
      found.problem =
          fmt::format("not a frame: '{}'", stream.substr(0, std::min<size_t>(line_end, 60)));
      break;
    }
    const std::string_view rest = stream.substr(line_end + 1);
    if (rest.size() <= header->packed_size) break;  // the newline after the bytes is still missing
    auto content = unpacked(rest.substr(0, header->packed_size), header->size);
    if (!content || crc32_of(*content) != header->crc || rest[header->packed_size] != '\n') {
      found.problem = "frame '" + header->name + "' is damaged: its checksum differs";
      break;
    }
    found.frames.push_back({header->name, std::move(*content)});
    stream = rest.substr(header->packed_size + 1);
  }
  found.torn = !stream.empty();
  return found;
}

Result<void> StreamSink::put(std::string_view name, std::string_view content) {
  const std::string frame = encode_frame(name, content);
  for (std::string_view rest = frame; !rest.empty();) {
    const std::string_view piece = rest.substr(0, kPiece);
    RTSWEEP_CHECK_OK(write_all(fd_, piece, "the stream to the host"));
    rest.remove_prefix(piece.size());
    if (rest.empty()) break;
    ::tcdrain(fd_);  // fails where it is no serial line, and need not work there
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

}  // namespace rtsweep
