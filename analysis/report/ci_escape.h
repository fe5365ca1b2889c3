// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rtsweep {

// Text from elsewhere for the formats of CI systems: always one line, without control characters.

// A description of a TAP test: a '#' would begin a directive ("# SKIP").
std::string tap_escaped(std::string_view text);

// Single-quoted YAML: nothing is special in it but the quote.
std::string yaml_quoted(std::string_view text);

// "::error title=...::message": a workflow command of GitHub Actions, escaped as @actions/core
// does. A newline would end it, and what follows be a command of its own.
std::string github_command(std::string_view kind, std::string_view title, std::string_view message);

}  // namespace rtsweep
