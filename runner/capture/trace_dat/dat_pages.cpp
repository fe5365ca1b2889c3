// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/dat_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kBlock = size_t{1} << 20;       // read at once
constexpr size_t kMostChunk = size_t{64} << 20;  // decompressed; trace-cmd makes 10 pages

// Of "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;"
std::optional<size_t> place_behind(std::string_view line, std::string_view key) {
  const auto value = number_behind(line, key);
  if (!value || *value < 0 || *value > 4'096) return std::nullopt;
  return static_cast<size_t>(*value);
}

std::string_view line_with(std::string_view text, std::string_view words) {
  const size_t at = text.find(words);
  if (at == std::string_view::npos) return {};
  return text.substr(at, text.find('\n', at) - at);
}

}  // namespace

Result<PageFields> page_fields(const DatContainer& container, std::string_view name) {
  PageFields fields{.big_endian = container.big_endian};
  const std::string_view commit = line_with(container.header_page, " commit;");
  const std::string_view data = line_with(container.header_page, " data;");
  const auto commit_offset = place_behind(commit, "offset:");
  const auto commit_size = place_behind(commit, "size:");
  const auto data_offset = place_behind(data, "offset:");
  if (!commit_offset || !data_offset || (commit_size != 4 && commit_size != 8)) {
    return Error(Errc::kBadData, fmt::format("{}: its page header cannot be read", name));
  }
  fields.commit_offset = *commit_offset;
  fields.commit_size = *commit_size;
  fields.data_offset = *data_offset;
  return fields;
}

Result<DatPages> DatPages::open(const DatBytes& file, const DatContainer& container,
                                const DatBuffer& buffer, const DatCpu& cpu) {
  DatPages pages(file, buffer.page_size, container.big_endian, cpu);
  const bool packed = container.version == 7 && container.compression != "none";
  if (cpu.size == 0) return pages;
  if (packed && container.compression != "zstd") {
    return Error(Errc::kNotSupported,
                 fmt::format("{}: compressed with {:.20}: only zstd can be read", file.name(),
                             container.compression));
  }
  // What a writer that was stopped has announced and not written.
  const uint64_t there = file.size() - std::min(file.size(), cpu.offset);
  const uint64_t size = std::min(cpu.size, there);
  if (packed) {
    RTSWEEP_CHECK_OK(pages.find_chunks(cpu.offset + size));
  } else {
    pages.count_ = size / buffer.page_size;
  }
  return pages;
}

// The chunks follow one another, each with its packed and unpacked size in front.
Result<void> DatPages::find_chunks(uint64_t end) {
  const auto bad = [this] {
    return Error(Errc::kBadData, fmt::format("{}: not a whole trace.dat: the compressed events of "
                                             "CPU {} are damaged",
                                             file_->name(), cpu_));
  };
  const auto head = file_->read(offset_, 4);
  if (!head) return bad();
  uint64_t at = offset_ + 4;
  for (uint64_t left = number_at(*head, 0, 4, big_endian_); left > 0; --left) {
    const auto sizes = file_->read(at, 8);
    if (!sizes || at + 8 > end) return bad();
    const uint64_t packed = number_at(*sizes, 0, 4, big_endian_);
    const uint64_t size = number_at(*sizes, 4, 4, big_endian_);
    if (size > kMostChunk || packed > kMostChunk || packed == 0) return bad();
    const Chunk chunk{count_, size / page_size_, at + 8, packed};
    if (chunk.pages > 0) chunks_.push_back(chunk);
    count_ += chunk.pages;
    at += 8 + packed;
  }
  return {};
}

std::string_view DatPages::page(size_t index) {
  if (index >= count_) return {};
  if (index < block_first_ || index >= block_first_ + block_pages_) load(index);
  const size_t at = (index - block_first_) * page_size_;
  if (index < block_first_ || at + page_size_ > block_.size()) return {};
  return std::string_view(block_).substr(at, page_size_);
}

// A block around the page: readers go forwards and backwards.
void DatPages::load(size_t index) {
  if (!chunks_.empty()) return load_chunk(index);
  const size_t pages = std::max<size_t>(kBlock / page_size_, 1);
  block_first_ = index / pages * pages;
  block_pages_ = std::min(pages, count_ - block_first_);
  block_.resize(block_pages_ * page_size_);
  block_.resize(
      file_->read_into(offset_ + block_first_ * page_size_, block_.data(), block_.size()));
}

void DatPages::load_chunk(size_t index) {
  const auto after = std::ranges::upper_bound(chunks_, index, {}, &Chunk::first_page);
  const Chunk& chunk = *std::prev(after);
  block_first_ = chunk.first_page;
  block_pages_ = chunk.pages;
  block_.clear();
  const auto packed = file_->read(chunk.offset, chunk.packed);
  // Of the size in its header; what is not a multiple of a page was not counted.
  const auto sizes = file_->read(chunk.offset - 8, 8);
  if (!packed || !sizes) return;
  const uint64_t size = number_at(*sizes, 4, 4, big_endian_);
  if (size > kMostChunk) return;
  if (auto content = unpack_zstd(*packed, size)) block_ = std::move(*content);
}

uint64_t DatPages::page_time(size_t index) {
  const bool loaded = index >= block_first_ && index < block_first_ + block_pages_;
  if (loaded || !chunks_.empty()) return number_at(page(index), 0, 8, big_endian_);
  const auto stamp = file_->read(offset_ + index * page_size_, 8);
  return stamp ? number_at(*stamp, 0, 8, big_endian_) : 0;
}

size_t DatPages::first_after(uint64_t time) {
  size_t low = 0;
  size_t high = count_;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (page_time(middle) > time) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace rtsweep
