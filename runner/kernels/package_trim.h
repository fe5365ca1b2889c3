// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/kernels/guest_tree.h"

namespace rtsweep {

// What of Debian packages a guest can do without. Shell patterns, where '*' matches
// slashes too; paths without the leading slash and as GuestTree keeps them.
struct TrimRules {
  // Dependencies that are not even fetched: what only maintainer scripts or
  // scripts beside the programs need. A package that is asked for by name stays.
  std::vector<std::string> packages = {"perl*",
                                       "libperl*",
                                       "lib*-perl",
                                       "python3*",
                                       "libpython3*",
                                       "debconf*",
                                       "dpkg",
                                       "tar",
                                       "adduser",
                                       "passwd",
                                       "usrmerge",
                                       "init-system-helpers",
                                       "dmsetup",
                                       "libpam*",
                                       "libsemanage*",
                                       "media-types",
                                       "readline-common",
                                       "libllvm*",
                                       "libgl1-mesa-dri",
                                       "tzdata",
                                       "ucf",
                                       "sensible-utils",
                                       "gcc-*-base",
                                       "libx11-data"};

  std::vector<std::string> paths = {"usr/share/doc/*",
                                    "usr/share/doc-base/*",
                                    "usr/share/man/*",
                                    "usr/share/locale/*",
                                    "usr/share/info/*",
                                    "usr/share/lintian/*",
                                    "usr/share/bug/*",
                                    "usr/share/gdb/*",
                                    "usr/share/perl*",
                                    "usr/share/python*",
                                    "usr/share/pixmaps/*",
                                    "usr/share/zoneinfo/*",
                                    "usr/share/menu/*",
                                    "usr/share/applications/*",
                                    "usr/share/bash-completion/*",
                                    "usr/share/initramfs-tools/*",
                                    "usr/share/apport/*",
                                    "usr/share/icons/*",
                                    "usr/share/fonts/*",
                                    "usr/share/drirc.d/*",
                                    "usr/lib/*/gconv/*",
                                    "usr/lib/*/dri/*",
                                    "usr/lib/*/perl*",
                                    "usr/lib/python*",
                                    "usr/lib/gcc/*/lto1",
                                    "usr/lib/gcc/*/lto-wrapper",
                                    "usr/lib/systemd/*",
                                    "usr/lib/locale/*",
                                    "var/*"};

  // Libraries that stay although no program names them: found by dlopen() instead.
  // glibc needs libgcc_s to end a thread (pthread_cancel).
  std::vector<std::string> libraries = {"ld-*", "libgcc_s.so.*", "libnss_*"};
};

// Removes what matches `paths`, and every shared library (*.so.N) that no program or
// library which stays needs.
Result<void> trim(GuestTree& tree, const TrimRules& rules);

}  // namespace rtsweep
