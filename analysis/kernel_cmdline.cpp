// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/kernel_cmdline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kLongestCmdline = 16384;  // COMMAND_LINE_SIZE is 4096 at most in mainline
constexpr int kMostCpus = 8192;            // the largest CONFIG_NR_CPUS

// Each occurrence does something of its own.
constexpr std::array<std::string_view, 16> kCollected = {"console",
                                                         "earlycon",
                                                         "earlyprintk",
                                                         "numa",
                                                         "hugepages",
                                                         "hugepagesz",
                                                         "mem",
                                                         "memmap",
                                                         "module_blacklist",
                                                         "root_hash",
                                                         "cgroup_disable",
                                                         "modprobe.blacklist",
                                                         "initcall_blacklist",
                                                         "isolcpus",
                                                         "iommu",
                                                         "acpi_osi"};

// The next word; quotes keep blanks inside. Ends behind it.
std::string next_word(std::string_view& text) {
  std::string word;
  bool quoted = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') quoted = !quoted;
    if (!quoted && std::isspace(static_cast<unsigned char>(c)) != 0) break;
    word += c;
  }
  text.remove_prefix(at);
  return word;
}

std::string without_quotes(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '"') plain += c;
  }
  return plain;
}

CmdlineParameter parameter_from(const std::string& word) {
  const size_t equals = word.find('=');
  CmdlineParameter parameter{.name = without_quotes(word.substr(0, equals)), .text = word};
  std::ranges::replace(parameter.name, '-', '_');
  if (equals != std::string::npos) parameter.value = without_quotes(word.substr(equals + 1));
  return parameter;
}

std::optional<int> to_number(std::string_view text) {
  int number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = ec == std::errc() && end == text.data() + text.size();
  return whole && number >= 0 && number <= kMostCpus ? std::optional(number) : std::nullopt;
}

// "0-15:2/4": of each group of 4, the first 2.
bool add_range(std::string_view item, std::set<int>& cpus) {
  const size_t colon = std::min(item.find(':'), item.size());
  const std::string_view range = item.substr(0, colon);
  const size_t dash = range.find('-');
  const auto first = to_number(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : to_number(range.substr(dash + 1));
  if (!first || !last || *last < *first) return false;
  int used = 1;
  int group = 1;
  if (colon < item.size()) {
    const std::string_view pattern = item.substr(colon + 1);
    const size_t slash = std::min(pattern.find('/'), pattern.size());
    const auto of = to_number(pattern.substr(0, slash));
    const auto in = to_number(pattern.substr(std::min(slash + 1, pattern.size())));
    if (!of || !in || *in == 0) return false;
    used = *of;
    group = *in;
  }
  for (int cpu = *first; cpu <= *last; ++cpu) {
    if ((cpu - *first) % group < used) cpus.insert(cpu);
  }
  return true;
}

}  // namespace

const CmdlineParameter* KernelCmdline::find(std::string_view name) const {
  const auto it = std::find_if(parameters.rbegin(), parameters.rend(),
                               [&](const CmdlineParameter& one) { return one.name == name; });
  return it == parameters.rend() ? nullptr : &*it;
}

std::vector<const CmdlineParameter*> KernelCmdline::overridden() const {
  std::vector<const CmdlineParameter*> found;
  for (const CmdlineParameter& one : parameters) {
    if (find(one.name) == &one || std::ranges::find(kCollected, one.name) != kCollected.end()) {
      continue;
    }
    if (find(one.name)->value != one.value) found.push_back(&one);
  }
  return found;
}

Result<KernelCmdline> parse_kernel_cmdline(std::string_view text) {
  const auto wrong = [](std::string_view why) {
    return Error(Errc::kBadData, fmt::format("not a kernel command line: {}", why));
  };
  if (text.find('\0') != std::string_view::npos) return wrong("holds binary data");
  text = trim(text);
  if (text.size() > kLongestCmdline) return wrong("longer than any kernel takes");
  if (text.find('\n') != std::string_view::npos) return wrong("line 2: it has one line only");
  KernelCmdline cmdline;
  while (!text.empty()) {
    const std::string word = next_word(text);
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
    if (word == "--") break;
    if (!word.empty()) cmdline.parameters.push_back(parameter_from(word));
  }
  return cmdline;
}

std::optional<std::set<int>> parse_boot_cpu_list(std::string_view text) {
  std::set<int> cpus;
  for (const std::string& item : split(text, ',')) {
    if (!add_range(item, cpus)) return std::nullopt;
  }
  return cpus;
}

IsolcpusValue parse_isolcpus(std::string_view value) {
  IsolcpusValue parsed;
  while (!value.empty() && std::isalpha(static_cast<unsigned char>(value.front())) != 0) {
    const size_t comma = std::min(value.find(','), value.size());
    const std::string_view word = value.substr(0, comma);
    if (word != "domain" && word != "nohz" && word != "managed_irq") break;  // "all", "N"
    parsed.flags.emplace_back(word);
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  parsed.cpus = value;
  return parsed;
}

}  // namespace rtsweep
