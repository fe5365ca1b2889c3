// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/board_facts.h"

#include <algorithm>

#include "runner/base/text.h"
#include "runner/host/read_values.h"

namespace rtsweep {
namespace {

// Text properties of the device tree end with a NUL byte.
std::string without_nul(std::string text) {
  while (text.ends_with('\0')) text.pop_back();
  return text;
}

bool is_printable(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
}

// Numbers are 32-bit big-endian; "version" is text.
std::string property_text(const std::string& value) {
  const std::string text = without_nul(value);
  if (value.size() != 4 || (value.ends_with('\0') && text.size() == 3 && is_printable(text))) {
    return is_printable(text) ? text : std::string();
  }
  uint32_t number = 0;
  for (const char byte : value) number = number << 8 | static_cast<unsigned char>(byte);
  return std::to_string(number);
}

}  // namespace

std::optional<BoardFacts> read_board_facts(const HostRoot& host, CommandRunner& commands) {
  const auto model = host.read("proc/device-tree/model");
  if (!model) return std::nullopt;
  BoardFacts board{.model = without_nul(*model)};
  const std::string bootloader = "proc/device-tree/chosen/bootloader";
  for (const std::string& name : names_in(host, bootloader)) {
    const auto value = host.read(bootloader + "/" + name);
    const std::string text = value ? property_text(*value) : std::string();
    if (!text.empty() && name != "name") board.bootloader[name] = text;
  }
  if (std::filesystem::exists(host.path("dev/vcio"))) {
    const auto config = commands.run({"vcgencmd", "bootloader_config"});
    if (config) board.eeprom_config = std::string(trim(*config));
  }
  return board;
}

}  // namespace rtsweep
