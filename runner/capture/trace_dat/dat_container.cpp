// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/dat_container.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace rtsweep {
namespace {

constexpr std::string_view kMagic = "\x17\x08\x44tracing";
constexpr size_t kMostText = size_t{64} << 20;  // formats of a full kernel are 3 MB
constexpr size_t kMostCpus = 16'384;
constexpr size_t kMostPageSize = size_t{1} << 20;
constexpr size_t kMostBuffers = 256;
constexpr size_t kMostOptions = 1 << 20;
constexpr uint64_t kChunkHeader = 8;

// Numbers of options and sections, as trace-cmd.dat.v7(5) gives them.
enum Id : uint16_t {
  kDone = 0,
  kBuffer = 3,
  kTraceClock = 4,
  kUname = 5,
  kCpuCount = 8,
  kVersion = 9,
  kTsc2Nsec = 14,
  kHeaderInfo = 16,
  kFtraceEvents = 17,
  kEventFormats = 18,
  kKallsyms = 19,
  kPrintk = 20,
  kCmdlines = 21,
  kBufferText = 22,
};

// Ends at the first 0 byte.
std::string c_text(std::string_view bytes) {
  std::string text(bytes.substr(0, bytes.find('\0')));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// trace_clock as tracefs shows it: "local global [mono] mono_raw"; or the bare name.
std::string chosen_clock(std::string_view text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return c_text(text);
  }
  return std::string(text.substr(open + 1, close - open - 1));
}

// Walks through the file, part by part.
class DatReader {
 public:
  explicit DatReader(const DatBytes& file) : file_(file) {}

  Result<DatContainer> read() {
    RTSWEEP_CHECK_OK(begin());
    RTSWEEP_CHECK_OK(container_.version == 6 ? read_v6() : read_v7());
    if (container_.buffers.empty() && !container_.is_latency) return bad("no events in it");
    return std::move(container_);
  }

 private:
  Error bad(std::string_view what) const {
    return {Errc::kBadData,
            fmt::format("{}: not a whole trace.dat: {} (byte {})", file_.name(), what, at_)};
  }

  std::optional<std::string> take(uint64_t size) {
    auto bytes = size > kMostText ? std::nullopt : file_.read(at_, size);
    if (bytes) at_ += size;
    return bytes;
  }

  Result<uint64_t> number(size_t size, std::string_view what) {
    const auto bytes = take(size);
    if (!bytes) return bad(fmt::format("it ends before {}", what));
    return number_at(*bytes, 0, size, container_.big_endian);
  }

  // A length in front of its data, which must be in the file.
  Result<std::string> sized(size_t size_of_size, std::string_view what) {
    RTSWEEP_TRY(const uint64_t size, number(size_of_size, what));
    auto bytes = take(size);
    if (!bytes) return bad(fmt::format("{} of {} bytes", what, size));
    return std::move(*bytes);
  }

  Result<std::string> text(std::string_view what) {
    std::string found;
    while (true) {
      auto byte = take(1);
      if (!byte || found.size() > 4'096) return bad(fmt::format("no end of {}", what));
      if ((*byte)[0] == '\0') return found;
      found += (*byte)[0];
    }
  }

  Result<void> begin() {
    const auto magic = take(kMagic.size());
    if (!magic || *magic != kMagic) return bad("no magic number");
    RTSWEEP_TRY(const std::string version, text("the version"));
    if (version != "6" && version != "7") {
      return Error(Errc::kNotSupported,
                   fmt::format("{}: trace.dat of version {:.20}: 6 and 7 can be read", file_.name(),
                               version));
    }
    container_.version = version[0] - '0';
    const auto machine = take(2);
    if (!machine) return bad("it ends before the sizes");
    container_.big_endian = (*machine)[0] != 0;
    container_.long_size = static_cast<unsigned char>((*machine)[1]);
    RTSWEEP_TRY(container_.page_size, number(4, "the page size"));
    return check_sizes();
  }

  Result<void> check_sizes() const {
    if (container_.long_size != 4 && container_.long_size != 8) return bad("the size of a long");
    return check_page_size(container_.page_size);
  }

  Result<void> check_page_size(size_t size) const {
    if (size < 64 || size > kMostPageSize) return bad(fmt::format("a page size of {}", size));
    return {};
  }

  Result<void> read_v6() {
    RTSWEEP_CHECK_OK(header_info());
    RTSWEEP_CHECK_OK(ftrace_formats());
    RTSWEEP_CHECK_OK(event_formats());
    RTSWEEP_TRY(const uint64_t symbols, number(4, "the kernel's symbols"));
    container_.kallsyms = {.offset = at_, .size = symbols};
    at_ += symbols;
    RTSWEEP_TRY(container_.printk_formats, sized(4, "the printk formats"));
    RTSWEEP_TRY(container_.cmdlines, sized(8, "the command lines"));
    RTSWEEP_TRY(const uint64_t cpus, number(4, "the number of CPUs"));
    if (cpus > kMostCpus) return bad(fmt::format("{} CPUs", cpus));
    container_.cpu_count = cpus;
    return v6_events(cpus);
  }

  Result<void> v6_events(uint64_t cpus) {
    auto kind = take(10);
    if (kind && *kind == std::string_view("options  \0", 10)) {
      RTSWEEP_CHECK_OK(options(at_));
      kind = take(10);
    }
    if (kind && *kind == std::string_view("latency  \0", 10)) {
      container_.is_latency = true;
      return {};
    }
    if (!kind || *kind != std::string_view("flyrecord\0", 10)) return bad("no events in it");
    DatBuffer top{.clock = container_.clock, .page_size = container_.page_size};
    RTSWEEP_CHECK_OK(v6_cpus(cpus, top));
    container_.buffers.insert(container_.buffers.begin(), std::move(top));
    for (DatBuffer& buffer : container_.buffers) {
      if (buffer.clock.empty()) buffer.clock = container_.clock;
    }
    return {};
  }

  Result<void> v6_cpus(uint64_t cpus, DatBuffer& buffer) {
    for (uint64_t cpu = 0; cpu < cpus; ++cpu) {
      RTSWEEP_TRY(const uint64_t offset, number(8, "the events"));
      RTSWEEP_TRY(const uint64_t size, number(8, "the events"));
      buffer.cpus.push_back({.cpu = static_cast<int>(cpu), .offset = offset, .size = size});
    }
    return {};
  }

  Result<void> read_v7() {
    RTSWEEP_TRY(container_.compression, text("the compression's name"));
    RTSWEEP_CHECK_OK(text("the compression's version"));
    RTSWEEP_TRY(uint64_t offset, number(8, "the options"));
    std::set<uint64_t> seen;
    while (offset != 0) {
      if (!seen.insert(offset).second) return bad("options that follow themselves");
      RTSWEEP_TRY(const DatSection section, section_at(offset, kDone));
      RTSWEEP_TRY(const std::string content, section_content(section));
      RTSWEEP_TRY(offset, options_in(content));
    }
    return {};
  }

  // The header of a section: id, flags, description, size.
  Result<DatSection> section_at(uint64_t offset, uint16_t id) {
    at_ = offset;
    RTSWEEP_TRY(const uint64_t found, number(2, "a section"));
    RTSWEEP_TRY(const uint64_t flags, number(2, "a section"));
    RTSWEEP_CHECK_OK(number(4, "a section"));
    RTSWEEP_TRY(const uint64_t size, number(8, "a section"));
    if (found != id) return bad(fmt::format("section {} where {} should be", found, id));
    return DatSection{.offset = at_, .size = size, .compressed = (flags & 1) != 0};
  }

  Result<std::string> section_content(const DatSection& section) {
    return read_dat_section(file_, container_, section, kMostText);
  }

  // The options of version 6: up to one with the number 0, which has no size.
  Result<void> options(uint64_t begin) {
    at_ = begin;
    for (size_t count = 0; count < kMostOptions; ++count) {
      RTSWEEP_TRY(const uint64_t id, number(2, "an option"));
      if (id == kDone) return {};
      RTSWEEP_TRY(const std::string data, sized(4, "an option"));
      const uint64_t behind = at_;
      RTSWEEP_CHECK_OK(option(static_cast<uint16_t>(id), data));
      at_ = behind;
    }
    return bad("no end of its options");
  }

  // Those of version 7; the offset of the next section of options, 0: none.
  Result<uint64_t> options_in(std::string_view content) {
    ByteCursor cursor(content, container_.big_endian);
    while (!cursor.at_end()) {
      const auto id = static_cast<uint16_t>(cursor.number(2));
      const std::string_view data = cursor.take(cursor.number(4));
      if (cursor.failed()) return bad("an option that is cut off");
      if (id == kDone) return number_at(data, 0, 8, container_.big_endian);
      RTSWEEP_CHECK_OK(option(id, data));
    }
    return uint64_t{0};
  }

  Result<void> option(uint16_t id, std::string_view data) {
    ByteCursor cursor(data, container_.big_endian);
    switch (id) {
      case kTraceClock:
        container_.clock = chosen_clock(data);
        return {};
      case kUname:
        container_.uname = c_text(data);
        return {};
      case kVersion:
        container_.writer = c_text(data);
        return {};
      case kCpuCount:
        container_.cpu_count = cursor.number(4);
        return {};
      case kTsc2Nsec:
        container_.tsc = DatTsc{.mult = static_cast<uint32_t>(cursor.number(4)),
                                .shift = static_cast<uint32_t>(cursor.number(4)),
                                .offset = cursor.number(8)};
        return {};
      case kBuffer:
        return container_.version == 6 ? v6_instance(cursor) : v7_buffer(cursor);
      case kBufferText:
        container_.is_latency = true;
        return {};
      default:
        return container_.version == 6 ? Result<void>() : v7_section(id, cursor.number(8));
    }
  }

  // An instance of version 6: the place of its "flyrecord" and its name.
  Result<void> v6_instance(ByteCursor& cursor) {
    if (container_.buffers.size() >= kMostBuffers) return bad("too many instances");
    at_ = cursor.number(8);
    DatBuffer buffer{.name = std::string(cursor.text()), .page_size = container_.page_size};
    const auto kind = take(10);
    if (!kind || *kind != std::string_view("flyrecord\0", 10)) return {};
    RTSWEEP_CHECK_OK(v6_cpus(container_.cpu_count.value_or(0), buffer));
    container_.buffers.push_back(std::move(buffer));
    return {};
  }

  Result<void> v7_buffer(ByteCursor& cursor) {
    if (container_.buffers.size() >= kMostBuffers) return bad("too many instances");
    cursor.number(8);  // of the section, which says nothing more
    DatBuffer buffer{.name = std::string(cursor.text()), .clock = std::string(cursor.text())};
    buffer.page_size = cursor.number(4);
    const uint64_t cpus = cursor.number(4);
    RTSWEEP_CHECK_OK(check_page_size(buffer.page_size));
    if (cpus > kMostCpus) return bad(fmt::format("{} CPUs", cpus));
    for (uint64_t i = 0; i < cpus; ++i) {
      DatCpu cpu{.cpu = static_cast<int>(cursor.number(4) & 0xffff)};
      cpu.offset = cursor.number(8);
      cpu.size = cursor.number(8);
      buffer.cpus.push_back(cpu);
    }
    if (cursor.failed()) return bad("an instance that is cut off");
    container_.buffers.push_back(std::move(buffer));
    return {};
  }

  Result<void> v7_section(uint16_t id, uint64_t offset) {
    if (id < kHeaderInfo || id > kCmdlines) return {};
    RTSWEEP_TRY(const DatSection section, section_at(offset, id));
    if (id == kKallsyms) {
      container_.kallsyms = section;
      return {};
    }
    RTSWEEP_TRY(const std::string content, section_content(section));
    return v7_content(id, content);
  }

  Result<void> v7_content(uint16_t id, std::string_view content) {
    ByteCursor cursor(content, container_.big_endian);
    if (id == kHeaderInfo) {
      cursor.text();
      container_.header_page = cursor.take(cursor.number(8));
    } else if (id == kPrintk) {
      container_.printk_formats = cursor.take(cursor.number(4));
    } else if (id == kCmdlines) {
      container_.cmdlines = cursor.take(cursor.number(8));
    } else if (id == kFtraceEvents) {
      formats_of("ftrace", cursor);
    } else {
      for (uint64_t systems = cursor.number(4); systems > 0 && !cursor.failed(); --systems) {
        formats_of(std::string(cursor.text()), cursor);
      }
    }
    if (cursor.failed()) return bad(fmt::format("section {} is cut off", id));
    return {};
  }

  void formats_of(const std::string& system, ByteCursor& cursor) {
    for (uint64_t count = cursor.number(4); count > 0 && !cursor.failed(); --count) {
      container_.formats.push_back({system, std::string(cursor.take(cursor.number(8)))});
    }
  }

  Result<void> header_info() {
    RTSWEEP_TRY(const std::string page, text("the page header's name"));
    if (page != "header_page") return bad("no page header");
    RTSWEEP_TRY(container_.header_page, sized(8, "the page header"));
    RTSWEEP_TRY(const std::string event, text("the event header's name"));
    if (event != "header_event") return bad("no event header");
    return sized(8, "the event header") ? Result<void>() : bad("no event header");
  }

  Result<void> ftrace_formats() {
    RTSWEEP_TRY(const uint64_t count, number(4, "the tracers' formats"));
    return formats("ftrace", count);
  }

  Result<void> event_formats() {
    RTSWEEP_TRY(const uint64_t systems, number(4, "the formats"));
    for (uint64_t i = 0; i < systems; ++i) {
      RTSWEEP_TRY(const std::string system, text("a system's name"));
      RTSWEEP_TRY(const uint64_t count, number(4, "the formats"));
      RTSWEEP_CHECK_OK(formats(system, count));
    }
    return {};
  }

  Result<void> formats(const std::string& system, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      RTSWEEP_TRY(std::string format, sized(8, "a format"));
      container_.formats.push_back({system, std::move(format)});
    }
    return {};
  }

  const DatBytes& file_;
  uint64_t at_ = 0;
  DatContainer container_;
};

}  // namespace

std::optional<std::string> unpack_zstd(std::string_view data, size_t size) {
  std::string out(size, '\0');
  const size_t got = ZSTD_decompress(out.data(), out.size(), data.data(), data.size());
  if (ZSTD_isError(got) != 0 || got != size) return std::nullopt;
  return out;
}

Result<std::string> read_dat_section(const DatBytes& file, const DatContainer& container,
                                     const DatSection& section, size_t limit) {
  const auto bad = [&](std::string_view what) {
    return Error(Errc::kBadData, fmt::format("{}: not a whole trace.dat: {} (byte {})", file.name(),
                                             what, section.offset));
  };
  if (section.size > limit) return bad("a section is too large");
  auto bytes = file.read(section.offset, section.size);
  if (!bytes) return bad("a section is cut off");
  if (!section.compressed) return std::move(*bytes);
  if (container.compression != "zstd") {
    return Error(Errc::kNotSupported,
                 fmt::format("{}: compressed with {:.20}: only zstd can be read", file.name(),
                             container.compression));
  }
  const uint64_t packed = number_at(*bytes, 0, 4, container.big_endian);
  const uint64_t size = number_at(*bytes, 4, 4, container.big_endian);
  if (bytes->size() < kChunkHeader || packed > bytes->size() - kChunkHeader || size > limit) {
    return bad("a compressed section is damaged");
  }
  auto content = unpack_zstd(std::string_view(*bytes).substr(kChunkHeader, packed), size);
  if (!content) return bad("a compressed section is damaged");
  return std::move(*content);
}

Result<DatContainer> read_dat_container(const DatBytes& file) { return DatReader(file).read(); }

}  // namespace rtsweep
