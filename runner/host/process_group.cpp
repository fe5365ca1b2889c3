// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/process_group.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// The times in /proc/PID/stat are in USER_HZ, which is 100 on every architecture
// that Debian knows, whatever CONFIG_HZ says.
constexpr uint64_t kMsPerTick = 10;

struct ProcessStat {
  char state = '?';
  pid_t parent = 0;
  pid_t group = 0;
  uint64_t cpu_ticks = 0;

  bool alive() const { return state != 'Z' && state != 'X'; }
};

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The word that begins at or after `at`, which moves behind it. No allocation: there
// are fifty words in a line, and a line for each process of the machine.
std::string_view next_word(std::string_view text, size_t& at) {
  const size_t begin = std::min(text.find_first_not_of(' ', at), text.size());
  at = std::min(text.find(' ', begin), text.size());
  return text.substr(begin, at - begin);
}

// Fields are numbered as in proc(5). The second one, the program's name, may hold
// blanks and parentheses, so counting starts after the last ')'.
std::optional<ProcessStat> parse_stat(std::string_view text) {
  size_t at = text.rfind(')');
  if (at == std::string_view::npos) return std::nullopt;
  ++at;
  ProcessStat stat;
  for (int field = 3; field <= 17; ++field) {
    const std::string_view word = next_word(text, at);
    if (word.empty()) return std::nullopt;
    if (field == 3) stat.state = word.front();
    if (field != 4 && field != 5 && field < 14) continue;
    const auto value = number<int64_t>(word);
    if (!value) return std::nullopt;
    if (field == 4) stat.parent = static_cast<pid_t>(*value);
    if (field == 5) stat.group = static_cast<pid_t>(*value);
    // utime, stime, and those of children that were waited for
    if (field >= 14 && *value > 0) stat.cpu_ticks += static_cast<uint64_t>(*value);
  }
  return stat;
}

// Every process that is there, by id.
Result<std::map<pid_t, ProcessStat>> all_processes(const HostRoot& host) {
  std::error_code ec;
  std::filesystem::directory_iterator entry(host.path("proc"), ec);
  std::map<pid_t, ProcessStat> processes;
  for (; !ec && entry != std::filesystem::directory_iterator(); entry.increment(ec)) {
    const std::string name = entry->path().filename().string();
    const auto pid = number<pid_t>(name);
    if (!pid) continue;
    const auto text = host.read("proc/" + name + "/stat");
    if (!text) continue;  // it has just gone
    const auto stat = parse_stat(*text);
    if (!stat) return Error(Errc::kBadData, "proc/" + name + "/stat: not as in proc(5): " + *text);
    processes.emplace(*pid, *stat);
  }
  if (ec) return Error(Errc::kIo, "list " + host.path("proc").string() + ": " + ec.message());
  return processes;
}

std::set<pid_t> members_of(pid_t group, const std::map<pid_t, ProcessStat>& processes) {
  std::set<pid_t> members;
  for (const auto& [pid, stat] : processes) {
    if (stat.group == group) members.insert(pid);
  }
  // A child's id can be below its parent's once ids have wrapped, hence the repeat.
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [pid, stat] : processes) {
      if (members.contains(stat.parent)) grown = members.insert(pid).second || grown;
    }
  }
  return members;
}

// The value of one line of /proc/PID/io, "syscw: 323932".
uint64_t io_value(std::string_view io, std::string_view key) {
  for (const std::string& line : split(io, '\n')) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ':') continue;
    return number<uint64_t>(trim(std::string_view(line).substr(key.size() + 1))).value_or(0);
  }
  return 0;
}

void add_io(std::string_view text, GroupUsage& usage) {
  if (!usage.io) usage.io.emplace();
  usage.io->write_calls += io_value(text, "syscw");
  usage.io->written_chars += io_value(text, "wchar");
  usage.io->written_bytes += io_value(text, "write_bytes");
}

}  // namespace

Result<GroupUsage> process_group_usage(const HostRoot& host, pid_t group) {
  RTSWEEP_TRY(const auto processes, all_processes(host));
  GroupUsage usage;
  for (const pid_t pid : members_of(group, processes)) {
    const ProcessStat& stat = processes.at(pid);
    if (stat.alive()) ++usage.processes;
    usage.cpu_ms += stat.cpu_ticks * kMsPerTick;
    if (const auto io = host.read("proc/" + std::to_string(pid) + "/io")) add_io(*io, usage);
  }
  return usage;
}

}  // namespace rtsweep
