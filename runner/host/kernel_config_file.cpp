// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/kernel_config_file.h"

#include <zlib.h>

namespace rtsweep {
namespace {

constexpr size_t kLargestConfig = size_t{16} << 20;
constexpr int kGzipOnly = 16 + MAX_WBITS;

}  // namespace

std::optional<std::string> gunzip(std::string_view packed) {
  z_stream stream{};
  if (::inflateInit2(&stream, kGzipOnly) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  int status = Z_OK;
  while (status == Z_OK && text.size() < kLargestConfig) {
    char chunk[16384];
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof(chunk);
    status = ::inflate(&stream, Z_NO_FLUSH);
    text.append(chunk, sizeof(chunk) - stream.avail_out);
  }
  ::inflateEnd(&stream);
  if (status != Z_STREAM_END) return std::nullopt;
  return text;
}

std::optional<KernelConfigFile> find_kernel_config(const HostRoot& host, std::string_view release) {
  if (const auto packed = host.read("proc/config.gz")) {
    if (auto text = gunzip(*packed)) return KernelConfigFile{"/proc/config.gz", std::move(*text)};
  }
  const std::string name(release);
  if (name.empty()) return std::nullopt;
  for (const std::string& file :
       {"boot/config-" + name, "lib/modules/" + name + "/config",
        "lib/modules/" + name + "/build/.config", "usr/lib/modules/" + name + "/config"}) {
    if (auto text = host.read(file)) return KernelConfigFile{"/" + file, std::move(*text)};
  }
  return std::nullopt;
}

}  // namespace rtsweep
