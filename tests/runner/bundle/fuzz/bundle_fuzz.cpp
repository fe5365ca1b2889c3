// SPDX-License-Identifier: GPL-2.0-or-later

#include <cstdint>
#include <cstdlib>

#include "analysis/trace/explanation_json.h"
#include "analysis/trace/timeline_picture.h"
#include "runner/bundle/bundle_archive.h"

// Whatever the bytes: files with harmless names within the limits, or an error that names the
// bundle. The parts of a bundle that are read again (explanations, timelines) likewise.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rtsweep;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(parse_timelines(bytes));
  static_cast<void>(parse_explanations(bytes));
  const BundleLimits limits{.entries = 20, .file_bytes = 1 << 20, .total_bytes = 2 << 20};
  const auto files = unpack_bundle(bytes, "fuzz", limits);
  if (!files) {
    if (!files.error().message().starts_with("fuzz:")) std::abort();
    return 0;
  }
  uint64_t total = 0;
  for (const BundleFile& file : *files) {
    total += file.content.size();
    if (file.name.empty() || file.name[0] == '/' || file.name.find("..") == 0) std::abort();
    if (file.name.find("/../") != std::string::npos) std::abort();
  }
  if (files->empty() || files->size() > limits.entries || total > limits.total_bytes) std::abort();
  return 0;
}
