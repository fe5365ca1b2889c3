// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rtsweep {

// What must not leave the house with a bundle.
enum class SecretKind { kHost, kUser, kMac, kSerial, kIpv4, kIpv6, kSsid, kUuid, kHomePath };

// "host name", "MAC address": one of them, for people.
std::string_view secret_kind_name(SecretKind kind);

// Replaces what names a person, a machine or a network by pseudonyms: one secret has one
// pseudonym in all that one Redactor sees, so that "host1" is the same host in the mail
// and in the trace.
//
// First show it everything with learn(): a name that only one file gives away by its
// context ("nodename", "/home/NAME", "SSID: ...") is then found bare in the others too.
//
// What is found by its form: MAC addresses (also those in interface names: enx0011...),
// IPv4 and IPv6 addresses, UUIDs, paths below home directories. By what stands before it:
// host and user names, serial numbers, SSIDs, PARTUUIDs, machine ids. Addresses that
// mean no machine (loopback, unspecified, netmasks) stay, and names that every
// installation has ("localhost", "root", "pi").
class Redactor {
 public:
  // A name known from elsewhere. Names of one character, and those that every
  // installation has, are not taken: replacing them would spoil the text and hide nothing.
  void know(SecretKind kind, std::string_view secret);

  // Looks for secrets; changes nothing. Binary data may be shown too.
  void learn(std::string_view data);

  // The text without its secrets. What was replaced once stays as it is.
  std::string text(std::string_view text);

  // The same of data that is not text (trace.dat): its length and all that is not a
  // secret stay. A pseudonym that is shorter is filled up, a longer one is cut.
  std::string binary(std::string_view data);

  // Whether a secret is in it still, for a last look before anything is given away.
  bool holds_secret(std::string_view data) const;

  struct Count {
    size_t different = 0;  // secrets
    size_t replaced = 0;   // places
  };
  // What was replaced so far; never the secrets themselves.
  std::map<SecretKind, Count> counts() const;

 private:
  struct Name {
    std::string pseudonym;
    SecretKind kind;
    size_t replaced = 0;
  };

  Name& name_of(SecretKind kind, const std::string& secret);
  std::string replaced_patterns(std::string_view data, bool same_length);
  std::string replaced_names(std::string data, bool same_length);

  std::map<std::pair<SecretKind, std::string>, Name> names_;
  std::map<SecretKind, size_t> numbers_;  // of the last pseudonym of each kind
  std::set<std::string> issued_;          // pseudonyms: they are no secrets when seen again
  // What to look for literally, longest first: spelling -> the secret that it spells.
  std::vector<std::pair<std::string, std::pair<SecretKind, std::string>>> spellings_;
};

// "Removed: 2 host names (7 places), ..." as lines; "Nothing was found to remove." without.
std::vector<std::string> redaction_lines(const std::map<SecretKind, Redactor::Count>& counts);

}  // namespace rtsweep
