// SPDX-License-Identifier: GPL-2.0-or-later

// Secrets that show themselves by their form: addresses, UUIDs, paths.

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "analysis/secret_patterns.h"
#include "analysis/secret_scan.h"

namespace rtsweep {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// "b8:27:eb:12:34:56", "B8-27-EB-12-34-56". Longer rows of pairs are something else.
std::optional<SecretMatch> mac_at(std::string_view data, size_t at) {
  constexpr size_t kLength = 17;
  if (at + kLength > data.size()) return std::nullopt;
  const char separator = data[at + 2];
  if (separator != ':' && separator != '-') return std::nullopt;
  for (size_t i = 0; i < kLength; ++i) {
    const char c = data[at + i];
    if (i % 3 == 2 ? c != separator : !is_hex(c)) return std::nullopt;
  }
  const size_t end = at + kLength;
  if (!ends_word(data, end) || (end < data.size() && data[end] == separator)) return std::nullopt;
  std::string secret = lower(data.substr(at, kLength));
  std::ranges::replace(secret, '-', ':');
  if (secret == "00:00:00:00:00:00" || secret == "ff:ff:ff:ff:ff:ff") return std::nullopt;
  return SecretMatch{SecretKind::kMac, at, kLength, secret};
}

// Interfaces that are named after their address: "enxb827eb123456", "wlx...".
std::optional<SecretMatch> mac_name_at(std::string_view data, size_t at) {
  const std::string_view kind = data.substr(at, 3);
  if (kind != "enx" && kind != "wlx" && kind != "wwx") return std::nullopt;
  const std::string_view digits = run_of(data, at + 3, is_hex);
  if (digits.size() != 12 || !ends_word(data, at + 15)) return std::nullopt;
  std::string secret;
  for (size_t i = 0; i < 12; i += 2) secret += (i > 0 ? ":" : "") + lower(digits.substr(i, 2));
  return SecretMatch{SecretKind::kMac, at + 3, 12, secret};
}

// 8-4-4-4-12 hexadecimal digits.
std::optional<SecretMatch> uuid_at(std::string_view data, size_t at) {
  constexpr size_t kLength = 36;
  if (at + kLength > data.size() || !ends_word(data, at + kLength)) return std::nullopt;
  for (size_t i = 0; i < kLength; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? data[at + i] != '-' : !is_hex(data[at + i])) return std::nullopt;
  }
  return SecretMatch{SecretKind::kUuid, at, kLength, lower(data.substr(at, kLength))};
}

bool means_no_machine(std::string_view ipv4) {
  return ipv4.starts_with("127.") || ipv4.starts_with("0.") || ipv4.starts_with("255.");
}

// Four numbers up to 255. "6.12.3.1" in "linux-6.12.3.1" is a version: a letter or a dash
// before it says so.
std::optional<SecretMatch> ipv4_at(std::string_view data, size_t at) {
  if (at > 0 && (data[at - 1] == '.' || data[at - 1] == '-')) return std::nullopt;
  const std::string text(
      run_of(data, at, [](char c) { return is_digit(c) || c == '.'; }).substr(0, 16));
  const std::string bare = text.substr(0, text.find_last_not_of('.') + 1);
  in_addr address{};
  if (bare.empty() || ::inet_pton(AF_INET, bare.c_str(), &address) != 1) return std::nullopt;
  if (!ends_word(data, at + bare.size()) || means_no_machine(bare)) return std::nullopt;
  return SecretMatch{SecretKind::kIpv4, at, bare.size(), bare};
}

std::optional<SecretMatch> ipv6_at(std::string_view data, size_t at) {
  if (at > 0 && data[at - 1] == ':') return std::nullopt;
  std::string text(
      run_of(data, at, [](char c) { return is_hex(c) || c == ':' || c == '.'; }).substr(0, 46));
  while (text.ends_with('.') || (text.ends_with(':') && !text.ends_with("::"))) text.pop_back();
  // A few digits around "::" are more likely something else than an address.
  if (text.size() < 6 || std::ranges::count(text, ':') < 2) return std::nullopt;
  in6_addr address{};
  if (::inet_pton(AF_INET6, text.c_str(), &address) != 1) return std::nullopt;
  if (!ends_word(data, at + text.size())) return std::nullopt;
  return SecretMatch{SecretKind::kIpv6, at, text.size(), lower(text)};
}

bool in_path(char c) {
  return static_cast<unsigned char>(c) > ' ' &&
         std::string_view("\"'`<>|;,()[]{}\x7f").find(c) == std::string_view::npos;
}

// The part below "/home/NAME/", "/root/", "/Users/NAME/": names of projects and customers.
std::optional<SecretMatch> home_path_at(std::string_view data, size_t at) {
  if (data[at] != '/') return std::nullopt;
  size_t below = std::string_view::npos;
  for (const std::string_view homes : {"/home/", "/Users/"}) {
    if (data.substr(at).starts_with(homes)) below = data.find('/', at + homes.size());
  }
  if (data.substr(at).starts_with("/root/")) below = at + 5;
  if (below == std::string_view::npos) return std::nullopt;
  const std::string_view whole = run_of(data, at, in_path);
  if (at + whole.size() <= below + 1) return std::nullopt;  // the home directory itself
  std::string_view path = data.substr(below + 1, at + whole.size() - below - 1);
  while (path.ends_with(':') || path.ends_with('.') || path.ends_with('/')) path.remove_suffix(1);
  // JSON's escapes do not belong to it.
  path = path.substr(0, path.find('\\'));
  if (path.empty()) return std::nullopt;
  return SecretMatch{SecretKind::kHomePath, below + 1, path.size(), std::string(path)};
}

}  // namespace

std::optional<SecretMatch> secret_at(std::string_view data, size_t at) {
  if (!begins_word(data, at) && data[at] != '/') return std::nullopt;
  const char c = data[at];
  if (c == '/') return home_path_at(data, at);
  if (c == 'e' || c == 'w') {
    if (auto found = mac_name_at(data, at)) return found;
  }
  if (!is_hex(c) && c != ':') return std::nullopt;
  for (auto* form : {mac_at, uuid_at, ipv6_at, ipv4_at}) {
    if (auto found = form(data, at)) return found;
  }
  return std::nullopt;
}

}  // namespace rtsweep
