// SPDX-License-Identifier: GPL-2.0-or-later

// Names that what stands before them gives away.

#include "analysis/secret_patterns.h"

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/secret_scan.h"

namespace rtsweep {
namespace {

// A word that says what the name behind it is.
struct Marker {
  std::string_view word;  // in lower case
  SecretKind kind;
  bool needs_separator = true;  // ':' or '='
};

constexpr auto kMarkers = std::to_array<Marker>({
    {"nodename", SecretKind::kHost},
    {"hostname", SecretKind::kHost},
    {"hostname set to", SecretKind::kHost, false},
    {"set hostname to", SecretKind::kHost, false},
    {"username", SecretKind::kUser},
    {"logname", SecretKind::kUser},
    {"sudo_user", SecretKind::kUser},
    {"user", SecretKind::kUser},
    {"opened for user", SecretKind::kUser, false},
    {"closed for user", SecretKind::kUser, false},
    {"/home/", SecretKind::kUser, false},
    {"/users/", SecretKind::kUser, false},
    {"ssid", SecretKind::kSsid, false},
    {"serial", SecretKind::kSerial},
    {"serialno", SecretKind::kSerial},
    {"serialnumber", SecretKind::kSerial},
    {"serial_number", SecretKind::kSerial},
    {"serial-number", SecretKind::kSerial},
    {"serial number", SecretKind::kSerial},
    {"serial no", SecretKind::kSerial},
    {"partuuid", SecretKind::kUuid},
    {"uuid", SecretKind::kUuid},
    {"machine_id", SecretKind::kUuid},
    {"machine-id", SecretKind::kUuid},
    {"machine id", SecretKind::kUuid},
    {"boot_id", SecretKind::kUuid},
});

bool in_name(char c) { return is_word(c) || c == '-' || c == '.' || c == '+'; }

bool has_digit(std::string_view text) { return std::ranges::any_of(text, is_digit); }

// What stands in quotation marks, or one word.
std::string_view value_at(std::string_view data, size_t at, SecretKind kind) {
  if (at >= data.size()) return {};
  const char quote = data[at];
  if (quote == '"' || quote == '\'' || quote == '<') {
    const char end = quote == '<' ? '>' : quote;
    const std::string_view inside =
        run_of(data, at + 1, [end](char c) { return c != end && c != '\n' && c != '\0'; });
    return inside.size() <= 64 ? inside : std::string_view();
  }
  if (kind == SecretKind::kSsid)
    return run_of(data, at, [](char c) { return c > ' ' && c != ','; });
  return run_of(data, at, in_name);
}

bool is_plausible(SecretKind kind, std::string_view value) {
  switch (kind) {
    case SecretKind::kSerial:  // "Serial: 8250/16550 driver" is none
      return value.size() >= 6 && has_digit(value) && std::ranges::all_of(value, in_name);
    case SecretKind::kUuid:  // of a partition "6c586e13-02", of a FAT "1A2B-3C4D", a machine id
      return value.size() >= 9 &&
             std::ranges::all_of(value, [](char c) { return is_hex(c) || c == '-'; });
    case SecretKind::kSsid:  // "%s" is a format's
      return value.size() >= 2 && value[0] != '%';
    case SecretKind::kUser:
      return value.size() >= 2 && !is_digit(value[0]) && std::ranges::all_of(value, in_name);
    default:
      return value.size() >= 2 && std::ranges::all_of(value, in_name);
  }
}

// Behind the word: "x", 'x', : x, = "x", ": "x. At most a few blanks and tabs between.
size_t behind_marker(std::string_view data, size_t at, const Marker& marker, bool& separated) {
  if (marker.word.ends_with('/')) return at;
  const size_t most = std::min(data.size(), at + 24);
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  if (at < most && (data[at] == '"' || data[at] == '\'')) ++at;  // the end of a JSON key
  while (at < most && blank(data[at])) ++at;
  while (at < most && (data[at] == ':' || data[at] == '=')) {
    separated = true;
    ++at;
  }
  while (at < most && blank(data[at])) ++at;
  return at;
}

bool marker_at(std::string_view data, size_t at, std::string_view word) {
  if (at + word.size() > data.size()) return false;
  return std::ranges::equal(data.substr(at, word.size()), word, {}, [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
}

// "essid", "bcm2708.serial", "root=PARTUUID": the word may be the end of a longer one.
void look_behind(std::string_view data, size_t at, const Marker& marker,
                 const std::function<void(SecretKind, std::string_view)>& found) {
  const bool path = marker.word.starts_with('/');
  if (marker.kind == SecretKind::kUser && !path && !begins_word(data, at)) return;
  const size_t end = at + marker.word.size();
  if (!path && !ends_word(data, end)) return;
  bool separated = false;
  const size_t value_begin = behind_marker(data, end, marker, separated);
  const bool quoted =
      value_begin < data.size() && (data[value_begin] == '"' || data[value_begin] == '\'');
  if (marker.needs_separator && !separated) return;
  if (marker.kind == SecretKind::kSsid && !separated && !quoted) return;
  std::string_view value = value_at(data, value_begin, marker.kind);
  while (value.ends_with('.')) value.remove_suffix(1);
  if (is_plausible(marker.kind, value)) found(marker.kind, value);
}

// "Dec  1 12:00:00 lab7 kernel: ", "2026-12-01T12:00:00.1+00:00 lab7 kernel: ".
void look_for_syslog(std::string_view line,
                     const std::function<void(SecretKind, std::string_view)>& found) {
  const size_t log = line.find(" kernel:");
  if (log == std::string_view::npos || log > 80) return;
  const std::string_view before = line.substr(0, log);
  const size_t blank = before.rfind(' ');
  if (blank == std::string_view::npos || before.find(':') == std::string_view::npos) return;
  const std::string_view host = before.substr(blank + 1);
  if (is_plausible(SecretKind::kHost, host) && !is_digit(host[0])) found(SecretKind::kHost, host);
}

// "Linux version 6.12.0 (alice@buildbox) (gcc ...": who built it, and where.
void look_for_builder(std::string_view line,
                      const std::function<void(SecretKind, std::string_view)>& found) {
  const size_t version = line.find("Linux version ");
  if (version == std::string_view::npos) return;
  const size_t open = line.find('(', version);
  const size_t at = line.find('@', version);
  const size_t close = line.find(')', version);
  if (close == std::string_view::npos || open > at || at > close) return;
  const std::string_view user = line.substr(open + 1, at - open - 1);
  const std::string_view host = line.substr(at + 1, close - at - 1);
  if (host.ends_with(".org") || user.starts_with("build")) return;  // a distribution's
  if (is_plausible(SecretKind::kUser, user)) found(SecretKind::kUser, user);
  if (is_plausible(SecretKind::kHost, host)) found(SecretKind::kHost, host);
}

// "systemd-logind[300]: New session c1 of user alice."
void look_for_session(std::string_view line,
                      const std::function<void(SecretKind, std::string_view)>& found) {
  constexpr std::string_view kOfUser = " of user ";
  const size_t at = line.find(kOfUser);
  if (at == std::string_view::npos || line.find("ession ") > at) return;
  std::string_view user = run_of(line, at + kOfUser.size(), in_name);
  if (!user.ends_with('.')) return;
  user.remove_suffix(1);
  if (is_plausible(SecretKind::kUser, user)) found(SecretKind::kUser, user);
}

// "/dev/disk/by-id/ata-Samsung_SSD_870_S5Y1NX0R123456-part2": its end is the serial number.
void look_for_disk_id(std::string_view line,
                      const std::function<void(SecretKind, std::string_view)>& found) {
  constexpr std::string_view kById = "/by-id/";
  const size_t at = line.find(kById);
  if (at == std::string_view::npos) return;
  std::string_view name = run_of(line, at + kById.size(), in_name);
  name = name.substr(0, name.find("-part"));
  const std::string_view serial = name.substr(name.find_last_of("_-") + 1);
  if (is_plausible(SecretKind::kSerial, serial)) found(SecretKind::kSerial, serial);
}

// ip=CLIENT:SERVER:GATEWAY:NETMASK:HOSTNAME:DEVICE of the kernel's command line.
void look_for_ip_parameter(std::string_view line,
                           const std::function<void(SecretKind, std::string_view)>& found) {
  const size_t at = line.find("ip=");
  if (at == std::string_view::npos || !begins_word(line, at)) return;
  std::string_view rest = run_of(line, at + 3, [](char c) { return c > ' ' && c != '"'; });
  for (int field = 0; field < 4; ++field) {
    const size_t colon = rest.find(':');
    if (colon == std::string_view::npos) return;
    rest.remove_prefix(colon + 1);
  }
  const std::string_view host = rest.substr(0, rest.find(':'));
  if (is_plausible(SecretKind::kHost, host)) found(SecretKind::kHost, host);
}

}  // namespace

void find_named_secrets(std::string_view data,
                        const std::function<void(SecretKind, std::string_view)>& found) {
  const auto uncommon = [&found](SecretKind kind, std::string_view value) {
    if (!is_common_name(value)) found(kind, value);
  };
  // trace.dat is full of words about words: "print fmt: \"ssid=%s\"".
  const bool binary = data.find('\0') != std::string_view::npos;
  std::array<std::vector<const Marker*>, 256> by_first;
  for (const Marker& marker : kMarkers) {
    if (binary && marker.word[0] != '/') continue;
    by_first[static_cast<unsigned char>(marker.word[0])].push_back(&marker);
  }
  for (size_t at = 0; at < data.size(); ++at) {
    const int first = std::tolower(static_cast<unsigned char>(data[at]));
    for (const Marker* marker : by_first[static_cast<size_t>(first)]) {
      if (marker_at(data, at, marker->word)) look_behind(data, at, *marker, uncommon);
    }
  }
  for (size_t begin = 0; !binary && begin < data.size();) {
    const size_t end = std::min(data.find('\n', begin), data.size());
    const std::string_view line = data.substr(begin, std::min<size_t>(end - begin, 8192));
    look_for_syslog(line, uncommon);
    look_for_builder(line, uncommon);
    look_for_disk_id(line, uncommon);
    look_for_session(line, uncommon);
    look_for_ip_parameter(line, uncommon);
    begin = end + 1;
  }
}

bool is_common_name(std::string_view name) {
  // Of distributions' images, of the kernel and of this program's own guests.
  constexpr auto kCommon = std::to_array<std::string_view>(
      {"localhost", "localdomain", "none",    "null",   "unknown", "root",   "pi",    "raspberrypi",
       "debian",    "ubuntu",      "fedora",  "user",   "users",   "admin",  "guest", "host",
       "vm",        "default",     "kernel",  "linux",  "daemon",  "nobody", "mail",  "www-data",
       "runner",    "rtsweep",     "generic", "system", "space",   "mode",   "data",  "true",
       "false",     "the",         "this",    "with",   "home",    "test",   "Linux", "yes",
       "no",        "all",         "any",     "in",     "is",      "to",     "of",    "ids"});
  return std::ranges::find(kCommon, name) != kCommon.end();
}

}  // namespace rtsweep
