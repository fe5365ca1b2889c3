// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/kernel_arch.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace rtsweep {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array<Pair, 22> kNames = {
    {{"x86_64", "x86_64"},   {"amd64", "x86_64"},   {"i386", "i386"},   {"i486", "i386"},
     {"i586", "i386"},       {"i686", "i386"},      {"x86", "x86"},     {"arm64", "arm64"},
     {"aarch64", "arm64"},   {"arm", "arm"},        {"armhf", "arm"},   {"armel", "arm"},
     {"armv5tel", "arm"},    {"armv6l", "arm"},     {"armv7l", "arm"},  {"armv8l", "arm"},
     {"riscv64", "riscv64"}, {"riscv", "riscv64"},  {"s390x", "s390x"}, {"s390", "s390x"},
     {"ppc64le", "powerpc"}, {"powerpc", "powerpc"}}};

// X86_32 and ARM come after what also sets them.
constexpr std::array<Pair, 7> kOptions = {{{"X86_64", "x86_64"},
                                           {"ARM64", "arm64"},
                                           {"X86_32", "i386"},
                                           {"ARM", "arm"},
                                           {"RISCV", "riscv64"},
                                           {"S390", "s390x"},
                                           {"PPC", "powerpc"}}};

}  // namespace

std::string known_arch(std::string_view name) {
  const auto* it = std::ranges::find(kNames, name, &Pair::first);
  return it == kNames.end() ? std::string() : std::string(it->second);
}

std::span<const Pair> arch_options() { return kOptions; }

bool arch_matches(std::string_view arch, std::string_view wanted) {
  const auto is_x86 = [](std::string_view name) {
    return name == "x86" || name == "x86_64" || name == "i386";
  };
  if (arch == wanted) return true;
  return is_x86(arch) && is_x86(wanted) && (arch == "x86" || wanted == "x86");
}

std::vector<int> version_numbers(std::string_view release) {
  std::vector<int> numbers;
  while (!release.empty()) {
    int number = 0;
    const auto [end, ec] = std::from_chars(release.data(), release.data() + release.size(), number);
    if (ec != std::errc() || number < 0) break;
    numbers.push_back(number);
    release.remove_prefix(static_cast<size_t>(end - release.data()));
    if (!release.starts_with('.')) break;
    release.remove_prefix(1);
  }
  return numbers;
}

std::strong_ordering compare_versions(std::string_view a, std::string_view b) {
  const std::vector<int> left = version_numbers(a);
  const std::vector<int> right = version_numbers(b);
  return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(),
                                                right.end());
}

std::string_view flavour_name(KernelFlavour flavour) {
  static constexpr std::array<std::string_view, 4> kFlavours = {"plain", "rt", "cobalt", "evl"};
  return kFlavours.at(static_cast<size_t>(flavour));
}

KernelFlavour flavour_of_version(std::string_view uname_v) {
  for (const std::string_view mark : {"PREEMPT_RT", "PREEMPT RT", "PREEMPT_{RT"}) {
    if (uname_v.find(mark) != std::string_view::npos) return KernelFlavour::kRt;
  }
  return KernelFlavour::kPlain;
}

}  // namespace rtsweep
