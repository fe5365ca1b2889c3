// SPDX-License-Identifier: GPL-2.0-or-later

// toml++ as this folder uses it: a parse that fails returns its error. Included by
// few files only, since it is a large header.

#pragma once

#define TOML_EXCEPTIONS 0         // NOLINT: read by toml++
#define TOML_ENABLE_FORMATTERS 0  // NOLINT: read by toml++
#include <toml++/impl/preprocessor.h>

// toml++ 3.3 asserts what the document ought to look like ("[#" for one) right before
// it checks the same and reports an error. A plan is no reason to abort.
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expr) static_assert(true)         // NOLINT: used by toml++
#define TOML_ASSERT_ASSUME(expr) static_assert(true)  // NOLINT: used by toml++
#include <toml++/toml.h>
