// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/ring_pages.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "runner/base/unique_fd.h"

namespace rtsweep {
namespace {

constexpr uint32_t kMissedEvents = uint32_t{1} << 31;

uint32_t bytes_in_use_word(std::string_view page) {
  uint32_t word = 0;
  std::memcpy(&word, page.data() + sizeof(uint64_t), sizeof word);
  return word;
}

// "	field: local_t commit;	offset:8;	size:8;	signed:1;"
std::optional<size_t> number_of_field(std::string_view text, std::string_view field,
                                      std::string_view what) {
  const size_t line = text.find(field);
  if (line == std::string_view::npos) return std::nullopt;
  const size_t at = text.find(what, line);
  if (at == std::string_view::npos) return std::nullopt;
  size_t value = 0;
  const char* begin = text.data() + at + what.size();
  const auto [end, failed] = std::from_chars(begin, text.data() + text.size(), value);
  if (failed != std::errc() || end == begin) return std::nullopt;
  return value;
}

}  // namespace

Result<RingPageLayout> parse_header_page(std::string_view text) {
  const auto long_bytes = number_of_field(text, " commit;", "size:");
  const auto offset = number_of_field(text, " data;", "offset:");
  const auto data = number_of_field(text, " data;", "size:");
  const bool known = long_bytes && offset && data && (*long_bytes == 4 || *long_bytes == 8) &&
                     *offset == sizeof(uint64_t) + *long_bytes && *data > 0 && *data < (1 << 24);
  if (!known) return Error(Errc::kBadData, "events/header_page: not the layout of a page");
  return RingPageLayout{
      .page_bytes = *offset + *data, .long_bytes = *long_bytes, .data_offset = *offset};
}

uint64_t page_time(std::string_view page) {
  uint64_t time = 0;
  std::memcpy(&time, page.data(), sizeof time);
  return time;
}

Result<std::string> read_ring_pages(const std::filesystem::path& file,
                                    const RingPageLayout& layout) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return Error::from_errno("open " + file.string(), errno);
  std::string pages;
  std::string page(layout.page_bytes, '\0');
  while (true) {
    const ssize_t count = ::read(fd.get(), page.data(), page.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return pages;
    if (count < 0) return Error::from_errno("read " + file.string(), errno);
    if (count == 0) return pages;
    // The page that is still being written comes short.
    page.replace(static_cast<size_t>(count), std::string::npos,
                 page.size() - static_cast<size_t>(count), '\0');
    pages += page;
  }
}

void drop_pages_before(std::string& pages, uint64_t from_ns, const RingPageLayout& layout) {
  size_t keep = 0;
  for (size_t at = layout.page_bytes; at < pages.size(); at += layout.page_bytes) {
    if (page_time(std::string_view(pages).substr(at)) > from_ns) break;
    keep = at;
  }
  pages.erase(0, keep);
}

bool has_lost_events(std::string_view pages, const RingPageLayout& layout) {
  for (size_t at = layout.page_bytes; at < pages.size(); at += layout.page_bytes) {
    if ((bytes_in_use_word(pages.substr(at)) & kMissedEvents) != 0) return true;
  }
  return false;
}

Result<std::vector<CpuPages>> read_all_pages(const std::filesystem::path& instance,
                                             const RingPageLayout& layout) {
  std::vector<CpuPages> cpus;
  for (int cpu = 0; cpu < static_cast<int>(::sysconf(_SC_NPROCESSORS_CONF)); ++cpu) {
    const auto path = instance / fmt::format("per_cpu/cpu{}/trace_pipe_raw", cpu);
    std::error_code ec;
    if (!std::filesystem::exists(path, ec)) continue;
    RTSWEEP_TRY(std::string bytes, read_ring_pages(path, layout));
    cpus.push_back({.cpu = cpu, .bytes = std::move(bytes)});
  }
  return cpus;
}

void keep_window(std::vector<CpuPages>& cpus, int64_t from_ns, const RingPageLayout& layout) {
  for (CpuPages& cpu : cpus) {
    drop_pages_before(cpu.bytes, static_cast<uint64_t>(std::max<int64_t>(from_ns, 0)), layout);
    cpu.lost = has_lost_events(cpu.bytes, layout);
  }
}

}  // namespace rtsweep
