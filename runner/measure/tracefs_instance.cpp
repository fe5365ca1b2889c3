// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/tracefs_instance.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

#include "runner/base/text.h"
#include "runner/measure/tracefs_settings.h"

namespace rtsweep {
namespace {

constexpr char kInstance[] = "instances/rtsweep-probe";
// The kernel has no larger page; a read gives one page of the kernel's.
constexpr size_t kLargestPage = 65'536;

// "overrun: 12" of a stats file is 12.
uint64_t counter_of(const std::string& stats, std::string_view name) {
  uint64_t value = 0;
  for (const std::string& line : split(stats, '\n')) {
    if (!line.starts_with(name)) continue;
    const std::string number(trim(std::string_view(line).substr(name.size())));
    std::from_chars(number.data(), number.data() + number.size(), value);
  }
  return value;
}

}  // namespace

TracefsMount::TracefsMount(const HostRoot& host) {
  const std::filesystem::path path = host.path(kTracefs);
  if (std::filesystem::exists(path / "README") || !std::filesystem::exists(path)) return;
  if (::mount("tracefs", path.c_str(), "tracefs", 0, "") == 0) mounted_ = path;
}

TracefsMount::~TracefsMount() {
  if (!mounted_.empty()) ::umount2(mounted_.c_str(), MNT_DETACH);
}

std::string TracefsInstance::path(std::string_view file) const {
  return fmt::format("{}{}/{}", kTracefs, kInstance, file);
}

Result<void> TracefsInstance::create() {
  const std::string directory = host_.path(path("")).string();
  if (::mkdir(directory.c_str(), 0750) != 0) {
    if (errno != EEXIST) return Error::from_errno("make " + directory, errno);
    exists_ = true;
    RTSWEEP_CHECK_OK(remove());
    if (::mkdir(directory.c_str(), 0750) != 0) return Error::from_errno("make " + directory, errno);
  }
  exists_ = true;
  return {};
}

Result<void> TracefsInstance::set(std::string_view file, std::string_view value) const {
  return host_.write(path(file), value);
}

Result<void> TracefsInstance::open_buffers(const std::vector<int>& cpus) {
  for (const int cpu : cpus) {
    const std::string file =
        host_.path(path(fmt::format("per_cpu/cpu{}/trace_pipe_raw", cpu))).string();
    UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) return Error::from_errno("open " + file, errno);
    buffers_.push_back({cpu, std::move(fd)});
  }
  page_.resize(kLargestPage);
  return {};
}

Result<void> TracefsInstance::drain(
    const std::function<Result<void>(int, std::string_view)>& each) {
  for (const Buffer& buffer : buffers_) {
    while (true) {
      const ssize_t got = ::read(buffer.fd.get(), page_.data(), page_.size());
      if (got < 0 && errno == EINTR) continue;
      if (got == 0 || (got < 0 && errno == EAGAIN)) break;
      if (got < 0) return Error::from_errno("read the trace buffer", errno);
      const std::string_view page(page_.data(), static_cast<size_t>(got));
      RTSWEEP_CHECK_OK(each(buffer.cpu, page));
    }
  }
  return {};
}

uint64_t TracefsInstance::lost_events() const {
  uint64_t lost = 0;
  for (const Buffer& buffer : buffers_) {
    const auto stats = host_.read(path(fmt::format("per_cpu/cpu{}/stats", buffer.cpu)));
    if (!stats) continue;
    lost += counter_of(*stats, "overrun:") + counter_of(*stats, "commit overrun:") +
            counter_of(*stats, "dropped events:");
  }
  return lost;
}

Result<void> TracefsInstance::remove() {
  if (!exists_) return {};
  buffers_.clear();
  RTSWEEP_CHECK_OK(set("current_tracer", "nop"));
  const std::string directory = host_.path(path("")).string();
  if (::rmdir(directory.c_str()) != 0) return Error::from_errno("remove " + directory, errno);
  exists_ = false;
  return {};
}

}  // namespace rtsweep
