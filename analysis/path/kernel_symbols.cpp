// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/kernel_symbols.h"

#include <algorithm>
#include <charconv>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// "ffffffc008010000 T _stext", "bf000000 t init_module\t[mmc_core]". Data is left out, and
// what ARM's assemblers mark inside of functions ("$x").
std::optional<KernelSymbol> symbol_in(std::string_view line) {
  const std::vector<std::string> part = words(line);
  if (part.size() < 3 || part[1].size() != 1 || part[2].starts_with('$')) return std::nullopt;
  if (std::string_view("tTwW").find(part[1]) == std::string_view::npos) return std::nullopt;
  KernelSymbol symbol{.name = part[2]};
  const auto [end, failed] =
      std::from_chars(part[0].data(), part[0].data() + part[0].size(), symbol.address, 16);
  if (failed != std::errc() || end != part[0].data() + part[0].size()) return std::nullopt;
  if (part.size() > 3) symbol.name += " " + part[3];
  return symbol;
}

// Of several names of one place, the longest-lived: not the linker's own.
bool better(const KernelSymbol& one, const KernelSymbol& other) {
  return one.name.starts_with("__") < other.name.starts_with("__");
}

}  // namespace

Result<KernelSymbols> KernelSymbols::parse(std::string_view kallsyms) {
  KernelSymbols table;
  while (!kallsyms.empty()) {
    const size_t end = std::min(kallsyms.find('\n'), kallsyms.size());
    auto symbol = symbol_in(kallsyms.substr(0, end));
    if (symbol && symbol->address != 0) table.symbols_.push_back(std::move(*symbol));
    kallsyms.remove_prefix(std::min(end + 1, kallsyms.size()));
  }
  if (table.symbols_.empty()) {
    return Error(Errc::kBadData, "kallsyms: no function with an address in it");
  }
  std::ranges::stable_sort(table.symbols_, [](const KernelSymbol& a, const KernelSymbol& b) {
    return a.address != b.address ? a.address < b.address : better(a, b);
  });
  const auto rest = std::ranges::unique(table.symbols_, {}, &KernelSymbol::address);
  table.symbols_.erase(rest.begin(), rest.end());
  return table;
}

const KernelSymbol* KernelSymbols::find(uint64_t address) const {
  const auto next = std::ranges::upper_bound(symbols_, address, {}, &KernelSymbol::address);
  return next == symbols_.begin() ? nullptr : &*std::prev(next);
}

std::optional<uint64_t> KernelSymbols::address_of(std::string_view name) const {
  for (const KernelSymbol& symbol : symbols_) {
    const std::string_view full = symbol.name;
    const bool same = full == name || (full.starts_with(name) && full[name.size()] == '.' &&
                                       full.find(".cold") == std::string_view::npos);
    if (same) return symbol.address;
  }
  return std::nullopt;
}

std::optional<uint64_t> KernelSymbols::end_of(uint64_t address) const {
  const auto next = std::ranges::upper_bound(symbols_, address, {}, &KernelSymbol::address);
  if (next == symbols_.end()) return std::nullopt;
  return next->address;
}

}  // namespace rtsweep
