// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace rtsweep {
namespace {

struct Symbol {
  uint64_t address = 0;
  size_t begin = 0;  // of its line in the text
  size_t length = 0;
  bool wanted = false;
};

std::vector<Symbol> sorted_symbols(std::string_view text) {
  std::vector<Symbol> symbols;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    uint64_t address = 0;
    const auto [rest, failed] =
        std::from_chars(text.data() + begin, text.data() + end, address, 16);
    // 0 where addresses are hidden; small numbers are offsets into per-CPU data.
    if (failed == std::errc() && address >= 0x10000)
      symbols.push_back({address, begin, end - begin});
    begin = end + 1;
  }
  std::ranges::stable_sort(symbols, {}, &Symbol::address);
  return symbols;
}

// Every word on a 4-byte boundary, as fields of events are no better aligned than that.
std::vector<uint64_t> words_in(const std::vector<CpuPages>& cpus, size_t long_bytes, uint64_t first,
                               uint64_t last) {
  std::vector<uint64_t> found;
  for (const CpuPages& cpu : cpus) {
    for (size_t at = 0; at + long_bytes <= cpu.bytes.size(); at += 4) {
      uint64_t word = 0;
      std::memcpy(&word, cpu.bytes.data() + at, long_bytes);
      if (word >= first && word <= last) found.push_back(word);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void mark_wanted(std::vector<Symbol>& symbols, const std::vector<uint64_t>& addresses) {
  for (const uint64_t address : addresses) {
    const auto after = std::ranges::upper_bound(symbols, address, {}, &Symbol::address);
    if (after == symbols.begin()) continue;
    const uint64_t start = std::prev(after)->address;
    if (after != symbols.end()) after->wanted = true;
    // All names of the same address: readers differ in which they take.
    for (auto at = after; at != symbols.begin() && std::prev(at)->address == start; --at) {
      std::prev(at)->wanted = true;
    }
  }
}

}  // namespace

std::string mentioned_symbols(const std::string& kallsyms, const std::vector<CpuPages>& cpus,
                              size_t long_bytes) {
  std::vector<Symbol> symbols = sorted_symbols(kallsyms);
  if (symbols.empty()) return {};
  mark_wanted(symbols, words_in(cpus, long_bytes, symbols.front().address,
                                symbols.back().address + 0x100000));
  std::string text;
  for (const Symbol& symbol : symbols) {
    if (!symbol.wanted) continue;
    text.append(kallsyms, symbol.begin, symbol.length);
    text += '\n';
  }
  return text;
}

}  // namespace rtsweep
