// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/trace_wire.h"

#include <cstring>

namespace rtsweep {
namespace {

// The same function of a type's parts writes and reads them: `Part` is one of these.
class Writer {
 public:
  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void operator()(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  template <typename T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }
  void operator()(const std::vector<std::string>& texts) {
    (*this)(texts.size());
    for (const std::string& text : texts) (*this)(text);
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void operator()(T& value) {
    const std::string_view taken = take(sizeof(value));
    if (!failed_) std::memcpy(&value, taken.data(), sizeof(value));
  }
  void operator()(std::string& text) {
    size_t size = 0;
    (*this)(size);
    text = take(size);
  }
  template <typename T>
  void operator()(std::optional<T>& value) {
    unsigned char there = 0;
    (*this)(there);
    if (there != 0) (*this)(value.emplace());
  }
  void operator()(std::vector<std::string>& texts) {
    size_t count = 0;
    (*this)(count);
    for (; count > 0 && !failed_; --count) (*this)(texts.emplace_back());
  }

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(size_t size) {
    if (failed_ || size > rest_.size()) {
      failed_ = true;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool failed_ = false;
};

template <typename Part, typename Event>
void parts_of_event(Part& part, Event& event) {
  part(event.line);
  part(event.comm);
  part(event.pid);
  part(event.cpu);
  part(event.time_ns);
  part(event.flags);
  part(event.name);
  part(event.text);
  part(event.stack);
}

template <typename Part, typename Line>
void parts_of_graph(Part& part, Line& line) {
  part(line.kind);
  part(line.line);
  part(line.cpu);
  part(line.depth);
  part(line.time_ns);
  part(line.duration_ns);
  part(line.function);
}

template <typename Part, typename Lost>
void parts_of_lost(Part& part, Lost& lost) {
  part(lost.line);
  part(lost.cpu);
  part(lost.count);
}

template <typename Part, typename AnyTrace>
void parts_of_trace(Part& part, AnyTrace& trace) {
  part(trace.source);
  part(trace.line);
  part(trace.release);
  part(trace.clock);
  part(trace.cpu_count);
  part(trace.is_window);
  part(trace.entries);
  part(trace.last_ns);
}

void write(Writer& writer, const Trace& trace) {
  parts_of_trace(writer, trace);
  writer(trace.events.size());
  for (const TraceEvent& event : trace.events) parts_of_event(writer, event);
  writer(trace.graph.size());
  for (const GraphLine& line : trace.graph) parts_of_graph(writer, line);
  writer(trace.lost.size());
  for (const LostEvents& lost : trace.lost) parts_of_lost(writer, lost);
}

size_t count_of(Reader& reader) {
  size_t count = 0;
  reader(count);
  return count;
}

void read(Reader& reader, Trace& trace) {
  parts_of_trace(reader, trace);
  for (size_t left = count_of(reader); left > 0 && !reader.failed(); --left) {
    parts_of_event(reader, trace.events.emplace_back());
  }
  for (size_t left = count_of(reader); left > 0 && !reader.failed(); --left) {
    parts_of_graph(reader, trace.graph.emplace_back());
  }
  for (size_t left = count_of(reader); left > 0 && !reader.failed(); --left) {
    parts_of_lost(reader, trace.lost.emplace_back());
  }
}

}  // namespace

std::string traces_to_bytes(const std::vector<Trace>& traces) {
  Writer writer;
  writer(traces.size());
  for (const Trace& trace : traces) write(writer, trace);
  return writer.take();
}

Result<std::vector<Trace>> traces_from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<Trace> traces;
  for (size_t left = count_of(reader); left > 0 && !reader.failed(); --left) {
    read(reader, traces.emplace_back());
  }
  if (reader.failed() || !reader.at_end()) return Error(Errc::kBadData, "traces that are cut off");
  return traces;
}

}  // namespace rtsweep
