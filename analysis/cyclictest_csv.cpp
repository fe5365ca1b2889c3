// SPDX-License-Identifier: GPL-2.0-or-later

// A histogram that somebody turned into CSV by search and replace: a header of names, then
// "latency,count,count...". The footer is lost, and with it the maximum and the number of
// overflows: whatever was past the last row is not known to have been nothing.

#include <fmt/format.h>

#include "analysis/cyclictest_parts.h"
#include "runner/base/text.h"

namespace rtsweep::cyclictest {
namespace {

Result<std::vector<uint64_t>> parse_row(const std::string& line, size_t columns, size_t number,
                                        std::string_view name) {
  const std::vector<std::string> fields = split(line, ',');
  if (fields.size() != columns) {
    return bad_data(name, number, fmt::format("{} columns instead of {}", fields.size(), columns));
  }
  std::vector<uint64_t> row;
  for (const std::string& field : fields) {
    const auto count = parse_count(trim(field));
    if (!count) return bad_data(name, number, fmt::format("\"{:.40}\" is not a count", field));
    row.push_back(*count);
  }
  return row;
}

void finish_threads(CyclictestRun& run) {
  for (CyclictestThread& thread : run.threads) {
    uint64_t sum = 0;
    for (const auto& [latency, times] : thread.histogram) sum += times;
    thread.cycles = sum;
    if (!thread.histogram.empty()) thread.min = thread.histogram.begin()->first;
  }
}

}  // namespace

Result<CyclictestRun> parse_csv(const std::vector<std::string>& lines, std::string_view name) {
  const size_t columns = split(lines.front(), ',').size();
  if (columns < 2) return bad_data(name, 1, "the CSV has no column of counts");
  CyclictestRun run{.source = std::string(name), .format = CyclictestFormat::kCsv};
  run.threads.resize(columns - 1);
  for (size_t i = 0; i < run.threads.size(); ++i) run.threads[i].thread = static_cast<int>(i);
  int64_t last = -1;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty()) continue;
    RTSWEEP_TRY(const std::vector<uint64_t> row, parse_row(lines[i], columns, i + 1, name));
    const auto latency = static_cast<int64_t>(row.front());
    if (latency <= last || latency >= kMostBuckets) {
      return bad_data(name, i + 1, "the latencies of the rows do not ascend sanely");
    }
    last = latency;
    for (size_t t = 0; t < run.threads.size(); ++t) {
      if (row[t + 1] > 0) run.threads[t].histogram[latency] = row[t + 1];
    }
  }
  if (last < 0) return bad_data(name, lines.size(), "the CSV is cut off: it has no rows");
  run.histogram_limit = last + 1;
  finish_threads(run);
  return run;
}

}  // namespace rtsweep::cyclictest
