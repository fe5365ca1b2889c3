// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/kernel_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "analysis/kernel_arch.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr std::string_view kPrefix = "CONFIG_";
constexpr std::string_view kNotSet = "is not set";
constexpr size_t kLongestShown = 60;  // characters of a foreign line in a message

// A .config names every option that could be set: thousands are off. The smallest
// defconfig in the kernel has about as many settings as the largest fragment.
constexpr size_t kFullNotSet = 400;
constexpr size_t kDefconfigSettings = 100;

// Options of which kconfig takes one.
struct Choice {
  std::string_view name;
  std::span<const std::string_view> members;
};
constexpr std::array<std::string_view, 6> kPreemption = {"PREEMPT_NONE", "PREEMPT_VOLUNTARY",
                                                         "PREEMPT",      "PREEMPT_LAZY",
                                                         "PREEMPT_RT",   "PREEMPT_RT_FULL"};
constexpr std::array<std::string_view, 9> kHz = {"HZ_24",  "HZ_48",  "HZ_100", "HZ_128", "HZ_200",
                                                 "HZ_250", "HZ_300", "HZ_500", "HZ_1000"};
constexpr std::array<std::string_view, 3> kTick = {"HZ_PERIODIC", "NO_HZ_IDLE", "NO_HZ_FULL"};
constexpr std::array<std::string_view, 6> kGovernor = {
    "CPU_FREQ_DEFAULT_GOV_PERFORMANCE",  "CPU_FREQ_DEFAULT_GOV_POWERSAVE",
    "CPU_FREQ_DEFAULT_GOV_USERSPACE",    "CPU_FREQ_DEFAULT_GOV_ONDEMAND",
    "CPU_FREQ_DEFAULT_GOV_CONSERVATIVE", "CPU_FREQ_DEFAULT_GOV_SCHEDUTIL"};
constexpr std::array<std::string_view, 3> kHugepages = {
    "TRANSPARENT_HUGEPAGE_ALWAYS", "TRANSPARENT_HUGEPAGE_MADVISE", "TRANSPARENT_HUGEPAGE_NEVER"};

constexpr std::array<Choice, 5> kChoices = {{{"the preemption model", kPreemption},
                                             {"the timer frequency", kHz},
                                             {"the timer tick", kTick},
                                             {"the default cpufreq governor", kGovernor},
                                             {"transparent hugepages", kHugepages}}};

bool is_option_name(std::string_view name) {
  return !name.empty() && name.size() < 200 && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

std::string shown(std::string_view text) {
  std::string safe;
  for (const char c : text.substr(0, kLongestShown)) {
    safe += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return text.size() > kLongestShown ? safe + "..." : safe;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with("0x")) text.remove_prefix(2);
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

// What kconfig reads from behind the '='; nothing when it refuses the value.
std::optional<std::string> parse_value(std::string_view text) {
  if (text.starts_with('"')) {
    const size_t end = text.find('"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    return std::string(text.substr(1, end - 1));
  }
  const std::string_view word = text.substr(0, text.find_first_of(" \t#"));
  const bool tristate = word == "y" || word == "m" || word == "n";
  if (tristate || (is_number(word) && word.size() == text.size())) return std::string(word);
  return std::nullopt;
}

class ConfigReader {
 public:
  Result<KernelConfig> read(std::string_view text, std::optional<ConfigKind> kind) {
    size_t number = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      read_line(trim(text.substr(0, end)), ++number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (settings_ == 0 || foreign_ > settings_) return not_a_config();
    config_.kind = kind.value_or(kind_by_size());
    if (config_.arch.empty()) config_.arch = arch_from_options();
    add_hz();
    find_conflicts();
    return std::move(config_);
  }

 private:
  void read_line(std::string_view line, size_t number) {
    if (line.empty()) return;
    if (line.starts_with(kPrefix)) return read_setting(line, number);
    if (line.starts_with('#')) return read_comment(line, number);
    if (foreign_++ == 0) first_foreign_ = {shown(line), number};
  }

  void read_setting(std::string_view line, size_t number) {
    const size_t equals = line.find('=');
    const std::string_view name = line.substr(kPrefix.size(), equals - kPrefix.size());
    if (equals == std::string_view::npos || !is_option_name(name)) return ignore(line, number);
    const auto value = parse_value(line.substr(equals + 1));
    if (!value) return ignore(line, number);
    set(name, *value, line, number);
  }

  void read_comment(std::string_view line, size_t number) {
    const std::string_view words = trim(line.substr(1));
    if (words == "Automatically generated file; DO NOT EDIT.") generated_ = true;
    if (words.starts_with("Linux/")) read_version(words);
    if (config_.arch.empty() && number == 1) config_.arch = known_arch(words);
    if (!words.starts_with(kPrefix)) return;
    const size_t blank = std::min(words.find(' '), words.size());
    const std::string_view name = words.substr(kPrefix.size(), blank - kPrefix.size());
    const std::string_view rest = trim(words.substr(blank));
    if (!is_option_name(name) || !rest.starts_with(kNotSet)) return;
    if (rest != kNotSet) return ignore(line, number);
    ++not_set_;
    set(name, "n", line, number);
  }

  // "Linux/x86 4.14.71 Kernel Configuration"; 32 or 64 bit is told by CONFIG_64BIT.
  void read_version(std::string_view header) {
    const std::vector<std::string> word = words(header.substr(0, 100));
    if (word.size() < 4 || word[2] != "Kernel") return;
    config_.kernel_version = word[1];
    config_.arch = known_arch(std::string_view(word[0]).substr(6));
  }

  void set(std::string_view name, std::string value, std::string_view line, size_t number) {
    ++settings_;
    auto& setting = config_.settings[std::string(name)];
    if (setting.line != 0) {
      const bool same = setting.value == value;
      config_.duplicates.push_back(
          {fmt::format("CONFIG_{} is set again{}: {} in line {}, {} in line {}", name,
                       same ? "" : " to another value", setting.value, setting.line, value, number),
           number});
    }
    setting = {std::move(value), number, std::string(line.substr(0, 200))};
  }

  void ignore(std::string_view line, size_t number) {
    ++settings_;
    config_.ignored.push_back({shown(line), number});
  }

  Error not_a_config() const {
    if (foreign_ == 0) return {Errc::kBadData, "not a kernel configuration: sets no option"};
    return {Errc::kBadData, fmt::format("line {}: not a kernel configuration: '{}'",
                                        first_foreign_.line, first_foreign_.text)};
  }

  ConfigKind kind_by_size() const {
    if (generated_ || not_set_ >= kFullNotSet) return ConfigKind::kFull;
    return settings_ >= kDefconfigSettings ? ConfigKind::kDefconfig : ConfigKind::kFragment;
  }

  std::string arch_from_options() const {
    for (const auto& [option, arch] : arch_options()) {
      if (config_.is_on(option)) return std::string(arch);
    }
    const auto arm64 = config_.settings.lower_bound("ARM64_");
    const bool has = arm64 != config_.settings.end() && arm64->first.starts_with("ARM64_");
    return has ? "arm64" : "";
  }

  // Some tools leave the number out that the choice implies.
  void add_hz() {
    if (config_.find("HZ") != nullptr) return;
    for (const std::string_view member : kHz) {
      const ConfigSetting* chosen = config_.find(member);
      if (chosen == nullptr || chosen->value != "y") continue;
      config_.settings["HZ"] = {std::string(member.substr(3)), chosen->line, chosen->text};
    }
  }

  void find_conflicts() {
    for (const Choice& choice : kChoices) find_conflict(choice);
  }

  void find_conflict(const Choice& choice) {
    std::vector<std::pair<size_t, std::string_view>> on;
    for (const std::string_view member : choice.members) {
      const ConfigSetting* setting = config_.find(member);
      if (setting != nullptr && setting->value == "y") on.emplace_back(setting->line, member);
    }
    // In a .config that kconfig wrote, PREEMPT beside PREEMPT_RT is right: 6.13 took
    // PREEMPT_RT out of the choice, and old trees had PREEMPT as a helper of it.
    const bool whole =
        config_.kind == ConfigKind::kFull && choice.members.data() == kPreemption.data();
    if (on.size() < 2 || whole) return;
    std::ranges::sort(on);
    std::vector<std::string> names;
    for (const auto& [line, member] : on) names.push_back(fmt::format("CONFIG_{}=y", member));
    config_.conflicts.push_back(
        {fmt::format("{} are one choice ({}); kconfig keeps the last, in line {}",
                     join(names, " and "), choice.name, on.back().first),
         on.back().first});
  }

  KernelConfig config_;
  bool generated_ = false;
  size_t settings_ = 0;  // lines that set an option or look like it
  size_t not_set_ = 0;
  size_t foreign_ = 0;  // lines that are neither settings nor comments
  ConfigRemark first_foreign_;
};

}  // namespace

std::string_view config_kind_name(ConfigKind kind) {
  static constexpr std::array<std::string_view, 3> kNames = {"full", "defconfig", "fragment"};
  return kNames.at(static_cast<size_t>(kind));
}

std::optional<ConfigKind> config_kind_from(std::string_view name) {
  for (const auto kind : {ConfigKind::kFull, ConfigKind::kDefconfig, ConfigKind::kFragment}) {
    if (config_kind_name(kind) == name) return kind;
  }
  return std::nullopt;
}

const ConfigSetting* KernelConfig::find(std::string_view option) const {
  const auto it = settings.find(option);
  return it == settings.end() ? nullptr : &it->second;
}

bool KernelConfig::is_on(std::string_view option) const {
  const ConfigSetting* setting = find(option);
  return setting != nullptr && (setting->value == "y" || setting->value == "m");
}

Result<KernelConfig> parse_kernel_config(std::string_view text, std::optional<ConfigKind> kind) {
  if (text.find('\0') != std::string_view::npos) {
    return Error(Errc::kBadData, "not a kernel configuration: holds binary data");
  }
  return ConfigReader().read(text, kind);
}

}  // namespace rtsweep
