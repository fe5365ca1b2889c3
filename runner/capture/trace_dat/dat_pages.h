// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/capture/record_cursor.h"
#include "runner/capture/trace_dat/dat_container.h"

namespace rtsweep {

// kBadData when the text gives no such page.
Result<PageFields> page_fields(const DatContainer& container, std::string_view name);

// The pages of one CPU, read in blocks and kept one block at a time: about 1 MB.
class DatPages {
 public:
  // kBadData when a compressed file's chunks are damaged.
  static Result<DatPages> open(const DatBytes& file, const DatContainer& container,
                               const DatBuffer& buffer, const DatCpu& cpu);

  int cpu() const { return cpu_; }
  size_t count() const { return count_; }
  // Page `index`, whole; empty where the file is cut off or damaged. Good until the next call.
  std::string_view page(size_t index);
  // Its stamp, without reading the page where the file is not compressed.
  uint64_t page_time(size_t index);
  // The first page whose stamp is later than `time`; the pages are in the order of time.
  size_t first_after(uint64_t time);

 private:
  struct Chunk {
    size_t first_page = 0;
    size_t pages = 0;
    uint64_t offset = 0;
    uint64_t packed = 0;
  };

  DatPages(const DatBytes& file, size_t page_size, bool big_endian, const DatCpu& cpu)
      : file_(&file),
        page_size_(page_size),
        big_endian_(big_endian),
        cpu_(cpu.cpu),
        offset_(cpu.offset) {}

  Result<void> find_chunks(uint64_t end);
  void load(size_t index);
  void load_chunk(size_t index);

  const DatBytes* file_;
  size_t page_size_;
  bool big_endian_;
  int cpu_;
  uint64_t offset_;
  size_t count_ = 0;
  std::vector<Chunk> chunks_;  // of a compressed file
  std::string block_;
  size_t block_first_ = 0;
  size_t block_pages_ = 0;
};

}  // namespace rtsweep
