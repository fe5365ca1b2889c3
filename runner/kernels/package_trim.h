// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/kernels/guest_tree.h"

namespace rtsweep {

std::vector<std::string> default_left_out_packages();
std::vector<std::string> default_left_out_paths();

// What of Debian packages a guest can do without. Shell patterns, where '*' matches
// slashes too; paths without the leading slash and as GuestTree keeps them.
struct TrimRules {
  // Dependencies that are not even fetched. A package that is asked for by name stays.
  std::vector<std::string> packages = default_left_out_packages();

  std::vector<std::string> paths = default_left_out_paths();

  // Libraries that stay although no program names them: found by dlopen() instead.
  // glibc needs libgcc_s to end a thread (pthread_cancel).
  std::vector<std::string> libraries = {"ld-*", "libgcc_s.so.*", "libnss_*"};
};

// Removes what matches `paths`, and every shared library (*.so.N) that no program or
// library which stays needs.
Result<void> trim(GuestTree& tree, const TrimRules& rules);

// Links libraries that lie in a directory of their own, as usr/lib/T/blas/libblas.so.3,
// into usr/lib/T, where the dynamic linker looks. Maintainer scripts would have done
// it, or ld.so.conf.d.
void link_nested_libraries(GuestTree& tree);

// Fails (kNotSupported) when a program in usr/bin or usr/sbin whose file is below one
// of the host's directories needs a library that the tree does not have.
Result<void> check_libraries(const GuestTree& tree,
                             std::span<const std::filesystem::path> directories);

}  // namespace rtsweep
