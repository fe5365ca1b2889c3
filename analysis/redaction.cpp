// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/redaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/secret_patterns.h"

namespace rtsweep {
namespace {

// TASK_COMM_LEN of the kernel is 16, the NUL included: longer names of tasks are cut.
constexpr size_t kCommLength = 15;

// A name this long is replaced wherever it stands, a shorter one as a whole word only:
// "lab" must not spoil "label".
constexpr size_t kSureLength = 5;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

bool stands_alone(std::string_view data, size_t at, size_t length) {
  const size_t end = at + length;
  return (at == 0 || !is_word(data[at - 1])) && (end >= data.size() || !is_word(data[end]));
}

bool is_number(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The next place from `at` where a name counts as found.
size_t find_name(std::string_view data, const std::string& name, size_t at) {
  while ((at = data.find(name, at)) != std::string_view::npos) {
    if ((name.size() >= kSureLength && !is_number(name)) || stands_alone(data, at, name.size()))
      return at;
    ++at;
  }
  return at;
}

// How the secret may be written: as it is, in JSON, cut to a task's name, in lower case.
std::set<std::string> spellings_of(SecretKind kind, const std::string& secret) {
  std::set<std::string> spellings = {secret};
  for (const bool ascii : {false, true}) {
    const std::string json =
        nlohmann::json(secret).dump(-1, ' ', ascii, nlohmann::json::error_handler_t::replace);
    spellings.insert(json.substr(1, json.size() - 2));
  }
  if (kind == SecretKind::kHost || kind == SecretKind::kUser) {
    if (secret.size() > kCommLength) spellings.insert(secret.substr(0, kCommLength));
    // The host alone of "lab7.example.org".
    const std::string first = secret.substr(0, secret.find('.'));
    if (kind == SecretKind::kHost && first.size() > 1 && !is_common_name(first)) {
      spellings.insert(first);
    }
  }
  return spellings;
}

std::string_view stem_of(SecretKind kind) {
  switch (kind) {
    case SecretKind::kHost:
      return "host";
    case SecretKind::kUser:
      return "user";
    case SecretKind::kSerial:
      return "serial";
    case SecretKind::kIpv4:
      return "ip";
    case SecretKind::kIpv6:
      return "ipv6-";
    case SecretKind::kSsid:
      return "ssid";
    case SecretKind::kHomePath:
      return "path";
    default:
      return "id";
  }
}

// The form of UUIDs and MAC addresses stays, so that whoever reads them finds one.
std::string pseudonym(SecretKind kind, const std::string& secret, size_t number) {
  if (kind == SecretKind::kMac) {
    return fmt::format("02:00:00:00:{:02x}:{:02x}", number / 256 % 256, number % 256);
  }
  // A number may stand bare in JSON, and must stay one.
  if (is_number(secret)) return fmt::format("1{:0>{}}", number, secret.size() - 1);
  if (kind != SecretKind::kUuid) return fmt::format("{}{}", stem_of(kind), number);
  std::string digits = fmt::format("{:0>{}x}", number, std::ranges::count_if(secret, is_word));
  std::string same_form = secret;
  size_t next = 0;
  for (char& c : same_form) {
    if (is_word(c)) c = digits[next++];
  }
  return same_form;
}

// In data whose length must stay. At the end of a string it is filled up with NULs, which
// end it; in the middle of one with letters.
std::string with_length(const std::string& pseudonym, size_t length, bool at_end) {
  std::string fitted = pseudonym;
  if (fitted.size() > length && length >= 2) {
    const size_t digits = pseudonym.find_first_of("123456789");
    const std::string number = digits == std::string::npos ? "" : pseudonym.substr(digits);
    fitted = pseudonym.substr(0, length - std::min(length - 1, number.size())) + number;
  }
  fitted.resize(length, at_end ? '\0' : 'x');
  return fitted;
}

bool ends_string(std::string_view data, size_t end) { return end < data.size() && data[end] == 0; }

// A MAC address in the name of an interface has no colons, in another spelling dashes.
std::string spelled_like(const std::string& mac, std::string_view found) {
  std::string spelled = mac;
  if (found.size() == 12) std::erase(spelled, ':');
  if (found.find('-') != std::string_view::npos) std::ranges::replace(spelled, ':', '-');
  return spelled;
}

}  // namespace

std::string_view secret_kind_name(SecretKind kind) {
  switch (kind) {
    case SecretKind::kHost:
      return "host name";
    case SecretKind::kUser:
      return "user name";
    case SecretKind::kMac:
      return "MAC address";
    case SecretKind::kSerial:
      return "serial number";
    case SecretKind::kIpv4:
      return "IPv4 address";
    case SecretKind::kIpv6:
      return "IPv6 address";
    case SecretKind::kSsid:
      return "SSID";
    case SecretKind::kUuid:
      return "UUID";
    case SecretKind::kHomePath:
      return "path below a home directory";
  }
  return "";
}

Redactor::Name& Redactor::name_of(SecretKind kind, const std::string& secret) {
  const auto key = std::make_pair(kind, secret);
  const auto known = names_.find(key);
  if (known != names_.end()) return known->second;
  const std::string made = pseudonym(kind, secret, ++numbers_[kind]);
  issued_.insert(made);
  return names_.emplace(key, Name{.pseudonym = made, .kind = kind}).first->second;
}

void Redactor::know(SecretKind kind, std::string_view secret) {
  if (secret.size() < 2 || is_common_name(secret)) return;
  if (issued_.contains(std::string(secret))) return;
  const std::string name(secret);
  const bool user_and_host =
      names_.contains({SecretKind::kHost, name}) && kind == SecretKind::kUser;
  if (user_and_host || names_.contains({kind, name})) return;
  name_of(kind, name);
  for (const std::string& spelling : spellings_of(kind, name)) {
    spellings_.emplace_back(spelling, std::make_pair(kind, name));
  }
  std::ranges::stable_sort(
      spellings_, [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

void Redactor::learn(std::string_view data) {
  find_named_secrets(data, [this](SecretKind kind, std::string_view value) {
    // What its form gives away is found by it.
    const auto match = secret_at(value, 0);
    if (!match || match->length != value.size()) know(kind, value);
  });
}

std::string Redactor::replaced_patterns(std::string_view data, bool same_length) {
  std::string out;
  size_t done = 0;
  for (size_t at = 0; at < data.size();) {
    const auto match = secret_at(data, at);
    if (!match || issued_.contains(match->secret)) {
      at += match ? match->begin + match->length - at : 1;
      continue;
    }
    Name& name = name_of(match->kind, match->secret);
    ++name.replaced;
    const std::string_view found = data.substr(match->begin, match->length);
    std::string instead =
        match->kind == SecretKind::kMac ? spelled_like(name.pseudonym, found) : name.pseudonym;
    const size_t end = match->begin + match->length;
    if (same_length) instead = with_length(instead, match->length, ends_string(data, end));
    out += data.substr(done, match->begin - done);
    out += instead;
    done = at = end;
  }
  out += data.substr(done);
  return out;
}

std::string Redactor::replaced_names(std::string data, bool same_length) {
  for (const auto& [spelling, secret] : spellings_) {
    Name& name = names_.at(secret);
    for (size_t at = 0; (at = find_name(data, spelling, at)) != std::string::npos;) {
      const bool at_end = ends_string(data, at + spelling.size());
      const std::string instead =
          same_length ? with_length(name.pseudonym, spelling.size(), at_end) : name.pseudonym;
      data.replace(at, spelling.size(), instead);
      at += instead.size();
      ++name.replaced;
    }
  }
  return data;
}

std::string Redactor::text(std::string_view text) {
  return replaced_names(replaced_patterns(text, false), false);
}

std::string Redactor::binary(std::string_view data) {
  return replaced_names(replaced_patterns(data, true), true);
}

bool Redactor::holds_secret(std::string_view data) const {
  return std::ranges::any_of(spellings_, [&](const auto& spelling) {
    return find_name(data, spelling.first, 0) != std::string_view::npos;
  });
}

std::map<SecretKind, Redactor::Count> Redactor::counts() const {
  std::map<SecretKind, Count> counts;
  for (const auto& [key, name] : names_) {
    if (name.replaced == 0) continue;
    ++counts[name.kind].different;
    counts[name.kind].replaced += name.replaced;
  }
  return counts;
}

std::vector<std::string> redaction_lines(const std::map<SecretKind, Redactor::Count>& counts) {
  if (counts.empty()) return {"Nothing was found to remove."};
  std::vector<std::string> lines;
  for (const auto& [kind, count] : counts) {
    std::string plural = "s";
    if (secret_kind_name(kind).ends_with("ss")) plural = "es";
    std::string name = std::string(secret_kind_name(kind)) + (count.different == 1 ? "" : plural);
    if (kind == SecretKind::kHomePath && count.different != 1)
      name = "paths below home directories";
    lines.push_back(fmt::format("{} {}, in {} place{}", count.different, name, count.replaced,
                                count.replaced == 1 ? "" : "s"));
  }
  return lines;
}

}  // namespace rtsweep
