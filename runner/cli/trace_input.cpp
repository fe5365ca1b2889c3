// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/trace_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/unique_fd.h"
#include "runner/kernels/unpack.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostUnpacked = size_t{4} << 30;  // a hostile file must not fill the memory

// Systems and events that explain() reads, as one filter: trace-cmd takes names as basic
// regular expressions and refuses a filter that matches nothing the file knows, and
// filters hold for the files named after them.
constexpr std::string_view kWanted =
    "\\(sched\\|irq\\|irq_vectors\\|timer\\|power\\|workqueue\\|preemptirq\\|osnoise\\|ipi\\|nmi"
    "\\|print\\|function\\|funcgraph_.*\\|timerlat\\|hwlat\\|kernel_stack\\)";

// The first bytes only: a trace.dat is not read into memory.
std::string first_bytes(const fs::path& file) {
  std::string bytes(16, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<size_t>(in.gcount()));
  return bytes;
}

Result<std::string> run_trace_cmd(const std::vector<std::string>& argv, CommandRunner& commands) {
  auto text = commands.run(argv);
  if (text) return text;
  if (text.error().code() == Errc::kNotSupported) {
    return Error(Errc::kNotSupported,
                 "trace-cmd is needed to read a trace.dat: install Debian's package trace-cmd, or "
                 "give the text of `trace-cmd report`");
  }
  return text;
}

bool has_events(std::string_view report) { return report.find(" [") != std::string_view::npos; }

Result<std::string> report_of(const fs::path& file, CommandRunner& commands) {
  auto filtered = run_trace_cmd(
      {"trace-cmd", "report", "-t", "-F", std::string(kWanted), "-i", file.string()}, commands);
  if (filtered && has_events(*filtered)) return filtered;
  if (!filtered && filtered.error().code() == Errc::kNotSupported) return filtered;
  // Nothing of that is in it: only the whole report says what there is.
  return run_trace_cmd({"trace-cmd", "report", "-t", "-i", file.string()}, commands);
}

// A file that goes away with this object.
class TemporaryFile {
 public:
  static Result<TemporaryFile> with(std::string_view content) {
    std::string name = (fs::temp_directory_path() / "rtsweep-trace-XXXXXX").string();
    UniqueFd fd(::mkstemp(name.data()));
    if (fd.get() < 0) return Error::from_errno("create " + name, errno);
    TemporaryFile file{fs::path(name)};
    RTSWEEP_CHECK_OK(write_all(fd.get(), content, name));
    return file;
  }

  TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ~TemporaryFile() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}

  fs::path path_;
};

}  // namespace

bool is_trace_dat(std::string_view data) { return data.starts_with("\x17\x08\x44tracing"); }

Result<std::string> read_trace_file(const fs::path& file, CommandRunner& commands) {
  if (is_trace_dat(first_bytes(file))) return report_of(file, commands);
  RTSWEEP_TRY(const std::string raw, read_file(file));
  auto data = unpack(raw, kMostUnpacked);
  if (!data) return std::move(data).error().with_context(file.string());
  if (!is_trace_dat(*data)) return data;
  RTSWEEP_TRY(const TemporaryFile unpacked, TemporaryFile::with(*data));
  return report_of(unpacked.path(), commands);
}

}  // namespace rtsweep
