// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/dat_events.h"

#include <event-parse.h>
#include <fmt/format.h>
#include <trace-seq.h>

#include "analysis/trace/event_line.h"
#include "analysis/trace/scan.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kMostSymbols = size_t{40} << 20;  // bytes of kallsyms: 10 MB in a full kernel
constexpr size_t kMostStack = 64;
constexpr size_t kLongestText = 4'096;
constexpr size_t kLongestFormat = 100'000;
constexpr int kDeepestFormat = 64;  // brackets in one another: libtraceevent recurses

// enum trace_flag_type of include/linux/trace_events.h, 6.12; kernels before have
// "interrupts not traced" in place of the lazy flag, which no architecture of ours sets.
constexpr unsigned kIrqsOff = 0x01;
constexpr unsigned kLazy = 0x02;
constexpr unsigned kNeedResched = 0x04;
constexpr unsigned kHardIrq = 0x08;
constexpr unsigned kSoftIrq = 0x10;
constexpr unsigned kPreemptResched = 0x20;
constexpr unsigned kNmi = 0x40;
constexpr unsigned kBhOff = 0x80;

char resched_column(unsigned flags) {
  constexpr std::string_view kColumns = ".lnbpLNB";
  return kColumns[((flags & kLazy) != 0 ? 1U : 0U) | ((flags & kNeedResched) != 0 ? 2U : 0U) |
                  ((flags & kPreemptResched) != 0 ? 4U : 0U)];
}

char context_column(unsigned flags) {
  const bool hard = (flags & kHardIrq) != 0;
  if ((flags & kNmi) != 0) return hard ? 'Z' : 'z';
  if (hard) return (flags & kSoftIrq) != 0 ? 'H' : 'h';
  return (flags & kSoftIrq) != 0 ? 's' : '.';
}

// As trace_print_lat_fmt() of kernel/trace/trace_output.c: "dNh2."; the depth of disabled
// preemption is in the lower half of its byte, that of disabled migration in the upper.
std::string flag_columns(unsigned flags, unsigned count) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const bool off = (flags & kIrqsOff) != 0;
  const bool bh = (flags & kBhOff) != 0;
  const auto depth = [&](unsigned number) { return number == 0 ? '.' : kHex[number]; };
  return {off && bh ? 'D'
          : off     ? 'd'
          : bh      ? 'b'
                    : '.',
          resched_column(flags), context_column(flags), depth(count & 0xf), depth(count >> 4)};
}

// libtraceevent takes formats as they come: what nests deeper than any real one is not
// handed to it.
bool is_sane(std::string_view format) {
  if (format.size() > kLongestFormat) return false;
  int depth = 0;
  for (const char c : format) {
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (depth > kDeepestFormat || c == '\0') return false;
  }
  return true;
}

// Seconds and nanoseconds, as the kernel's __print_ns_to_secs.
std::string seconds_text(uint64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

std::map<int64_t, std::string> comms_of(std::string_view cmdlines) {
  std::map<int64_t, std::string> comms;
  while (!cmdlines.empty()) {
    const size_t end = cmdlines.find('\n');
    std::string_view line = cmdlines.substr(0, end);
    cmdlines.remove_prefix(end == std::string_view::npos ? cmdlines.size() : end + 1);
    scan::blanks(line);
    const auto pid = scan::natural(line);
    if (!pid || !line.starts_with(' ') || *pid > INT32_MAX) continue;
    comms[static_cast<int64_t>(*pid)] = line.substr(1, 64);
  }
  return comms;
}

}  // namespace

// The resolver hands out pointers: the names live here.
struct DatEvents::Lookup {
  DatEvents* events = nullptr;
  std::map<uint64_t, std::string> names;

  static char* resolve(void* self, unsigned long long* address, char** module) {
    auto& lookup = *static_cast<Lookup*>(self);
    *module = nullptr;
    auto known = lookup.names.find(*address);
    if (known == lookup.names.end()) {
      const auto place = lookup.events->symbols().find(*address);
      known = lookup.names.emplace(*address, place ? place->name : std::string()).first;
    }
    return known->second.empty() ? nullptr : known->second.data();
  }
};

DatEvents::DatEvents(const DatBytes& file, const DatContainer& container, const DatFormats& formats)
    : file_(file),
      container_(container),
      formats_(formats),
      common_(common_fields(formats, container)),
      lookup_(std::make_unique<Lookup>()),
      tep_(tep_alloc()),
      comms_(comms_of(container.cmdlines)) {
  lookup_->events = this;
  if (const auto fields = page_fields(container, file.name())) kernel_long_ = fields->commit_size;
  tep_set_loglevel(TEP_LOG_NONE);
  tep_set_long_size(tep_, static_cast<int>(kernel_long_));
  tep_set_page_size(tep_, static_cast<int>(container.page_size));
  tep_set_file_bigendian(tep_, container.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
  tep_set_local_bigendian(tep_, tep_is_bigendian() != 0 ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
  tep_set_function_resolver(tep_, &Lookup::resolve, lookup_.get());
  if (!container.printk_formats.empty()) {
    tep_parse_printk_formats(tep_, container.printk_formats.c_str());
  }
}

DatEvents::~DatEvents() { tep_free(tep_); }

const DatSymbols& DatEvents::symbols() {
  if (!symbols_) {
    DatSection section = container_.kallsyms;
    if (!section.compressed) section.size = std::min<uint64_t>(section.size, kMostSymbols);
    auto text = read_dat_section(file_, container_, section, kMostSymbols);
    symbols_ = text ? DatSymbols(std::move(*text)) : DatSymbols();
  }
  return *symbols_;
}

std::string DatEvents::function_at(uint64_t address) {
  const auto place = symbols().find(address);
  return place ? place->name : fmt::format("{:#x}", address);
}

uint16_t DatEvents::id(const RawRecord& record) const {
  return static_cast<uint16_t>(
      number_at(record.data, common_.type.offset, 2, container_.big_endian));
}

int64_t DatEvents::time_ns(const RawRecord& record) const {
  if (!container_.tsc || container_.tsc->shift > 32) {
    return static_cast<int64_t>(record.time & INT64_MAX);
  }
  // (time * mult) >> shift, of more than 64 bits: in two halves.
  const auto& [mult, shift, offset] = *container_.tsc;
  const uint64_t high = (record.time >> 32) * mult;
  const uint64_t low = (record.time & UINT32_MAX) * mult;
  const uint64_t ns = (high << (32 - shift)) + (low >> shift) + offset;
  return static_cast<int64_t>(ns & INT64_MAX);
}

uint64_t DatEvents::value(const RawRecord& record, uint16_t id, std::string_view field) const {
  const DatField place = formats_.field(id, field);
  return number_at(record.data, place.offset, place.size, container_.big_endian);
}

std::string DatEvents::comm(int64_t pid) const {
  if (pid == 0) return "<idle>";
  const auto known = comms_.find(pid);
  return known == comms_.end() ? "<...>" : known->second;
}

tep_event* DatEvents::parsed(uint16_t id) {
  const auto known = parsed_.find(id);
  if (known != parsed_.end()) return known->second;
  tep_event* event = nullptr;
  const DatFormat* format = formats_.format(id);
  if (format != nullptr && is_sane(format->text)) {
    tep_parse_event(tep_, format->text.c_str(), format->text.size(), format->system.c_str());
    event = tep_find_event(tep_, id);
  }
  parsed_[id] = event;
  return event;
}

std::string DatEvents::printed(const RawRecord& record, int cpu, uint16_t id) {
  if (parsed(id) == nullptr) return {};
  // Printing reads whole fields: a record that is cut off gets zeros behind it.
  std::string data(record.data);
  data.resize(data.size() + 64);
  tep_record raw = {};
  raw.ts = record.time;
  raw.size = static_cast<int>(record.data.size());
  raw.record_size = raw.size;
  raw.data = data.data();
  raw.cpu = cpu;
  trace_seq out;
  trace_seq_init(&out);
  tep_print_event(tep_, &out, &raw, "%s", TEP_PRINT_INFO);
  trace_seq_terminate(&out);
  std::string text(out.state == TRACE_SEQ__GOOD ? out.buffer : "");
  trace_seq_destroy(&out);
  if (text.size() > kLongestText) text.resize(kLongestText);
  return std::string(trim(text));
}

// "caller=_raw_spin_lock+0x1d parent=foo+0x12": the fields are offsets from _stext
// (include/trace/events/preemptirq.h).
std::string DatEvents::caller_text(const RawRecord& record, uint16_t id) {
  const auto base = symbols().address_of("_stext");
  const auto part = [&](std::string_view field) {
    const auto offset = static_cast<int32_t>(value(record, id, field));
    if (!base) return fmt::format("_stext{:+#x}", offset);
    const uint64_t address = *base + static_cast<uint64_t>(int64_t{offset});
    const auto place = symbols().find(address);
    return place ? fmt::format("{}+{:#x}", place->name, place->offset)
                 : fmt::format("{:#x}", address);
  };
  return fmt::format("caller={} parent={}", part("caller_offs"), part("parent_offs"));
}

// "local_timer:236 start 5789.857529929 duration 1845 ns" (include/trace/events/osnoise.h).
std::string DatEvents::noise_text(const RawRecord& record, uint16_t id) {
  const std::string_view name = formats_.name(id);
  std::string who;
  if (name == "irq_noise") {
    const auto place = static_cast<uint32_t>(value(record, id, "desc"));  // offset, length << 16
    const std::string_view rest =
        std::string_view(record.data).substr(std::min<size_t>(place & 0xffff, record.data.size()));
    who = fmt::format("{}:{} ", rest.substr(0, rest.substr(0, place >> 16).find('\0')),
                      value(record, id, "vector"));
  } else if (name == "softirq_noise") {
    static constexpr std::string_view kNames[] = {"HI",      "TIMER",    "NET_TX",  "NET_RX",
                                                  "BLOCK",   "IRQ_POLL", "TASKLET", "SCHED",
                                                  "HRTIMER", "RCU"};
    const uint64_t vector = value(record, id, "vector");
    who = fmt::format("{}:{} ", vector < 10 ? kNames[vector] : "?", vector);
  } else if (name == "thread_noise") {
    const DatField comm = formats_.field(id, "comm");
    const std::string_view text =
        std::string_view(record.data).substr(std::min<size_t>(comm.offset, record.data.size()));
    who = fmt::format("{}:{} ", text.substr(0, text.substr(0, comm.size).find('\0')),
                      value(record, id, "pid"));
  }
  return fmt::format("{}start {} duration {} ns", who, seconds_text(value(record, id, "start")),
                     value(record, id, "duration"));
}

// The tracers' own lines as kernel/trace/trace_output.c writes them.
std::string DatEvents::tracer_text(const RawRecord& record, uint16_t id) {
  if (formats_.name(id) == "timerlat") {
    static constexpr std::string_view kContexts[] = {"irq", "thread", "user-ret"};
    const uint64_t context = value(record, id, "context");
    return fmt::format("#{} context {} timer_latency {} ns", value(record, id, "seqnum"),
                       context < 3 ? kContexts[context] : "?", value(record, id, "timer_latency"));
  }
  return fmt::format("#{} inner/outer(us): {}/{} ts:{}.{:09} count:{}", value(record, id, "seqnum"),
                     value(record, id, "duration"), value(record, id, "outer_duration"),
                     value(record, id, "tv_sec"), value(record, id, "tv_nsec"),
                     value(record, id, "count"));
}

// Empty where libtraceevent does it.
std::string DatEvents::own_text(const RawRecord& record, uint16_t id) {
  const std::string_view name = formats_.name(id);
  const DatFormat* format = formats_.format(id);
  if (format == nullptr) return {};
  if (format->system == "ftrace") {
    if (name == "timerlat" || name == "hwlat") return tracer_text(record, id);
    if (name != "function") return {};
    return fmt::format("{} <-- {}", function_at(value(record, id, "ip")),
                       function_at(value(record, id, "parent_ip")));
  }
  if (format->system == "preemptirq") return caller_text(record, id);
  if (format->system == "osnoise" && name.ends_with("_noise")) return noise_text(record, id);
  return {};
}

TraceEvent DatEvents::event(const RawRecord& record, int cpu) {
  const uint16_t number = id(record);
  TraceEvent event{.cpu = cpu, .time_ns = time_ns(record)};
  const auto common = [&](const DatField& field) {
    return number_at(record.data, field.offset, field.size, container_.big_endian);
  };
  event.pid = static_cast<int32_t>(common(common_.pid));
  event.comm = comm(event.pid);
  event.flags = flag_columns(static_cast<unsigned>(common(common_.flags)),
                             static_cast<unsigned>(common(common_.preempt_count) & 0xff));
  event.name = formats_.name(number);
  if (event.name.empty()) event.name = fmt::format("event_{}", number);
  event.text = own_text(record, number);
  if (event.text.empty()) event.text = printed(record, cpu, number);
  return event;
}

bool DatEvents::is_stack(const RawRecord& record) const {
  const std::string_view name = formats_.name(id(record));
  return name == "kernel_stack" || name == "user_stack";
}

std::vector<std::string> DatEvents::stack(const RawRecord& record) {
  const uint16_t number = id(record);
  const DatField caller = formats_.field(number, "caller");
  size_t at = caller.offset;
  if (at == 0) return {};
  std::vector<std::string> functions;
  for (; at + kernel_long_ <= record.data.size() && functions.size() < kMostStack;
       at += kernel_long_) {
    const uint64_t address = number_at(record.data, at, kernel_long_, container_.big_endian);
    const bool end = kernel_long_ == 8 ? address == UINT64_MAX : address == UINT32_MAX;
    if (end) break;
    const auto place = symbols().find(address);
    if (place && !place->module.empty()) {
      functions.push_back(fmt::format("{} [{}]", place->name, place->module));
    } else if (address != 0) {
      functions.push_back(place ? place->name : fmt::format("{:#x}", address));
    }
  }
  return functions;
}

std::optional<GraphLine> DatEvents::graph_line(const RawRecord& record, int cpu) {
  const uint16_t number = id(record);
  const std::string_view name = formats_.name(number);
  const bool entry = name == "funcgraph_entry";
  if (!entry && name != "funcgraph_exit") return std::nullopt;
  GraphLine line{.kind = entry ? GraphLine::Kind::kOpen : GraphLine::Kind::kClose,
                 .cpu = cpu,
                 .depth = static_cast<size_t>(value(record, number, "depth") & 0xff),
                 .time_ns = time_ns(record)};
  line.function = function_at(value(record, number, "func"));
  if (!entry) {
    line.duration_ns = static_cast<int64_t>(
        (value(record, number, "rettime") - value(record, number, "calltime")) & INT64_MAX);
  }
  return line;
}

}  // namespace rtsweep
