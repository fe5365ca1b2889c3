// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// The kernel's symbols: /proc/kallsyms as it was recorded, "ffffffff81000000 T _text". Kept
// as the text and a sorted index: half of what a table of strings would take.
class DatSymbols {
 public:
  DatSymbols() = default;
  explicit DatSymbols(std::string kallsyms);

  // The function that the address is in, with the distance from its begin.
  struct Place {
    std::string name;
    std::string module;  // empty: of the kernel itself
    uint64_t offset = 0;
  };
  std::optional<Place> find(uint64_t address) const;
  std::optional<uint64_t> address_of(std::string_view name) const;
  bool is_empty() const { return index_.empty(); }

 private:
  struct Symbol {
    uint64_t address = 0;
    uint32_t at = 0;  // of its name in the text
  };

  std::string_view name_at(uint32_t at) const;

  std::string text_;
  std::vector<Symbol> index_;
};

}  // namespace rtsweep
