// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <string>

#include "runner/kernels/archive.h"

namespace rtsweep {

// sources.list for a release; "RELEASE-security" and "RELEASE-backports" come with
// the release itself, which their packages depend on.
std::string apt_sources(const ArchiveSettings& settings, const std::string& suite);

// apt.conf for a state directory of our own. It is given to apt with -c, so that it is
// read after this machine's own files: those still say which proxy to use.
std::string apt_conf(const std::filesystem::path& directory, const std::string& suite,
                     const std::string& arch);

}  // namespace rtsweep
