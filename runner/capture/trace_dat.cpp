// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace rtsweep {
namespace {

// Options of the file, by trace-cmd.dat.v6(5).
constexpr uint16_t kOptionTraceClock = 4;
constexpr uint16_t kOptionUname = 5;

constexpr char kMagic[] = "\x17\x08\x44tracing";

class Writer {
 public:
  void raw(std::string_view bytes) { out_ += bytes; }

  // A text with the NUL that ends it.
  void text(std::string_view bytes) {
    out_ += bytes;
    out_ += '\0';
  }

  template <typename T>
  void number(T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
  }

  template <typename Size>
  void sized(std::string_view bytes) {
    number(static_cast<Size>(bytes.size()));
    raw(bytes);
  }

  void option(uint16_t id, std::string_view bytes) {
    number(id);
    number(static_cast<uint32_t>(bytes.size() + 1));
    text(bytes);
  }

  void pad_to(size_t multiple) { out_.resize((out_.size() + multiple - 1) / multiple * multiple); }

  size_t size() const { return out_.size(); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void write_formats(const TraceDescription& description, Writer& out) {
  out.number(static_cast<uint32_t>(description.ftrace_formats.size()));
  for (const std::string& format : description.ftrace_formats) out.sized<uint64_t>(format);
  out.number(static_cast<uint32_t>(description.formats.size()));
  for (const auto& [system, formats] : description.formats) {
    out.text(system);
    out.number(static_cast<uint32_t>(formats.size()));
    for (const std::string& format : formats) out.sized<uint64_t>(format);
  }
}

void write_head(const TraceDescription& description, Writer& out) {
  out.raw(kMagic);
  out.text("6");
  out.number(uint8_t{0});  // little-endian
  out.number(static_cast<uint8_t>(description.layout.long_bytes));
  out.number(static_cast<uint32_t>(description.layout.page_bytes));
  out.text("header_page");
  out.sized<uint64_t>(description.header_page);
  out.text("header_event");
  out.sized<uint64_t>(description.header_event);
  write_formats(description, out);
  out.sized<uint32_t>(description.kallsyms);
  out.sized<uint32_t>(description.printk_formats);
  out.sized<uint64_t>(description.saved_cmdlines);
}

void write_options(const TraceDescription& description, Writer& out) {
  out.text("options  ");
  out.option(kOptionTraceClock, description.clock);
  out.option(kOptionUname, description.system);
  out.number(uint16_t{0});
}

void write_pages(const std::vector<CpuPages>& cpus, size_t page_bytes, Writer& out) {
  out.text("flyrecord");
  uint64_t offset = out.size() + cpus.size() * 2 * sizeof(uint64_t);
  offset = (offset + page_bytes - 1) / page_bytes * page_bytes;
  for (const CpuPages& cpu : cpus) {
    out.number(offset);
    out.number(static_cast<uint64_t>(cpu.bytes.size()));
    offset += cpu.bytes.size();
  }
  out.pad_to(page_bytes);
  for (const CpuPages& cpu : cpus) out.raw(cpu.bytes);
}

// The file numbers CPUs from 0 without gaps: one that was not recorded has no pages.
std::vector<CpuPages> with_all_cpus(std::vector<CpuPages> cpus) {
  std::ranges::sort(cpus, {}, &CpuPages::cpu);
  std::vector<CpuPages> all;
  for (CpuPages& cpu : cpus) {
    while (static_cast<int>(all.size()) < cpu.cpu) {
      all.push_back({.cpu = static_cast<int>(all.size())});
    }
    all.push_back(std::move(cpu));
  }
  return all;
}

std::optional<size_t> number_behind(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  size_t value = 0;
  const char* begin = text.data() + at + word.size();
  const auto [end, failed] = std::from_chars(begin, text.data() + text.size(), value);
  if (failed != std::errc() || end == begin) return std::nullopt;
  return value;
}

}  // namespace

std::string make_trace_dat(const TraceDescription& description, const std::vector<CpuPages>& cpus) {
  const std::vector<CpuPages> all = with_all_cpus(cpus);
  Writer out;
  write_head(description, out);
  out.number(static_cast<uint32_t>(all.size()));
  write_options(description, out);
  write_pages(all, description.layout.page_bytes, out);
  return out.take();
}

Result<PrintLayout> print_layout(const TraceDescription& description) {
  for (const std::string& format : description.ftrace_formats) {
    if (!format.starts_with("name: print\n")) continue;
    const auto id = number_behind(format, "ID: ");
    const auto offset = number_behind(format, "char buf[];\toffset:");
    if (!id || !offset || *offset < 8 || *offset > 256) break;
    return PrintLayout{.id = static_cast<uint16_t>(*id), .text_offset = *offset};
  }
  return Error(Errc::kBadData, "events/ftrace/print/format: no ID, or no offset of buf");
}

std::string marker_page(const RingPageLayout& layout, const PrintLayout& print, int pid,
                        uint64_t time_ns, const std::string& text) {
  Writer entry;
  entry.number(print.id);
  entry.number(uint16_t{0});  // flags, preempt_count
  entry.number(static_cast<int32_t>(pid));
  entry.raw(std::string(print.text_offset - entry.size(), '\0'));
  entry.text(text.substr(0, 1000) + "\n");
  entry.pad_to(4);
  const std::string payload = entry.take();

  Writer page;
  page.number(time_ns);
  page.number(static_cast<uint32_t>(2 * sizeof(uint32_t) + payload.size()));
  page.raw(std::string(layout.long_bytes - sizeof(uint32_t), '\0'));
  // events/header_event: type_len 0 and no time since the page's; the length follows.
  page.number(uint32_t{0});
  page.number(static_cast<uint32_t>(payload.size() + sizeof(uint32_t)));
  page.raw(payload);
  page.pad_to(layout.page_bytes);
  return page.take();
}

}  // namespace rtsweep
