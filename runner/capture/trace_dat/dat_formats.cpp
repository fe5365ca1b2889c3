// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/dat_formats.h"

#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr uint64_t kMostOffset = 60'000;

std::string_view value_of(std::string_view text, std::string_view key) {
  size_t at = text.starts_with(key) ? 0 : text.find("\n" + std::string(key));
  if (at == std::string_view::npos) return {};
  if (at > 0) ++at;
  const std::string_view rest = text.substr(at + key.size());
  return trim(rest.substr(0, rest.find('\n')));
}

std::optional<uint16_t> small(std::string_view text, uint64_t most) {
  const auto value = scan::natural(text);
  if (!value || *value > most) return std::nullopt;
  return static_cast<uint16_t>(*value);
}

// The number behind "offset:" or "size:" in "\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;".
std::optional<uint16_t> part(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  return at == std::string_view::npos ? std::nullopt
                                      : small(line.substr(at + key.size()), kMostOffset);
}

// The place of "\tfield:pid_t prev_pid;" in the text, by the name; also "char comm[16]".
std::string_view field_line(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t behind = at + name.size();
    const bool whole = at > 0 && (text[at - 1] == ' ' || text[at - 1] == '*') &&
                       behind < text.size() && (text[behind] == ';' || text[behind] == '[');
    if (!whole) continue;
    const size_t begin = text.rfind('\n', at);
    const std::string_view line =
        text.substr(begin == std::string_view::npos ? 0 : begin + 1, text.find('\n', at) - begin);
    if (line.find("field:") != std::string_view::npos) return line.substr(0, line.find('\n'));
  }
  return {};
}

}  // namespace

DatFormats::DatFormats(const DatContainer& container) : entries_(65'536) {
  for (const DatFormat& format : container.formats) {
    const auto id = small(value_of(format.text, "ID:"), 65'535);
    if (!id) continue;
    entries_[*id] = {&format, value_of(format.text, "name:")};
  }
}

std::string_view DatFormats::name(uint16_t id) const { return entries_[id].name; }

const DatFormat* DatFormats::format(uint16_t id) const { return entries_[id].format; }

std::optional<uint16_t> DatFormats::id(std::string_view system, std::string_view name) const {
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].format != nullptr && entries_[i].name == name &&
        (system.empty() || entries_[i].format->system == system)) {
      return static_cast<uint16_t>(i);
    }
  }
  return std::nullopt;
}

DatField DatFormats::field(uint16_t id, std::string_view field) const {
  if (entries_[id].format == nullptr) return {};
  const std::string_view line = field_line(entries_[id].format->text, field);
  const auto offset = part(line, "offset:");
  const auto size = part(line, "size:");
  if (!offset || !size) return {};
  return {*offset, *size};
}

CommonFields common_fields(const DatFormats& formats, const DatContainer& container) {
  CommonFields common;
  if (container.formats.empty()) return common;
  for (size_t id = 0; id < 65'536; ++id) {
    const auto number = static_cast<uint16_t>(id);
    if (formats.format(number) == nullptr) continue;
    const auto set = [&](DatField& field, std::string_view name) {
      if (const DatField found = formats.field(number, name)) field = found;
    };
    set(common.type, "common_type");
    set(common.flags, "common_flags");
    set(common.preempt_count, "common_preempt_count");
    set(common.pid, "common_pid");
    break;
  }
  return common;
}

}  // namespace rtsweep
