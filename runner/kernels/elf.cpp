// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/elf.h"

#include <elf.h>

#include <cstring>
#include <optional>

namespace rtsweep {
namespace {

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Dynamic = Elf32_Dyn;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Dynamic = Elf64_Dyn;
};

// Copies a T out of the file; nothing when it would lie outside.
template <typename T>
std::optional<T> at(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

template <typename Elf>
std::vector<typename Elf::Segment> segments(std::string_view file) {
  std::vector<typename Elf::Segment> found;
  const auto header = at<typename Elf::Header>(file, 0);
  if (!header) return found;
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const uint64_t offset = header->e_phoff + uint64_t{i} * sizeof(typename Elf::Segment);
    const auto segment = at<typename Elf::Segment>(file, offset);
    if (!segment) break;
    found.push_back(*segment);
  }
  return found;
}

template <typename Segment>
std::optional<uint64_t> file_offset(const std::vector<Segment>& segments, uint64_t address) {
  for (const Segment& segment : segments) {
    const bool within = segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
                        address - segment.p_vaddr < segment.p_filesz;
    if (within) return segment.p_offset + (address - segment.p_vaddr);
  }
  return std::nullopt;
}

std::string text_at(std::string_view file, uint64_t offset) {
  if (offset >= file.size()) return "";
  const std::string_view rest = file.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

template <typename Elf>
std::vector<std::string> needed_in(std::string_view file) {
  const auto loaded = segments<Elf>(file);
  std::vector<uint64_t> names;
  std::optional<uint64_t> strings;
  for (const auto& segment : loaded) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (uint64_t offset = segment.p_offset;; offset += sizeof(typename Elf::Dynamic)) {
      const auto entry = at<typename Elf::Dynamic>(file, offset);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
      if (entry->d_tag == DT_STRTAB) strings = file_offset(loaded, entry->d_un.d_ptr);
    }
  }
  std::vector<std::string> needed;
  if (!strings) return needed;
  for (const uint64_t name : names) {
    std::string library = text_at(file, *strings + name);
    if (!library.empty()) needed.push_back(std::move(library));
  }
  return needed;
}

}  // namespace

bool is_elf(std::string_view file) {
  return file.size() > EI_DATA && file.starts_with(std::string_view(ELFMAG, SELFMAG)) &&
         file[EI_DATA] == ELFDATA2LSB;
}

std::vector<std::string> needed_libraries(std::string_view file) {
  if (!is_elf(file)) return {};
  return file[EI_CLASS] == ELFCLASS64 ? needed_in<Elf64>(file) : needed_in<Elf32>(file);
}

}  // namespace rtsweep
