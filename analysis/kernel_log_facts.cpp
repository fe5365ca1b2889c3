// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/kernel_log_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <set>
#include <span>

#include "analysis/console_log.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kLongestLine = 180;
constexpr size_t kLongestVersion = 60;  // "#1 SMP PREEMPT_RT Debian 6.12.9-1 (2025-01-11)"
constexpr size_t kMostFollowers = 5;    // kinds of messages after a fault that are named
constexpr double kLateStart = 1.0;      // s: a log that begins later has lost the boot
constexpr size_t kBannerLines = 4;      // as far as a mail program wraps one

std::string_view kind_word(ConsoleFindingKind kind) {
  static constexpr std::array<std::string_view, 9> kWords = {
      "kernel_panic", "init_missing", "kernel_oops",   "lockup",    "rcu_stall",
      "hung_task",    "oom_kill",     "rt_throttling", "kernel_bug"};
  return kWords.at(static_cast<size_t>(kind));
}

void for_each_line(std::string_view text,
                   const std::function<void(std::string_view, size_t)>& visit) {
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end), ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The kernel's time in the line: where "[   12.345678]" begins, and the seconds.
std::optional<std::pair<size_t, double>> kernel_time(std::string_view line) {
  const size_t open = line.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const size_t close = std::min(line.find(']', open), line.size());
  const std::string_view field = trim(line.substr(open + 1, close - open - 1));
  double seconds = 0;
  const auto [end, ec] = std::from_chars(field.data(), field.data() + field.size(), seconds);
  const bool whole = ec == std::errc() && end == field.data() + field.size();
  if (!whole || field.find('.') == std::string_view::npos) return std::nullopt;
  return std::pair(open, seconds);
}

std::string tidy_line(std::string_view line) {
  if (const auto time = kernel_time(line)) line.remove_prefix(time->first);
  while (line.starts_with('>')) line = trim(line.substr(1));
  if (trim(line).ends_with("\"}")) line = trim(line).substr(0, trim(line).size() - 2);
  std::string tidy;
  for (const char c : trim(line.substr(0, kLongestLine))) {
    if (static_cast<unsigned char>(c) >= ' ' && c != '\x7f') tidy += c;
  }
  return tidy;
}

bool matches(std::string_view line, std::span<const std::string> parts) {
  size_t at = 0;
  for (const std::string& part : parts) {
    at = line.find(part, at);
    if (at == std::string_view::npos) return false;
    at += part.size();
  }
  return true;
}

// "Linux version 6.12.9-rt5 (...) #1 SMP PREEMPT_RT ...", also when it was wrapped; a search
// pattern that a tool prints has no number behind it.
std::optional<std::string> find_banner(std::string_view log) {
  constexpr std::string_view kBanner = "Linux version ";
  for (size_t at = log.find(kBanner); at != std::string_view::npos;
       at = log.find(kBanner, at + 1)) {
    std::string_view rest = log.substr(at + kBanner.size());
    if (rest.empty() || std::isdigit(static_cast<unsigned char>(rest.front())) == 0) continue;
    std::string banner;
    for (size_t i = 0; i < kBannerLines && !rest.empty(); ++i) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      if (i > 0 && kernel_time(rest.substr(0, end))) break;
      banner += std::string(rest.substr(0, end)) + " ";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return banner;
  }
  return std::nullopt;
}

void set_flavour(KernelLogFacts& facts, std::string_view words, size_t line) {
  facts.flavour = flavour_of_version(words);
  facts.flavour_said = tidy_line(words.substr(0, kLongestVersion));
  facts.flavour_line = line;
}

void read_banner(std::string_view log, KernelLogFacts& facts) {
  const auto banner = find_banner(log);
  if (!banner) return;
  facts.from_boot = true;
  facts.kernel_version = banner->substr(0, banner->find(' '));
  const size_t version = banner->rfind(" #");
  if (version == std::string::npos) return;
  const size_t at = log.find("Linux version " + facts.kernel_version);
  set_flavour(facts, std::string_view(*banner).substr(version + 1),
              1 + static_cast<size_t>(std::ranges::count(log.substr(0, at), '\n')));
}

// "CPU: 1 PID: 30 Comm: x Not tainted 6.16.0 #0 PREEMPT_RT", "Oops: 0000 [#1] PREEMPT SMP".
void read_dump_header(std::string_view line, size_t number, KernelLogFacts& facts) {
  const size_t comm = line.find(" Comm: ");
  const size_t taint = line.find("ainted", std::min(comm, line.size()));
  const size_t build = line.find(" #", std::min(taint, line.size()));
  if (comm != std::string_view::npos && build != std::string_view::npos) {
    const size_t release = line.rfind(' ', build - 1);
    if (facts.kernel_version.empty()) {
      facts.kernel_version = line.substr(release + 1, build - release - 1);
    }
    if (!facts.flavour && line.find("PREEMPT", build) != std::string_view::npos) {
      set_flavour(facts, line.substr(build + 1), number);
    }
  }
  const size_t oops = line.find("[#1] ");
  const bool says_model =
      oops != std::string_view::npos && line.find("SMP", oops) != std::string_view::npos;
  if (!facts.flavour && says_model) set_flavour(facts, line.substr(oops + 5), number);
}

void read_cmdline(std::string_view line, KernelLogFacts& facts) {
  for (const std::string_view mark : {"Kernel command line: ", "] Command line: "}) {
    const size_t at = line.find(mark);
    if (at == std::string_view::npos) continue;
    facts.cmdline = trim(line.substr(at + mark.size()));
    // A log inside YAML or JSON: the quote ends it.
    if (facts.cmdline->ends_with("\"}")) facts.cmdline->resize(facts.cmdline->size() - 2);
  }
}

void read_cokernel(std::string_view line, KernelLogFacts& facts) {
  if (line.find("[Xenomai] Cobalt v") != std::string_view::npos ||
      line.find("[Xenomai] scheduling class idle registered") != std::string_view::npos ||
      line.find("I-pipe: head domain Xenomai registered") != std::string_view::npos) {
    facts.flavour = KernelFlavour::kCobalt;
  }
  if (line.find("EVL: core started") != std::string_view::npos) facts.flavour = KernelFlavour::kEvl;
}

// Nodes by the lines that name one each: "NODE_DATA(1) allocated", "NUMA: NODE_DATA [mem".
class NodeCounter {
 public:
  void read_line(std::string_view line, size_t number) {
    if (line.find("Faking a node at") != std::string_view::npos) faked_.push_back({line, number});
    const size_t data = line.find("NODE_DATA");
    if (data != std::string_view::npos) names_.insert(std::string(trim(line.substr(data))));
    const size_t smp = line.find("smp: Brought up ");
    if (smp == std::string_view::npos) return;
    const std::string_view count = line.substr(smp + 16);
    std::from_chars(count.data(), count.data() + count.size(), brought_up_);
  }

  void report(KernelLogFacts& facts, const std::string& source) const {
    const int nodes = brought_up_ > 0 ? brought_up_ : static_cast<int>(names_.size());
    if (nodes > 0 || !faked_.empty()) {
      const int count = std::max(nodes, 1);
      facts.observed["numa_nodes"] = {
          {std::to_string(count), fmt::format("NUMA nodes: {}", count), source, 0}};
    }
    if (!facts.from_boot) return;
    auto& lone = facts.observed["lone_node"];
    if (faked_.size() == 1 && nodes <= 1) {
      lone.push_back({"faked", tidy_line(faked_.front().first), source, faked_.front().second});
    }
  }

 private:
  std::vector<std::pair<std::string_view, size_t>> faked_;
  std::set<std::string> names_;
  int brought_up_ = 0;
};

std::string with_time(const ConsoleFinding& finding) {
  std::string text = finding.time_s ? fmt::format("[{:.6f}] ", *finding.time_s) : std::string();
  text += finding.text;
  return finding.times > 1 ? fmt::format("{} ({} times)", text, finding.times) : text;
}

// "in_atomic(): 0, irqs_disabled(): 1": why a function that sleeps was called wrongly.
std::string sleeping_reason(std::span<const std::string_view> lines, size_t bug_line) {
  std::string reason;
  for (size_t at = bug_line; at < std::min(bug_line + 2, lines.size()) && reason.empty(); ++at) {
    if (lines[at].find("irqs_disabled(): 1") != std::string_view::npos) {
      reason = "; interrupts were off";
    }
    if (lines[at].find("in_atomic(): 1") != std::string_view::npos) reason += "; in atomic context";
  }
  return reason;
}

// "BUG: spinlock lockup suspected on CPU#3, gdbus/2329" without who and where.
std::string what_of(std::string_view text) {
  for (const std::string_view where : {" on CPU", " on cpu", " - CPU#"}) {
    text = text.substr(0, text.find(where));
  }
  return std::string(text.substr(0, kLongestVersion));
}

// The fatal messages after the first, by what they say; the cause itself said again is none.
class Followers {
 public:
  void add(const std::string& cause, const ConsoleFinding& finding) {
    if (cause.find(finding.text) != std::string::npos) return;
    const std::string what = what_of(finding.text);
    for (auto& [known, count] : counts_) {
      if (known == what) return static_cast<void>(++count);
    }
    if (counts_.size() < kMostFollowers) {
      counts_.emplace_back(what, 1);
    } else {
      ++others_;
    }
  }

  std::string text() const {
    std::vector<std::string> parts;
    for (const auto& [what, count] : counts_) {
      parts.push_back(count == 1 ? what : fmt::format("{} ({})", what, count));
    }
    if (others_ > 0) parts.push_back(fmt::format("and {} more", others_));
    return parts.empty() ? "" : "; then: " + join(parts, ", ");
  }

 private:
  std::vector<std::pair<std::string, int>> counts_;
  int others_ = 0;
};

void add_console(std::string_view log, const std::string& source, KernelLogFacts& facts) {
  auto& fault = facts.observed["console_fault"];
  auto& others = facts.observed["console"];
  Followers followers;
  std::vector<std::string_view> lines;
  for_each_line(log, [&](std::string_view line, size_t) { lines.push_back(line); });
  for (const ConsoleFinding& finding : scan_console(log)) {
    Observation one{std::string(kind_word(finding.kind)), with_time(finding), source, finding.line};
    if (finding.kind == ConsoleFindingKind::kKernelBug) {
      one.said += sleeping_reason(lines, finding.line);
    }
    if (!finding.fatal) {
      others.push_back(std::move(one));
    } else if (fault.empty()) {
      fault.push_back(std::move(one));
    } else {
      followers.add(fault.front().said, finding);
    }
  }
  if (!fault.empty()) fault.front().said += followers.text();
}

// A fault in a log that does not begin with the boot: an earlier one may be missing.
void add_log_start(std::string_view log, const std::string& source, KernelLogFacts& facts) {
  auto& start = facts.observed["log_start"];
  if (facts.from_boot || facts.observed["console_fault"].empty()) return;
  std::optional<std::pair<double, size_t>> first;
  for_each_line(log, [&](std::string_view line, size_t number) {
    const auto time = kernel_time(line);
    if (time && !first) first = {time->second, number};
  });
  if (!first || first->first < kLateStart) return;
  start.push_back(
      {"late", fmt::format("the log begins at {:.3f} s", first->first), source, first->second});
}

}  // namespace

std::optional<LogMatch> find_in_log(std::string_view log, std::string_view pattern) {
  const std::vector<std::string> parts = split(pattern, '*');
  std::optional<LogMatch> found;
  for_each_line(log, [&](std::string_view line, size_t number) {
    if (!matches(line, parts)) return;
    if (!found) found = LogMatch{tidy_line(line), number, 0};
    ++found->times;
  });
  return found;
}

KernelLogFacts read_kernel_log_facts(std::string_view log, const std::string& source) {
  KernelLogFacts facts;
  read_banner(log, facts);
  NodeCounter nodes;
  for_each_line(log, [&](std::string_view line, size_t number) {
    read_dump_header(line, number, facts);
    read_cmdline(line, facts);
    read_cokernel(line, facts);
    nodes.read_line(line, number);
  });
  nodes.report(facts, source);
  add_console(log, source, facts);
  add_log_start(log, source, facts);
  return facts;
}

}  // namespace rtsweep
