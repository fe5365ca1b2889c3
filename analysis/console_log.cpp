// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/console_log.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

using Kind = ConsoleFindingKind;

// A kernel message: `begin` stands in the line, and `also` behind it.
struct Message {
  Kind kind;
  bool fatal;
  std::string_view begin;
  std::string_view also = {};
  bool detail = false;  // follows another line about the same fault
};

// The first that fits a line wins: what a panic is about before the panic itself. Oops
// numbers ("[#1]") keep other programs' "Internal error:" out.
constexpr Message kMessages[] = {
    {Kind::kInitMissing, true, "No working init found"},
    {Kind::kInitMissing, true, "Requested init ", " failed (error"},
    {Kind::kInitMissing, true, "Attempted to kill init!"},
    {Kind::kInitMissing, true, "VFS: Unable to mount root fs"},
    {Kind::kKernelPanic, true, "Kernel panic - not syncing: "},
    {Kind::kKernelOops, true, "Unable to handle kernel "},
    {Kind::kKernelOops, true, "BUG: unable to handle "},
    {Kind::kKernelOops, true, "BUG: kernel NULL pointer dereference"},
    {Kind::kKernelOops, true, "kernel BUG at "},
    {Kind::kKernelOops, true, "general protection fault", "[#"},
    {Kind::kKernelOops, true, "Internal error: ", "[#", true},
    {Kind::kKernelOops, true, "invalid opcode: ", "[#", true},
    {Kind::kKernelOops, true, "divide error: ", "[#", true},
    {Kind::kKernelOops, true, "Oops: ", "[#", true},
    {Kind::kLockup, true, "BUG: soft lockup"},
    {Kind::kLockup, true, "BUG: spinlock lockup suspected"},
    {Kind::kLockup, true, "Watchdog detected hard LOCKUP"},
    {Kind::kRcuStall, true, "INFO: rcu", "stall"},
    {Kind::kHungTask, false, "INFO: task ", "blocked for more than"},
    {Kind::kOomKill, false, "Out of memory: "},
    {Kind::kOomKill, false, "Memory cgroup out of memory: "},
    {Kind::kRtThrottling, false, "sched: RT throttling activated"},
    {Kind::kKernelBug, false, "BUG: "},
};

constexpr size_t kLongestText = 300;
constexpr size_t kLongestTime = 24;     // "   12.345678]"
constexpr size_t kLinesOfOneOops = 30;  // between "Unable to handle ..." and "Internal error"

std::optional<double> parse_seconds(std::string_view text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  const bool whole =
      error == std::errc() && stop == end && text.find('.') != std::string_view::npos;
  return whole && text.find_first_not_of("0123456789.") == std::string_view::npos
             ? std::optional(seconds)
             : std::nullopt;
}

// The last "[   12.345678]" of the text: interleaved lines may hold several.
std::optional<double> kernel_time(std::string_view text) {
  for (size_t open = text.rfind('['); open != std::string_view::npos;
       open = open == 0 ? std::string_view::npos : text.rfind('[', open - 1)) {
    const std::string_view field = text.substr(open + 1, kLongestTime);
    const size_t close = field.find(']');
    if (close == std::string_view::npos) continue;
    const auto seconds = parse_seconds(trim(field.substr(0, close)));
    if (seconds) return seconds;
  }
  return std::nullopt;
}

// Where the message begins; nothing when the line is another.
std::optional<size_t> find_message(std::string_view line, const Message& message) {
  const size_t at = line.find(message.begin);
  if (at == std::string_view::npos) return std::nullopt;
  if (line.find(message.also, at) == std::string_view::npos) return std::nullopt;
  // Any program may print "BUG: "; the kernel does behind its clock or at the beginning.
  if (message.kind == Kind::kKernelBug && at > 0 && !kernel_time(line.substr(0, at))) {
    return std::nullopt;
  }
  return at;
}

std::string message_text(std::string_view words) {
  words = trim(words.substr(0, kLongestText));
  if (words.ends_with("]---")) words = trim(words.substr(0, words.size() - 4));
  return std::string(words);
}

class ConsoleScanner {
 public:
  void read_line(std::string_view line, size_t number) {
    if (line.find("Linux version ") != std::string_view::npos) ++boot_;
    if (const auto time = kernel_time(line)) last_time_ = *time;
    for (const Message& message : kMessages) {
      const auto at = find_message(line, message);
      if (!at) continue;
      return add(message, line, *at, number);
    }
  }

  std::vector<ConsoleFinding> sorted() {
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tuple(!a.finding.fatal, a.boot, a.when) <
             std::tuple(!b.finding.fatal, b.boot, b.when);
    });
    std::vector<ConsoleFinding> findings;
    for (Found& found : found_) findings.push_back(std::move(found.finding));
    return findings;
  }

 private:
  struct Found {
    ConsoleFinding finding;
    int boot = 0;
    double when = 0;  // the last time on the console, where the line itself has none
  };

  void add(const Message& message, std::string_view line, size_t at, size_t number) {
    std::string text = message_text(line.substr(at));
    if (message.detail && belongs_to_last(message, number)) {
      found_.back().finding.text += "; " + text;
      return;
    }
    const auto [it, is_new] = known_.try_emplace({message.kind, text}, found_.size());
    if (!is_new) {
      const bool end_marker = line.find("---[ end") != std::string_view::npos;
      found_[it->second].finding.times += end_marker ? 0 : 1;
      return;
    }
    found_.push_back({{.kind = message.kind,
                       .fatal = message.fatal,
                       .line = number,
                       .time_s = kernel_time(line.substr(0, at)),
                       .text = std::move(text)},
                      boot_,
                      last_time_});
  }

  // One fault is announced in several lines: what happened, then the oops number.
  bool belongs_to_last(const Message& message, size_t number) const {
    return !found_.empty() && found_.back().finding.kind == message.kind &&
           number - found_.back().finding.line <= kLinesOfOneOops &&
           found_.back().finding.text.find("[#") == std::string::npos;
  }

  std::vector<Found> found_;
  std::map<std::pair<Kind, std::string>, size_t> known_;
  int boot_ = 0;
  double last_time_ = 0;
};

}  // namespace

std::vector<ConsoleFinding> scan_console(std::string_view log) {
  ConsoleScanner scanner;
  size_t number = 0;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    scanner.read_line(log.substr(0, end), ++number);
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return scanner.sorted();
}

}  // namespace rtsweep
