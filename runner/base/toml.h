// SPDX-License-Identifier: GPL-2.0-or-later

// toml++ the way all of this program includes it: its functions are inline and must not
// be built in two ways. A parse that fails throws toml::parse_error; catch it where
// toml::parse is called.

#pragma once

#define TOML_ENABLE_FORMATTERS 0  // NOLINT: read by toml++
#include <toml++/impl/preprocessor.h>

// toml++ 3.3 asserts what the document ought to look like ("[#" for one) right before
// it checks the same and reports an error. A wrong file is no reason to abort.
#undef TOML_ASSERT
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT(expr) static_assert(true)         // NOLINT: used by toml++
#define TOML_ASSERT_ASSUME(expr) static_assert(true)  // NOLINT: used by toml++
#include <toml++/toml.h>
