// SPDX-License-Identifier: GPL-2.0-or-later

// A Raspberry Pi's boot loader: rpi-eeprom-config, vcgencmd bootloader_version, and the
// settings of rpi-eeprom-update.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analysis/machine_report_parts.h"
#include "runner/base/text.h"

namespace rtsweep::machine_report {
namespace {

constexpr std::array<std::string_view, 16> kKeys = {"BOOT_UART",
                                                    "WAKE_ON_GPIO",
                                                    "POWER_OFF_ON_HALT",
                                                    "FREEZE_VERSION",
                                                    "SIGNED_BOOT",
                                                    "BOOT_ORDER",
                                                    "ENABLE_SELF_UPDATE",
                                                    "SDRAM_BANKLOW",
                                                    "HDMI_DELAY",
                                                    "DHCP_TIMEOUT",
                                                    "NET_INSTALL_AT_POWER_ON",
                                                    "PSU_MAX_CURRENT",
                                                    "PCIE_PROBE",
                                                    "BOOT_WATCHDOG_TIMEOUT",
                                                    "USB_MSD_PWR_OFF_TIME",
                                                    "DISABLE_HDMI"};

struct Setting {
  std::string value;
  size_t index = 0;
};

// A section for another board does not hold here; which board it is is not known, so that
// only [none] is certain. Text without a section header counts as [all].
std::optional<std::map<std::string, Setting>> eeprom_settings(const Lines& lines) {
  std::map<std::string, Setting> settings;
  bool known = false;
  bool holds = true;
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const std::string line(trim(lines.text[i]));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('[') && line.ends_with(']')) {
      holds = line != "[none]";
      continue;
    }
    const size_t equals = line.find('=');
    const std::string key = line.substr(0, equals);
    if (equals == std::string::npos || key.find(' ') != std::string::npos) return std::nullopt;
    known |= std::ranges::find(kKeys, key) != kKeys.end();
    if (holds) settings[key] = {line.substr(equals + 1), i};
  }
  return known ? std::optional(settings) : std::nullopt;
}

// Digits are tried from the right (Raspberry Pi documentation, BOOT_ORDER).
std::string boot_order_words(std::string_view value) {
  static const std::map<char, std::string_view> kMedia = {
      {'0', "SD card detect"}, {'1', "SD card"}, {'2', "network"},
      {'3', "RPIBOOT"},        {'4', "USB"},     {'5', "BCM USB"},
      {'6', "NVMe"},           {'7', "HTTP"},    {'e', "stop"},
      {'f', "restart"}};
  if (value.starts_with("0x")) value.remove_prefix(2);
  std::vector<std::string> order;
  for (auto digit = value.rbegin(); digit != value.rend(); ++digit) {
    const auto medium = kMedia.find(static_cast<char>(std::tolower(*digit)));
    order.emplace_back(medium == kMedia.end() ? "unknown" : medium->second);
  }
  return join(order, ", then ");
}

void observe_settings(const Lines& lines, const std::map<std::string, Setting>& settings,
                      Observations& observed) {
  struct Switch {
    std::string_view key;
    std::string_view value;  // of the observation
  };
  observed["eeprom"];
  for (const Switch& one : {Switch{"FREEZE_VERSION", "frozen"}, Switch{"SIGNED_BOOT", "signed"},
                            Switch{"ENABLE_SELF_UPDATE", "self_update"}}) {
    const auto setting = settings.find(std::string(one.key));
    if (setting == settings.end() || setting->second.value != "1") continue;
    lines.observe(observed, "eeprom", std::string(one.value), fmt::format("{}=1", one.key),
                  setting->second.index);
  }
  const auto order = settings.find("BOOT_ORDER");
  if (order != settings.end()) {
    lines.observe(observed, "eeprom", "boot_order",
                  fmt::format("BOOT_ORDER={}: {}", order->second.value,
                              boot_order_words(order->second.value)),
                  order->second.index);
  }
  const auto banklow = settings.find("SDRAM_BANKLOW");
  if (banklow == settings.end()) {
    observed["eeprom"].push_back({"banklow_default", "no SDRAM_BANKLOW", lines.source, 0});
  } else {
    lines.observe(observed, "eeprom", "banklow", "SDRAM_BANKLOW=" + banklow->second.value,
                  banklow->second.index);
  }
}

// "2025/11/05 14:00:00" above "version 1a2b..." is 20251105.
bool read_bootloader_date(const Lines& lines, Observations& observed) {
  for (size_t i = 0; i + 1 < lines.text.size(); ++i) {
    const std::string line(trim(lines.text[i]));
    const std::vector<std::string> date = split(line.substr(0, line.find(' ')), '/');
    const bool dated = date.size() == 3 && date[0].size() == 4 && date[1].size() == 2 &&
                       date[2].size() == 2 && leading_number(date[0]) && leading_number(date[1]);
    if (!dated || !trim(lines.text[i + 1]).starts_with("version ")) continue;
    lines.observe(observed, "bootloader_date", join(date, ""), "boot loader of " + line, i);
    return true;
  }
  return false;
}

bool read_update_channel(const Lines& lines, Observations& observed) {
  for (size_t i = 0; i < lines.text.size(); ++i) {
    const auto channel = value_behind(lines.text[i], "FIRMWARE_RELEASE_STATUS");
    if (!channel) continue;
    lines.observe(observed, "eeprom", "channel", std::string(trim(lines.text[i])), i);
    return true;
  }
  return false;
}

}  // namespace

bool read_eeprom(const Lines& lines, Observations& observed) {
  if (read_update_channel(lines, observed)) return true;
  const bool dated = read_bootloader_date(lines, observed);
  const auto settings = eeprom_settings(lines);
  if (settings) observe_settings(lines, *settings, observed);
  return dated || settings.has_value();
}

}  // namespace rtsweep::machine_report
