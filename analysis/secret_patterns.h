// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/redaction.h"

namespace rtsweep {

// A secret that shows itself by its form.
struct SecretMatch {
  SecretKind kind = SecretKind::kUuid;
  size_t begin = 0;
  size_t length = 0;
  std::string secret;  // in one spelling: MAC addresses in lower case with colons
};

// The secret by its form that begins at `at`, if one does.
std::optional<SecretMatch> secret_at(std::string_view data, size_t at);

// Calls `found` for each name that stands behind a word that says what it is:
// "nodename": "lab7", SSID='Home', /home/alice, SerialNumber: 4C5300. In binary data (with
// NULs in it) only those of home directories.
void find_named_secrets(std::string_view data,
                        const std::function<void(SecretKind, std::string_view)>& found);

// Names that every installation has: they name nobody.
bool is_common_name(std::string_view name);

}  // namespace rtsweep
