// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/cyclictest_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/cyclictest_parts.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

using namespace cyclictest;

bool looks_like_csv(const std::vector<std::string>& lines) {
  const std::string_view head = lines.front();
  return head.starts_with("time,") || head.starts_with("latency,");
}

// %06d and %06lu: rows of a histogram whose beginning was lost.
std::optional<size_t> find_stray_row(const std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> row = words(lines[i]);
    const bool rows = row.size() >= 2 && std::all_of(row.begin(), row.end(), [](const auto& word) {
                        return word.size() >= 6 && parse_count(word);
                      });
    if (rows) return i + 1;
  }
  return std::nullopt;
}

Error nothing_found(const std::vector<std::string>& lines, std::string_view name) {
  if (const auto row = find_stray_row(lines)) {
    return bad_data(name, *row, "rows of a histogram without their \"# Histogram\": cut off?");
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("FATAL: ")) continue;
    return bad_data(name, i + 1, fmt::format("cyclictest measured nothing: {:.200}", lines[i]));
  }
  return bad_data(name, std::max<size_t>(1, lines.size()), "no output of cyclictest in this file");
}

// Where cyclictest's JSON begins, in a text that may hold other things: --json=/dev/stdout
// writes it among what is printed anyway.
size_t find_json(std::string_view text, size_t from) {
  const size_t key = text.find("\"file_version\"", from);
  if (key == std::string_view::npos) return key;
  const size_t brace = text.substr(0, key).find_last_not_of(" \t\r\n");
  return brace != std::string_view::npos && brace >= from && text[brace] == '{'
             ? brace
             : std::string_view::npos;
}

// Parses text[begin, end) as if it were the whole text, so that errors name its lines.
Result<CyclictestRun> parse_json_at(std::string_view text, size_t begin, size_t end,
                                    std::string_view name) {
  const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(begin), '\n');
  const std::string padding(static_cast<size_t>(lines), '\n');
  return parse_json(padding + std::string(text.substr(begin, end - begin)), name);
}

// The outermost brace is the only one that cyclictest does not indent.
Result<std::vector<CyclictestRun>> parse_jsons(std::string_view text, std::string_view name) {
  std::vector<CyclictestRun> runs;
  for (size_t begin = find_json(text, 0); begin != std::string_view::npos;) {
    const size_t close = text.find("\n}", begin);
    const size_t end = close == std::string_view::npos ? text.size() : close + 2;
    RTSWEEP_TRY(CyclictestRun run, parse_json_at(text, begin, end, name));
    runs.push_back(std::move(run));
    begin = find_json(text, end);
  }
  for (size_t i = 0; runs.size() > 1 && i < runs.size(); ++i) {
    runs[i].source = fmt::format("{}#{}", name, i + 1);
  }
  return runs;
}

Result<std::vector<CyclictestRun>> one(Result<CyclictestRun> run) {
  if (!run) return std::move(run).error();
  std::vector<CyclictestRun> runs;
  runs.push_back(std::move(run).value());
  return runs;
}

int64_t in_us(int64_t latency, const CyclictestRun& run) {
  return run.nanoseconds ? latency / 1000 : latency;
}

// One for all threads: cyclictest has one, and a narrower one for some of them would
// make overflows of the others' samples when they are merged.
Latency common_limit(const CyclictestRun& run) {
  if (run.histogram_limit) return Latency(in_us(*run.histogram_limit, run));
  int64_t highest = -1;
  for (const CyclictestThread& thread : run.threads) {
    if (!thread.histogram.empty()) highest = std::max(highest, thread.histogram.rbegin()->first);
  }
  return Latency(highest < 0 ? 0 : in_us(highest, run) + 1);
}

LatencyHistogram histogram_of(const CyclictestThread& thread, const CyclictestRun& run,
                              Latency limit) {
  LatencyHistogram histogram(limit);
  for (const auto& [latency, times] : thread.histogram) {
    histogram.add(Latency(in_us(latency, run)), times);
  }
  const uint64_t known = histogram.samples();
  const uint64_t cycles = thread.cycles.value_or(known);
  if (cycles > known) histogram.add_overflows(cycles - known);
  return histogram;
}

CpuResult cpu_result(const CyclictestThread& thread, const CyclictestRun& run, Latency limit) {
  CpuResult cpu{.cpu = thread.cpu >= 0 ? thread.cpu : thread.thread,
                .cycles = thread.cycles.value_or(0)};
  if (thread.min) cpu.min_us = in_us(*thread.min, run);
  if (thread.max) cpu.max_us = in_us(*thread.max, run);
  if (thread.avg) cpu.avg_us = run.nanoseconds ? *thread.avg / 1000 : *thread.avg;
  cpu.histogram = histogram_of(thread, run, limit);
  return cpu;
}

}  // namespace

std::string_view cyclictest_format_name(CyclictestFormat format) {
  switch (format) {
    case CyclictestFormat::kJson:
      return "JSON";
    case CyclictestFormat::kHistogram:
      return "histogram";
    case CyclictestFormat::kSummary:
      return "summary";
    case CyclictestFormat::kVerbose:
      return "verbose";
    case CyclictestFormat::kCsv:
      return "CSV";
    case CyclictestFormat::kLava:
      return "LAVA";
  }
  return "";
}

Result<std::vector<CyclictestRun>> parse_cyclictest(std::string_view text, std::string_view name) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // byte order mark
  if (trim(text).empty()) return bad_data(name, 1, "the file is empty");
  if (find_json(text, 0) != std::string_view::npos) return parse_jsons(text, name);
  if (trim(text).front() == '{') return one(parse_json(text, name));
  const std::vector<std::string> lines = clean_lines(text);
  if (looks_like_csv(lines)) return one(parse_csv(lines, name));
  auto runs = parse_text(lines, name, text.ends_with('\n'));
  if (runs && runs->empty()) return nothing_found(lines, name);
  return runs;
}

std::vector<CpuResult> cpu_results(const CyclictestRun& run) {
  const Latency limit = common_limit(run);
  std::vector<CpuResult> cpus;
  for (const CyclictestThread& thread : run.threads) {
    cpus.push_back(cpu_result(thread, run, limit));
  }
  return cpus;
}

}  // namespace rtsweep
