// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/capture/trace_dat/dat_bytes.h"

namespace rtsweep {

// Where the ring buffer's pages of one CPU lie in the file.
struct DatCpu {
  int cpu = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};

// One ftrace instance of the file; the top one has no name.
struct DatBuffer {
  std::string name;
  std::string clock;  // "local", "mono"; empty: not said
  size_t page_size = 0;
  std::vector<DatCpu> cpus;
};

// A format file as tracefs has it, of one event.
struct DatFormat {
  std::string system;  // "sched"; "ftrace" for the tracers' own
  std::string text;
};

// Where a section lies that is read only when it is needed.
struct DatSection {
  uint64_t offset = 0;
  uint64_t size = 0;  // in the file
  bool compressed = false;
};

// Nanoseconds of the stamps of the clock x86-tsc: (stamp * mult >> shift) + offset.
struct DatTsc {
  uint32_t mult = 0;
  uint32_t shift = 0;
  uint64_t offset = 0;
};

// What a trace.dat says around its events: versions 6 and 7 as trace-cmd.dat.v6(5) and
// trace-cmd.dat.v7(5) describe them (and 3.1.6 writes them: sizes of sections have 8 bytes).
struct DatContainer {
  int version = 0;
  bool big_endian = false;
  size_t long_size = 8;  // of user space; the kernel's is that of the page header's `commit`
  size_t page_size = 4096;
  std::string compression;  // "zstd"; "none"
  std::string header_page;  // events/header_page
  std::vector<DatFormat> formats;
  DatSection kallsyms;
  std::string printk_formats;
  std::string cmdlines;  // "pid comm" lines
  std::string uname;     // "Linux host 6.1.0 #1 ..."
  std::string writer;    // trace-cmd's version
  std::string clock;
  std::optional<uint64_t> cpu_count;
  std::optional<DatTsc> tsc;
  std::vector<DatBuffer> buffers;
  bool is_latency = false;  // holds the text of `trace` in place of pages
};

// Reads all but the events and the symbols. kBadData, naming the file and what is wrong.
Result<DatContainer> read_dat_container(const DatBytes& file);

// A section's content, decompressed, at most `limit` bytes.
Result<std::string> read_dat_section(const DatBytes& file, const DatContainer& container,
                                     const DatSection& section, size_t limit);

// One zstd frame of a known size.
std::optional<std::string> unpack_zstd(std::string_view data, size_t size);

}  // namespace rtsweep
