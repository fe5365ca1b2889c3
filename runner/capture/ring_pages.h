// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// How a page of the ring buffer begins: the time of its first event (u64), then the number of
// bytes in use (a long of the kernel's), then the events. From events/header_page.
struct RingPageLayout {
  size_t page_bytes = 4096;
  size_t long_bytes = 8;  // the kernel's, whatever the program's is
  size_t data_offset = 16;

  bool operator==(const RingPageLayout&) const = default;
};

// The text of events/header_page. kBadData when it is not as expected.
Result<RingPageLayout> parse_header_page(std::string_view text);

// The time of a page's first event, in the trace clock's nanoseconds.
uint64_t page_time(std::string_view page);

// The recorded pages of one CPU, oldest first, one behind the other.
struct CpuPages {
  int cpu = -1;
  std::string bytes;  // a multiple of the page's size
  bool lost = false;  // the kernel marks a page before which events are missing
};

// All pages of a file such as per_cpu/cpu0/trace_pipe_raw; reading takes them out of the buffer.
Result<std::string> read_ring_pages(const std::filesystem::path& file,
                                    const RingPageLayout& layout);

// Drops the pages that end before `from_ns`: all but one of those that begin before it. So what
// ran on the CPU at that time stays known.
void drop_pages_before(std::string& pages, uint64_t from_ns, const RingPageLayout& layout);

// All CPUs' pages of an instance, taken out of its buffers.
Result<std::vector<CpuPages>> read_all_pages(const std::filesystem::path& instance,
                                             const RingPageLayout& layout);

// What was recorded since `from_ns` (see drop_pages_before), and whether events are lost in it.
void keep_window(std::vector<CpuPages>& cpus, int64_t from_ns, const RingPageLayout& layout);

// Whether any page but the first follows on lost events (RB_MISSED_EVENTS, bit 31 of the bytes in
// use, kernel/trace/ring_buffer.c).
bool has_lost_events(std::string_view pages, const RingPageLayout& layout);

}  // namespace rtsweep
