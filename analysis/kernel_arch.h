// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtsweep {

// The name that rules use for an architecture as uname, the kernel's source tree or Debian
// spell it: "aarch64" is arm64, "armv7l" and "armhf" arm, "amd64" x86_64, "i686" i386. "x86"
// alone is kept: 32 or 64 bit is not known. Empty when it is none of those known here.
std::string known_arch(std::string_view name);

// Options that only one architecture has, with that architecture.
std::span<const std::pair<std::string_view, std::string_view>> arch_options();

// Whether a kernel for `arch` is one of `wanted`; "x86" in either place means both word sizes.
bool arch_matches(std::string_view arch, std::string_view wanted);

// The numbers at the beginning of a kernel release: {6, 12, 9} of "6.12.9-rt5+deb13".
// Empty when there is none.
std::vector<int> version_numbers(std::string_view release);

// 6.1 < 6.1.3 < 6.12
std::strong_ordering compare_versions(std::string_view a, std::string_view b);

// What gives a kernel its real-time behaviour. Co-kernels run beside Linux: their threads do
// not show in cyclictest.
enum class KernelFlavour { kPlain, kRt, kCobalt, kEvl };

std::string_view flavour_name(KernelFlavour flavour);  // "plain", "rt", "cobalt", "evl"

// From `uname -v` or a boot log's banner: "PREEMPT_RT" since 5.4, "PREEMPT RT" in the
// out-of-tree patches before, "PREEMPT_{RT,...}" since 6.16. Co-kernels are not told here.
KernelFlavour flavour_of_version(std::string_view uname_v);

}  // namespace rtsweep
