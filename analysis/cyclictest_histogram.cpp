// SPDX-License-Identifier: GPL-2.0-or-later

// The histogram that -h and -H print, on stdout or into --histfile:
//
//   # Histogram
//   000069 000001<TAB>000001[<TAB>000002]      -H: and their sum
//   # Total: 000000002 000000013               2.6 and older
//   # Min Latencies: 00044 00015
//   # Avg Latencies: 00249 00129
//   # Max Latencies: 212821 07614 [212821]     -H with two threads and more
//   # Histogram Overflows: 01660 01987 [3647]
//   # Histogram Overflow at cycle number:
//   # Thread 0: 00000 00001 # 01658 others     at most as many as there are buckets
//   # Thread 1: 00000 00001
//
// 2.6 and older print every bucket, 2.7 and later only those with samples.

#include <fmt/format.h>

#include <algorithm>

#include "analysis/cyclictest_parts.h"
#include "analysis/number_list.h"
#include "runner/base/text.h"

namespace rtsweep::cyclictest {
namespace {

using Words = std::vector<std::string>;

struct Row {
  size_t line = 0;
  Words words;
};

struct Footer {
  size_t line = 0;
  Words values;
};

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool all_numbers(const Words& line) { return std::all_of(line.begin(), line.end(), is_number); }

// What a mail program broke off from the line before: numbers, "# 00948 others".
bool continues_footer(const Words& line) {
  return !line.empty() && std::all_of(line.begin(), line.end(), [](const std::string& word) {
    return is_number(word) || word == "#" || word == "others";
  });
}

class HistogramReader {
 public:
  HistogramReader(const std::vector<std::string>& lines, size_t at, std::string_view name,
                  bool whole_lines)
      : lines_(lines), at_(at + 1), name_(name), whole_lines_(whole_lines) {}

  Result<size_t> read(CyclictestRun& run) {
    RTSWEEP_CHECK_OK(collect_rows());
    collect_footers();
    RTSWEEP_CHECK_OK(check_footers());
    RTSWEEP_CHECK_OK(read_rows());
    RTSWEEP_CHECK_OK(read_footers());
    RTSWEEP_CHECK_OK(check_totals());
    RTSWEEP_CHECK_OK(check_sum_values());
    RTSWEEP_CHECK_OK(check_overflow_lists());
    set_limit(run);
    run.threads = std::move(threads_);
    return at_;
  }

 private:
  Error bad(size_t line, std::string_view what) const { return bad_data(name_, line, what); }

  Result<void> collect_rows() {
    for (; at_ < lines_.size() && !lines_[at_].starts_with('#'); ++at_) {
      Words line = words(lines_[at_]);
      if (!all_numbers(line)) return bad(at_ + 1, "this is not a row of a histogram");
      if (!line.empty()) rows_.push_back({at_ + 1, std::move(line)});
    }
    return {};
  }

  // "# Max Latencies: 00126 00104" under "Max Latencies". Stops at what does not belong.
  void collect_footers() {
    std::string last;
    for (; at_ < lines_.size(); ++at_) {
      const Words line = words(lines_[at_]);
      if (!last.empty() && continues_footer(line)) {
        auto& values = footers_[last].values;
        values.insert(values.end(), line.begin(), line.end());
        continue;
      }
      const std::string key = footer_key(lines_[at_]);
      if (key.empty() || footers_.contains(key)) return;
      const std::string_view rest = std::string_view(lines_[at_]).substr(key.size() + 3);
      footers_[key] = {at_ + 1, words(rest)};
      last = key;
    }
  }

  static std::string footer_key(std::string_view line) {
    static constexpr std::string_view kKeys[] = {
        "Total",         "Min Latencies",       "Avg Latencies",
        "Max Latencies", "Histogram Overflows", "Histogram Overflow at cycle number",
        "SMIs"};
    const size_t colon = line.find(':');
    if (!line.starts_with("# ") || colon == std::string_view::npos) return {};
    const std::string_view key = line.substr(2, colon - 2);
    const bool thread = key.starts_with("Thread ") && is_number(key.substr(7));
    if (!thread && std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys)) return {};
    return std::string(key);
  }

  Result<void> check_footers() {
    for (const char* key :
         {"Min Latencies", "Avg Latencies", "Max Latencies", "Histogram Overflows"}) {
      if (!footers_.contains(key)) {
        return bad(at_, fmt::format("the histogram is cut off: no \"# {}:\" follows", key));
      }
    }
    const size_t count = footers_["Min Latencies"].values.size();
    if (count == 0 || count > static_cast<size_t>(kMostThreads)) {
      return bad(footers_["Min Latencies"].line, "an absurd number of threads");
    }
    threads_.resize(count);
    for (size_t i = 0; i < count; ++i) threads_[i].thread = static_cast<int>(i);
    sum_column_ = footers_["Max Latencies"].values.size() == count + 1;
    return {};
  }

  // One row's words, whether or not a mail program broke the rows; see columns().
  Result<void> read_rows() {
    const size_t width = columns();
    const bool wrapped = rows_are_wrapped(width);
    Words row;
    for (const Row& part : rows_) {
      if (!wrapped && part.words.size() != width) {
        return bad(part.line, fmt::format("{} columns instead of {}", part.words.size(), width));
      }
      row.insert(row.end(), part.words.begin(), part.words.end());
      if (row.size() < width) continue;
      RTSWEEP_CHECK_OK(read_row(row, part.line));
      row.clear();
    }
    return {};
  }

  // Latency and one count a thread; with -H also their sum (2.7 and later print it for a
  // single thread too, where the footers do not have it).
  size_t columns() const {
    const size_t plain = threads_.size() + 1;
    if (sum_column_) return plain + 1;
    const bool lone_sum = threads_.size() == 1 && !rows_.empty() &&
                          std::all_of(rows_.begin(), rows_.end(), [](const Row& row) {
                            return row.words.size() == 3 && row.words[1] == row.words[2];
                          });
    return lone_sum ? plain + 1 : plain;
  }

  // Wrapped rows are too short, and their parts make up whole rows.
  bool rows_are_wrapped(size_t width) const {
    size_t filled = 0;
    bool broken = false;
    for (const Row& row : rows_) {
      filled += row.words.size();
      if (filled > width) return false;
      broken = broken || row.words.size() < width;
      if (filled == width) filled = 0;
    }
    return broken && filled == 0;
  }

  Result<void> read_row(const Words& row, size_t line) {
    const auto latency = parse_whole(row.front());
    if (!latency || *latency <= last_latency_ || *latency >= kMostBuckets) {
      return bad(line, "the latencies of the rows do not ascend sanely");
    }
    last_latency_ = *latency;
    uint64_t sum = 0;
    for (size_t i = 0; i < threads_.size(); ++i) {
      const auto count = parse_count(row[i + 1]);
      if (!count) return bad(line, "an absurd count");
      if (*count > 0) threads_[i].histogram[*latency] = *count;
      sum += *count;
    }
    if (row.size() == threads_.size() + 2 && parse_count(row.back()) != sum) {
      return bad(line, "the last column is not the sum of the others");
    }
    return {};
  }

  // Latencies are signed longs printed with %lu: a negative one shows as a huge number, of
  // 64 or (on a 32-bit machine) 32 bits.
  static std::optional<int64_t> latency_of(const std::string& word) {
    if (const auto small = parse_whole(word)) {
      const bool negative = *small > INT32_MAX && *small <= int64_t{UINT32_MAX};
      return negative ? *small - (int64_t{UINT32_MAX} + 1) : *small;
    }
    static constexpr std::string_view kWraps = "18446744073709551616";  // 2^64
    if (word.size() != kWraps.size() || word >= kWraps || !is_number(word)) return std::nullopt;
    return static_cast<int64_t>(std::stoull(word));
  }

  Result<void> read_footers() {
    for (size_t i = 0; i < threads_.size(); ++i) {
      CyclictestThread& thread = threads_[i];
      RTSWEEP_TRY(thread.min, latency_in("Min Latencies", i));
      RTSWEEP_TRY(thread.max, latency_in("Max Latencies", i));
      RTSWEEP_TRY(const auto avg, latency_in("Avg Latencies", i));
      RTSWEEP_TRY(thread.overflows, count_in("Histogram Overflows", i));
      if (footers_.contains("SMIs")) {
        RTSWEEP_TRY(thread.smis, count_in("SMIs", i));
      }
      thread.avg = static_cast<double>(avg);
      thread.cycles = counted(thread) + *thread.overflows;
      if (*thread.cycles == 0) {
        thread.min = thread.max = std::nullopt;
        thread.avg = std::nullopt;
      }
    }
    return {};
  }

  Result<int64_t> latency_in(const std::string& key, size_t thread) {
    RTSWEEP_TRY(const std::string word, value_in(key, thread));
    const auto latency = latency_of(word);
    if (!latency) return bad(footers_[key].line, fmt::format("\"{:.40}\" is no latency", word));
    return *latency;
  }

  Result<uint64_t> count_in(const std::string& key, size_t thread) {
    RTSWEEP_TRY(const std::string word, value_in(key, thread));
    const auto count = parse_count(word);
    if (!count) return bad(footers_[key].line, fmt::format("\"{:.40}\" is no count", word));
    return *count;
  }

  Result<std::string> value_in(const std::string& key, size_t thread) {
    const Footer& footer = footers_[key];
    const size_t most = threads_.size() + 1;
    if (footer.values.size() < threads_.size() || footer.values.size() > most) {
      return bad(footer.line, fmt::format("{} values for {} threads: cut off?",
                                          footer.values.size(), threads_.size()));
    }
    return footer.values[thread];
  }

  static uint64_t counted(const CyclictestThread& thread) {
    uint64_t sum = 0;
    for (const auto& [latency, times] : thread.histogram) sum += times;
    return sum;
  }

  Result<void> check_totals() {
    if (!footers_.contains("Total")) return {};
    for (size_t i = 0; i < threads_.size(); ++i) {
      RTSWEEP_TRY(const uint64_t total, count_in("Total", i));
      if (total != counted(threads_[i])) {
        return bad(footers_["Total"].line,
                   fmt::format("thread {} has {} samples in its rows and {} in its total: rows are "
                               "missing",
                               i, counted(threads_[i]), total));
      }
    }
    return {};
  }

  // With -H the last maximum is that of all threads, and the last overflows their sum.
  Result<void> check_sum_values() {
    if (!sum_column_) return {};
    uint64_t overflows = 0;
    for (const CyclictestThread& thread : threads_) overflows += *thread.overflows;
    const Footer& footer = footers_["Histogram Overflows"];
    if (parse_count(footer.values.back()) == overflows) return {};
    return bad(footer.line, "the last value is not the sum of the others: cut off?");
  }

  // The listed cycle numbers and the "others" make up the overflows; a cut-off list does not.
  Result<void> check_overflow_lists() {
    const auto head = footers_.find("Histogram Overflow at cycle number");
    if (head == footers_.end()) {
      const bool broken = !whole_lines_ && at_ + 1 >= lines_.size();
      return broken ? bad(lines_.size(), "the histogram is cut off in this line") : Result<void>();
    }
    for (size_t i = 0; i < threads_.size(); ++i) {
      const auto list = footers_.find(fmt::format("Thread {}", i));
      if (list == footers_.end()) {
        return bad(at_, fmt::format("cut off: no \"# Thread {}:\" follows", i));
      }
      if (listed(list->second.values) != *threads_[i].overflows) {
        return bad(list->second.line, "the list does not hold all overflows: cut off?");
      }
    }
    return {};
  }

  static std::optional<uint64_t> listed(const Words& values) {
    const auto mark = std::find(values.begin(), values.end(), "#");
    const auto numbers = static_cast<uint64_t>(mark - values.begin());
    if (mark == values.end()) return numbers;
    if (values.end() - mark != 3) return std::nullopt;
    const auto others = parse_count(*(mark + 1));
    return others ? std::optional(numbers + *others) : std::nullopt;
  }

  // Where every bucket is printed, the last row tells the limit; else -h may.
  void set_limit(CyclictestRun& run) const {
    const bool every_bucket = footers_.contains("Total") || all_zero_row_seen();
    if (every_bucket && last_latency_ >= 0) {
      run.histogram_limit = last_latency_ + 1;
    } else if (!run.cmdline.empty()) {
      run.histogram_limit = parse_options(run.cmdline).histogram;
    }
  }

  bool all_zero_row_seen() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) {
      return std::all_of(row.words.begin() + 1, row.words.end(),
                         [](const std::string& word) { return parse_count(word) == 0; });
    });
  }

  const std::vector<std::string>& lines_;
  size_t at_;
  std::string_view name_;
  bool whole_lines_;
  std::vector<Row> rows_;
  std::map<std::string, Footer> footers_;
  std::vector<CyclictestThread> threads_;
  bool sum_column_ = false;
  int64_t last_latency_ = -1;
};

}  // namespace

Result<size_t> parse_histogram(const std::vector<std::string>& lines, size_t at,
                               std::string_view name, bool ends_with_newline, CyclictestRun& run) {
  return HistogramReader(lines, at, name, ends_with_newline).read(run);
}

}  // namespace rtsweep::cyclictest
