// SPDX-License-Identifier: GPL-2.0-or-later

// `perf sched latency` sums up who waited how long. It says that a thread was late, and who
// was busy, never who delayed whom.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/trace/explain_parts.h"
#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

struct PerfRow {
  size_t line = 0;
  std::string task;  // "cyclictest:(2)": two threads of that name
  uint64_t switches = 0;
  int64_t average_ns = 0;
  int64_t maximum_ns = 0;
};

// "avg:    5.077 ms"
std::optional<int64_t> milliseconds_behind(std::string_view column, std::string_view key) {
  const size_t at = column.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = column.substr(at + key.size());
  scan::blanks(rest);
  const auto scaled = scan::seconds(rest);  // "5.077" of milliseconds
  if (!scaled || *scaled > 9'000'000'000'000'000) return std::nullopt;
  return *scaled / 1'000;
}

std::optional<PerfRow> perf_row(std::string_view line) {
  const auto columns = split(line, '|');
  if (columns.size() < 5) return std::nullopt;
  PerfRow row{.task = std::string(trim(columns[0]))};
  std::string_view switches = trim(columns[2]);
  const auto count = scan::natural(switches);
  const auto average = milliseconds_behind(columns[3], "avg:");
  const auto maximum = milliseconds_behind(columns[4], "max:");
  if (row.task.empty() || !count || !average || !maximum) return std::nullopt;
  row.switches = *count;
  row.average_ns = *average;
  row.maximum_ns = *maximum;
  return row;
}

std::string comm_of(const PerfRow& row) { return row.task.substr(0, row.task.rfind(':')); }

// Kernel threads are named by the kernel: what only looks like one is somebody's program.
std::string imitated_thread(const std::string& comm) {
  static const std::vector<std::string> kernel_threads = {
      "kworker", "ksoftirqd", "kthreadd", "migration", "kswapd", "rcu_sched", "kauditd"};
  std::string bare = comm;
  while (!bare.empty() && (bare.front() == '.' || bare.front() == ' ')) bare.erase(0, 1);
  const std::string stem = bare.substr(0, bare.find('/'));
  if (comm == bare && std::ranges::find(kernel_threads, stem) != kernel_threads.end()) return {};
  if (stem.size() < 6) return {};
  return nearest_word(stem, kernel_threads).value_or("");
}

const PerfRow* measuring_row(const std::vector<PerfRow>& rows) {
  for (const std::string_view name : {"cyclictest", "timerlat", "jitterdebugger", "oslat"}) {
    for (const PerfRow& row : rows) {
      if (row.task.starts_with(name)) return &row;
    }
  }
  return nullptr;
}

Explanation explain_rows(const std::vector<PerfRow>& rows, std::string_view name) {
  Explanation result{.source = std::string(name), .subject = "perf sched latency"};
  const PerfRow& busiest = *std::ranges::max_element(rows, {}, &PerfRow::switches);
  const PerfRow* measuring = measuring_row(rows);
  const PerfRow& late =
      measuring != nullptr ? *measuring : *std::ranges::max_element(rows, {}, &PerfRow::maximum_ns);
  result.latency_ns = late.maximum_ns;
  result.latency_of = "longest wait for the CPU of " + comm_of(late);
  result.headline = fmt::format(
      "{} waited up to {} for the CPU (average {}, {} switches); a table of sums does not say for "
      "whom.",
      comm_of(late), us_text(late.maximum_ns), us_text(late.average_ns), late.switches);
  result.evidence.push_back({late.line, late.task});
  result.evidence.push_back(
      {busiest.line, fmt::format("{}: most switches, {}", busiest.task, busiest.switches)});
  result.notes.emplace_back(
      fmt::format("busiest: {} with {} switches", busiest.task, busiest.switches));
  for (const PerfRow& row : rows) {
    const std::string like = imitated_thread(comm_of(row));
    if (like.empty()) continue;
    result.notes.emplace_back(fmt::format(
        "line {}: {} is not a kernel thread, though its name looks like {}: an unknown program, {} "
        "switches; the run is contaminated, find out what it is",
        row.line, row.task, like, row.switches));
  }
  result.notes.emplace_back("the table is in milliseconds");
  result.next.emplace_back(recording_command());
  return result;
}

}  // namespace

std::optional<Explanation> explain_perf_sched(std::string_view text, std::string_view name) {
  std::vector<PerfRow> rows;
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    ++number;
    if (auto row = perf_row(text.substr(0, end))) {
      row->line = number;
      rows.push_back(std::move(*row));
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (rows.empty()) return std::nullopt;
  return explain_rows(rows, name);
}

}  // namespace rtsweep
