// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/dat_symbols.h"

#include <algorithm>
#include <charconv>

namespace rtsweep {
namespace {

// A function is shorter than this: an address further from the last symbol is in none.
constexpr uint64_t kLongestFunction = 1 << 20;

}  // namespace

DatSymbols::DatSymbols(std::string kallsyms) : text_(std::move(kallsyms)) {
  if (text_.size() > UINT32_MAX) text_.clear();
  const char* const end = text_.data() + text_.size();
  for (size_t begin = 0; begin < text_.size();) {
    const size_t newline = std::min(text_.find('\n', begin), text_.size());
    uint64_t address = 0;
    const auto [rest, error] = std::from_chars(text_.data() + begin, end, address, 16);
    const auto name = static_cast<size_t>(rest - text_.data()) + 3;  // " T "
    if (error == std::errc() && address != 0 && name < newline && text_[name - 3] == ' ' &&
        text_[name - 1] == ' ') {
      index_.push_back({address, static_cast<uint32_t>(name)});
    }
    begin = newline + 1;
  }
  std::ranges::stable_sort(index_, {}, &Symbol::address);
}

std::string_view DatSymbols::name_at(uint32_t at) const {
  const std::string_view rest = std::string_view(text_).substr(at);
  return rest.substr(0, rest.find_first_of("\t \n"));
}

std::optional<DatSymbols::Place> DatSymbols::find(uint64_t address) const {
  auto after = std::ranges::upper_bound(index_, address, {}, &Symbol::address);
  if (after == index_.begin()) return std::nullopt;
  // Of several names for one address the first, as the kernel's own lookup.
  const uint64_t begin = std::prev(after)->address;
  const auto symbol = std::ranges::lower_bound(index_, begin, {}, &Symbol::address);
  if (address - begin > kLongestFunction) return std::nullopt;
  const std::string_view name = name_at(symbol->at);
  std::string_view rest = std::string_view(text_).substr(symbol->at + name.size());
  rest = rest.substr(0, rest.find('\n'));
  Place place{.name = std::string(name), .offset = address - begin};
  const size_t open = rest.find('[');
  const size_t close = rest.find(']');
  if (open != std::string_view::npos && close != std::string_view::npos && close > open) {
    place.module = rest.substr(open + 1, close - open - 1);
  }
  return place;
}

std::optional<uint64_t> DatSymbols::address_of(std::string_view name) const {
  for (const Symbol& symbol : index_) {
    if (name_at(symbol.at) == name) return symbol.address;
  }
  return std::nullopt;
}

}  // namespace rtsweep
