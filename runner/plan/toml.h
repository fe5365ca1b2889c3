// SPDX-License-Identifier: GPL-2.0-or-later

// toml++ as this folder uses it: a parse that fails returns its error. Included by
// few files only, since it is a large header.

#pragma once

#define TOML_EXCEPTIONS 0         // NOLINT: read by toml++
#define TOML_ENABLE_FORMATTERS 0  // NOLINT: read by toml++
#include <toml++/toml.h>
