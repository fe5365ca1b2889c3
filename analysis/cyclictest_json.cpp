// SPDX-License-Identifier: GPL-2.0-or-later

// cyclictest --json. Its writer (rt_write_json in rt-tests' rt-utils.c) has its own ways:
// two keys end in a colon, strings are not escaped, an average of nothing is "nan", and
// there is no overflow field: overflows are the cycles that the histogram does not hold.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/cyclictest_parts.h"
#include "analysis/number_list.h"
#include "runner/base/text.h"

namespace rtsweep::cyclictest {
namespace {

using nlohmann::json;

size_t line_of(std::string_view text, size_t offset) {
  const auto* end = text.begin() + static_cast<ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<size_t>(std::count(text.begin(), end, '\n'));
}

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out;
}

// A line `  "key": "value",` with quotes or backslashes in the value, or `"avg": nan`, as
// JSON that a parser takes. Other lines come back as they are.
std::string repaired_line(std::string_view line) {
  const size_t colon = line.find("\": ");
  if (colon == std::string_view::npos) return std::string(line);
  const std::string_view key = line.substr(0, colon + 3);
  const std::string_view rest = trim(line.substr(colon + 3));
  const std::string_view comma = rest.ends_with(',') ? "," : "";
  const std::string_view value = rest.substr(0, rest.size() - comma.size());
  if (value == "nan" || value == "-nan") return fmt::format("{}null{}", key, comma);
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::string(line);
  return fmt::format("{}\"{}\"{}", key, escaped(value.substr(1, value.size() - 2)), comma);
}

std::string repaired(std::string_view text) {
  std::string out;
  for (const std::string& line : split(text, '\n')) out += repaired_line(line) + "\n";
  return out;
}

// Parses strictly first, so that a file which some other tool has escaped is left alone.
Result<json> parse_document(std::string_view text, std::string_view name) {
  json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_discarded()) return document;
  try {
    return json::parse(repaired(text));
  } catch (const json::parse_error& error) {
    const size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    const bool cut = trim(text.substr(std::min(offset, text.size()))).empty();
    return bad_data(name, line_of(text, offset),
                    cut ? "the JSON is cut off here" : "this is not JSON");
  }
}

// Reads the members of one object; remembers the first thing that is wrong with them.
class Members {
 public:
  Members(const json& object, std::string where) : object_(object), where_(std::move(where)) {}

  std::string text(const char* key) const {
    const auto it = object_.find(key);
    return it != object_.end() && it->is_string() ? it->get<std::string>() : std::string();
  }

  std::optional<int64_t> number(const char* key) {
    const auto it = object_.find(key);
    if (it == object_.end()) return std::nullopt;
    if (it->is_number_integer() && fits(*it)) return it->get<int64_t>();
    complain(fmt::format("\"{}\" is not a whole number", key));
    return std::nullopt;
  }

  std::optional<double> real(const char* key) {
    const auto it = object_.find(key);
    if (it == object_.end() || it->is_null()) return std::nullopt;
    if (it->is_number()) return it->get<double>();
    complain(fmt::format("\"{}\" is not a number", key));
    return std::nullopt;
  }

  std::optional<int64_t> required(const char* key) {
    if (!object_.contains(key)) complain(fmt::format("\"{}\" is missing", key));
    return number(key);
  }

  const json* object(const char* key) const {
    const auto it = object_.find(key);
    return it != object_.end() && it->is_object() ? &*it : nullptr;
  }

  void complain(const std::string& what) {
    if (wrong_.empty()) wrong_ = where_ + what;
  }
  const std::string& wrong() const { return wrong_; }

 private:
  static bool fits(const json& number) {
    return !number.is_number_unsigned() || number.get<uint64_t>() <= uint64_t{INT64_MAX};
  }

  const json& object_;
  std::string where_;
  std::string wrong_;
};

void read_histogram(const json& buckets, Members& members, CyclictestThread& thread) {
  for (const auto& [key, count] : buckets.items()) {
    const auto latency = parse_whole(key);
    if (!latency || *latency < 0 || *latency >= kMostBuckets) {
      return members.complain(fmt::format("the histogram has an absurd bucket \"{:.40}\"", key));
    }
    if (!count.is_number_unsigned() || count.get<uint64_t>() > kMostCycles) {
      return members.complain(fmt::format("bucket {} has no sane count", *latency));
    }
    if (count.get<uint64_t>() > 0) thread.histogram[*latency] = count.get<uint64_t>();
  }
}

uint64_t counted(const CyclictestThread& thread) {
  uint64_t sum = 0;
  for (const auto& [latency, times] : thread.histogram) sum += times;
  return sum;
}

// `latency` starts at 1000000 for the minimum and 0 for the maximum.
void read_latencies(Members& members, CyclictestThread& thread) {
  thread.min = members.required("min");
  thread.max = members.required("max");
  thread.avg = members.real("avg");
  if (thread.cycles != 0) return;
  thread.min = thread.max = std::nullopt;
  thread.avg = std::nullopt;
}

CyclictestThread read_thread(Members& members, int number, bool keeps_histogram) {
  CyclictestThread thread{.thread = number};
  const int64_t cycles = members.required("cycles").value_or(0);
  if (cycles < 0 || static_cast<uint64_t>(cycles) > kMostCycles) {
    members.complain("\"cycles\" is absurd");
  }
  thread.cycles = static_cast<uint64_t>(std::max<int64_t>(0, cycles));
  const int64_t cpu = members.number("cpu").value_or(-1);
  if (cpu < -1 || cpu >= kMostThreads) members.complain("\"cpu\" is absurd");
  thread.cpu = static_cast<int>(std::clamp<int64_t>(cpu, -1, kMostThreads));
  read_latencies(members, thread);
  if (const json* buckets = members.object("histogram")) read_histogram(*buckets, members, thread);
  if (keeps_histogram || !thread.histogram.empty()) {
    thread.overflows = *thread.cycles - std::min(*thread.cycles, counted(thread));
  }
  return thread;
}

// Best effort: where the thread's object begins.
size_t line_of_thread(std::string_view text, int number) {
  const size_t threads = text.find("\"thread\"");
  return line_of(text,
                 text.find(fmt::format("\"{}\": {{", number), std::min(threads, text.size())));
}

Result<void> read_threads(const json& threads, std::string_view text, std::string_view name,
                          CyclictestRun& run) {
  const Options options = parse_options(run.cmdline);
  run.histogram_limit = options.histogram;
  for (int i = 0; i < static_cast<int>(threads.size()); ++i) {
    const auto it = threads.find(std::to_string(i));
    if (it == threads.end() || !it->is_object()) {
      return bad_data(name, line_of_thread(text, i), fmt::format("thread {} is missing", i));
    }
    Members members(*it, fmt::format("thread {}: ", i));
    CyclictestThread thread = read_thread(members, i, options.histogram.has_value());
    if (const auto found = contradiction(thread, run); !found.empty()) {
      members.complain(fmt::format("contradicts itself: {}", found));
    }
    if (!members.wrong().empty()) return bad_data(name, line_of_thread(text, i), members.wrong());
    thread.priority = options.priority;
    if (!run.cmdline.empty()) thread.interval_us = options.interval_of(i);
    run.threads.push_back(std::move(thread));
  }
  return {};
}

CyclictestSysinfo read_sysinfo(const json& object) {
  Members members(object, "");
  CyclictestSysinfo sysinfo{members.text("sysname"), members.text("nodename"),
                            members.text("release"), members.text("version"),
                            members.text("machine"), std::nullopt};
  if (const auto realtime = members.number("realtime")) sysinfo.realtime = *realtime != 0;
  return sysinfo;
}

CyclictestRun read_head(Members& members, std::string_view name) {
  CyclictestRun run{.source = std::string(name), .format = CyclictestFormat::kJson};
  run.cmdline = members.text("cmdline:");
  run.version = members.text("rt_test_version:");
  run.start_time = members.text("start_time");
  run.end_time = members.text("end_time");
  run.nanoseconds = members.number("resolution_in_ns").value_or(0) != 0;
  if (const auto code = members.number("return_code")) run.return_code = static_cast<int>(*code);
  if (const json* sysinfo = members.object("sysinfo")) run.sysinfo = read_sysinfo(*sysinfo);
  if (members.number("file_version").value_or(1) != 1) {
    members.complain("its \"file_version\" is not 1: a newer rt-tests wrote it");
  }
  return run;
}

}  // namespace

Result<CyclictestRun> parse_json(std::string_view text, std::string_view name) {
  RTSWEEP_TRY(const json document, parse_document(text, name));
  if (!document.is_object()) return bad_data(name, 1, "this is not the JSON of cyclictest");
  Members members(document, "");
  CyclictestRun run = read_head(members, name);
  const json* threads = members.object("thread");
  if (threads == nullptr || threads->empty()) {
    return bad_data(name, 1, "this is not the JSON of cyclictest: it has no \"thread\"");
  }
  const auto planned = members.number("num_threads");
  if (!members.wrong().empty()) return bad_data(name, 1, members.wrong());
  if (threads->size() > static_cast<size_t>(kMostThreads)) {
    return bad_data(name, 1, "it has an absurd number of threads");
  }
  if (planned && *planned != static_cast<int64_t>(threads->size())) {
    return bad_data(name, line_of(text, text.find("\"num_threads\"")),
                    fmt::format("it announces {} threads and has {}", *planned, threads->size()));
  }
  RTSWEEP_CHECK_OK(read_threads(*threads, text, name, run));
  return run;
}

}  // namespace rtsweep::cyclictest
