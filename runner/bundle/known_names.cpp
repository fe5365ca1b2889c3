// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/known_names.h"

#include <charconv>
#include <cstdlib>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// UID_MIN and UID_MAX of Debian's login.defs: accounts of people.
constexpr int kFirstUser = 1000, kLastUser = 60000;

int number_of(const std::string& text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// name:password:uid:gid:comment:home:shell. Full names are in the comment.
void know_users(Redactor& redactor, const HostRoot& host) {
  const auto passwd = host.read("etc/passwd");
  if (!passwd) return;
  for (const std::string& line : split(*passwd, '\n')) {
    const auto fields = split(line, ':');
    if (fields.size() < 6) continue;
    const int uid = number_of(fields[2]);
    if (uid < kFirstUser || uid > kLastUser) continue;
    redactor.know(SecretKind::kUser, fields[0]);
    redactor.know(SecretKind::kUser, trim(split(fields[4], ',').front()));
  }
}

void know_file(Redactor& redactor, const HostRoot& host, SecretKind kind, std::string_view file) {
  const auto text = host.read(file);
  if (!text) return;
  std::string value(trim(*text));
  while (value.ends_with('\0')) value.pop_back();  // the device tree's strings have one
  // "0", "None", "To be filled by O.E.M." name no machine.
  if (kind == SecretKind::kSerial && (value.size() < 6 || value.find(' ') != std::string::npos)) {
    return;
  }
  redactor.know(kind, value);
}

}  // namespace

void know_this_machine(Redactor& redactor, const HostRoot& host) {
  know_file(redactor, host, SecretKind::kHost, "proc/sys/kernel/hostname");
  know_file(redactor, host, SecretKind::kHost, "etc/hostname");
  know_users(redactor, host);
  for (const char* name : {"USER", "LOGNAME", "SUDO_USER"}) {
    if (const char* value = std::getenv(name)) redactor.know(SecretKind::kUser, value);
  }
  know_file(redactor, host, SecretKind::kUuid, "etc/machine-id");
  for (const char* file : {"sys/class/dmi/id/product_serial", "sys/class/dmi/id/board_serial",
                           "sys/class/dmi/id/chassis_serial", "proc/device-tree/serial-number"}) {
    know_file(redactor, host, SecretKind::kSerial, file);
  }
}

}  // namespace rtsweep
