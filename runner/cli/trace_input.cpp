// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/trace_input.h"

#include <sys/mman.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "runner/base/files.h"
#include "runner/base/unique_fd.h"
#include "runner/capture/trace_dat/trace_dat_file.h"
#include "runner/kernels/unpack.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostUnpacked = size_t{4} << 30;  // a hostile file must not fill the memory

// The first bytes only: a trace.dat is not read into memory.
std::string first_bytes(const fs::path& file) {
  std::string bytes(16, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

// A file in memory, for what has been unpacked.
Result<DatBytes> in_memory(std::string_view content, const std::string& name) {
  UniqueFd fd(::memfd_create("rtsweep-trace", MFD_CLOEXEC));
  if (!fd) return Error::from_errno("create a file in memory", errno);
  RTSWEEP_CHECK_OK(write_all(fd.get(), content, name));
  return DatBytes::from_fd(std::move(fd), name);
}

std::vector<Explanation> explain_all(std::vector<Trace> traces, const fs::path& file,
                                     const ExplainOptions& options) {
  std::vector<Explanation> explanations;
  for (Trace& trace : traces) {
    trace.source.replace(0, file.string().size(), file.filename().string());
    explanations.push_back(explain(trace, options));
  }
  return explanations;
}

}  // namespace

Result<std::vector<Explanation>> explain_trace_file(const fs::path& file,
                                                    const ExplainOptions& options) {
  if (is_trace_dat(first_bytes(file))) {
    RTSWEEP_TRY(auto traces, read_trace_dat_apart(file, options));
    return explain_all(std::move(traces), file, options);
  }
  RTSWEEP_TRY(std::string raw, read_file(file));
  auto content = unpack(raw, kMostUnpacked);
  if (!content) return std::move(content).error().with_context(file.string());
  if (!is_trace_dat(*content)) return explain_text(*content, file.filename().string(), options);
  RTSWEEP_TRY(const DatBytes unpacked, in_memory(*content, file.string()));
  RTSWEEP_TRY(auto traces, read_trace_dat_apart(unpacked, options));
  return explain_all(std::move(traces), file, options);
}

}  // namespace rtsweep
