// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/trace_dat_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/trace/outlier.h"
#include "runner/base/text.h"
#include "runner/capture/trace_dat/dat_container.h"
#include "runner/capture/trace_dat/dat_events.h"
#include "runner/capture/trace_dat/dat_search.h"

namespace rtsweep {
namespace {

constexpr uint64_t kWholeFile = 4 << 20;  // bytes of pages: some 100'000 events
constexpr size_t kMostEvents = 200'000;
constexpr uint64_t kMillisecond = 1'000'000;
constexpr uint64_t kFirstMargin = 5 * kMillisecond;  // before the outlier; cyclictest's interval
constexpr uint64_t kMostMargin = 2'000 * kMillisecond;
constexpr uint64_t kAfter = 1 * kMillisecond;

// A part of the file in its clock's time, both ends in it.
struct Window {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;
};

// "Linux host 6.1.0-rt #1 ...": the third word of uname is the release.
std::string release_of(const std::string& uname) {
  const std::vector<std::string> parts = words(uname);
  return parts.size() > 2 ? parts[2] : "";
}

// An event with what belongs to it, before the CPUs are put together.
struct Piece {
  TraceEvent event;
  std::optional<GraphLine> graph;
  std::optional<LostEvents> lost;  // before it
};

// Reads windows of one instance.
class InstanceReader {
 public:
  InstanceReader(DatPageSet& pages, DatEvents& events) : pages_(pages), events_(events) {}

  size_t count(const Window& window, size_t most) {
    size_t number = 0;
    for (DatPages& cpu : pages_.cpus) {
      visit(cpu, window, [&](const RawRecord&, int64_t) { return ++number <= most; });
    }
    return number;
  }

  // At most kMostEvents of each CPU, the last ones.
  std::vector<Piece> read(const Window& window) {
    std::vector<Piece> pieces;
    for (DatPages& cpu : pages_.cpus) {
      const size_t before = pieces.size();
      visit(cpu, window, [&](const RawRecord& record, int64_t missed) {
        add(record, missed, cpu.cpu(), before, pieces);
        return true;
      });
    }
    std::ranges::stable_sort(pieces, {}, [](const Piece& piece) { return piece.event.time_ns; });
    return pieces;
  }

 private:
  // Calls `use(record, missed)` until it says no; `missed` is of the page, at its first event.
  template <typename Use>
  void visit(DatPages& cpu, const Window& window, Use use) {
    const size_t after = cpu.first_after(window.begin);
    for (size_t i = after - std::min<size_t>(after, 1); i < cpu.count(); ++i) {
      RecordCursor cursor(cpu.page(i), pages_.fields);
      int64_t missed = cursor.missed();
      for (RawRecord record; cursor.next(record);) {
        if (record.time > window.end) return;
        if (record.time < window.begin || record.data.size() < 8) continue;
        if (!use(record, missed)) return;
        missed = 0;
      }
    }
  }

  void add(const RawRecord& record, int64_t missed, int cpu, size_t first,
           std::vector<Piece>& pieces) {
    if (events_.is_stack(record)) {
      if (pieces.size() > first && missed == 0) {
        pieces.back().event.stack = events_.stack(record);
      }
      return;
    }
    Piece piece;
    piece.graph = events_.graph_line(record, cpu);
    if (piece.graph && joins_leaf(*piece.graph, pieces, first)) return;
    if (piece.graph) {
      piece.event.cpu = cpu;
      piece.event.time_ns = *piece.graph->time_ns;
    } else {
      piece.event = events_.event(record, cpu);
    }
    if (missed != 0) {
      piece.lost = LostEvents{.cpu = cpu};
      if (missed > 0) piece.lost->count = static_cast<uint64_t>(missed);
    }
    pieces.push_back(std::move(piece));
  }

  // A call that returns before anything else happens on its CPU is one line.
  static bool joins_leaf(const GraphLine& line, std::vector<Piece>& pieces, size_t first) {
    if (line.kind != GraphLine::Kind::kClose || pieces.size() <= first) return false;
    auto& last = pieces.back().graph;
    if (!last || last->kind != GraphLine::Kind::kOpen || last->function != line.function) {
      return false;
    }
    last->kind = GraphLine::Kind::kLeaf;
    last->duration_ns = line.duration_ns;
    return true;
  }

  DatPageSet& pages_;
  DatEvents& events_;
};

Trace trace_of(std::vector<Piece> pieces) {
  Trace trace;
  size_t line = 0;
  for (Piece& piece : pieces) {
    if (piece.lost) {
      piece.lost->line = ++line;
      trace.lost.push_back(*piece.lost);
    }
    trace.last_ns = piece.event.time_ns;
    if (piece.graph) {
      piece.graph->line = ++line;
      trace.graph.push_back(std::move(*piece.graph));
      continue;
    }
    piece.event.line = ++line;
    trace.events.push_back(std::move(piece.event));
  }
  trace.line = 1;
  trace.entries = line;
  return trace;
}

// Whether the window holds what the explanation needs: the timer's programming, if there
// are timers in it at all, and what ran before.
bool is_enough(const Trace& trace, const ExplainOptions& options) {
  const auto outlier = find_outlier(trace, options);
  if (!outlier) return false;
  const bool timers = std::ranges::any_of(trace.events, [](const TraceEvent& event) {
    return event.name == "hrtimer_expire_entry" || event.name == "hrtimer_start";
  });
  const bool switched = std::ranges::any_of(trace.events, [&](const TraceEvent& event) {
    return event.name == "sched_switch" && event.cpu == outlier->run_cpu &&
           event.time_ns < outlier->begin_ns;
  });
  return switched && (outlier->expiry_known || !timers);
}

uint64_t minus(uint64_t from, uint64_t what) { return from - std::min(from, what); }

// A window that holds more than can be read keeps its end.
Window shortened(Window window, InstanceReader& reader) {
  while (window.end > window.begin && reader.count(window, kMostEvents) > kMostEvents) {
    window.begin = window.end - (window.end - window.begin) / 2;
  }
  return window;
}

Trace read_around(const DatSpot& spot, InstanceReader& reader, const ExplainOptions& options) {
  const uint64_t length = spot.end - std::min(spot.begin, spot.end);
  uint64_t margin = std::max(kFirstMargin, std::min(4 * length, kMostMargin));
  while (true) {
    const Window window = shortened({minus(spot.begin, margin), spot.end + kAfter}, reader);
    Trace trace = trace_of(reader.read(window));
    if (margin >= kMostMargin || is_enough(trace, options)) return trace;
    const Window larger{minus(spot.begin, margin * 4), spot.end + kAfter};
    if (reader.count(larger, kMostEvents) > kMostEvents) return trace;
    margin *= 4;
  }
}

// The last pages of each CPU, for files in which nothing shows what to look at.
Window last_pages(DatPageSet& pages, const DatContainer& container) {
  const size_t each = kWholeFile / container.page_size / std::max<size_t>(pages.cpus.size(), 1);
  Window window;
  for (DatPages& cpu : pages.cpus) {
    const size_t first = cpu.count() - std::min(cpu.count(), std::max<size_t>(each, 1));
    window.begin = std::max(window.begin, cpu.page_time(first));
  }
  return window;
}

// The latency that the caller knows of, if it is in the time of these pages.
std::optional<DatSpot> known_spot(DatPageSet& pages, const ExplainOptions& options) {
  if (!options.known || options.known->end_ns < 0 || options.known->latency_us < 0) {
    return std::nullopt;
  }
  const auto end = static_cast<uint64_t>(options.known->end_ns);
  const bool inside = std::ranges::any_of(pages.cpus, [end](DatPages& cpu) {
    return cpu.page_time(0) <= end && cpu.page_time(cpu.count() - 1) + 1'000 * kMillisecond >= end;
  });
  if (!inside) return std::nullopt;
  return DatSpot{minus(end, static_cast<uint64_t>(options.known->latency_us) * 1'000), end};
}

// What to read of one instance.
Trace read_instance(DatPageSet& pages, DatEvents& events, const DatContainer& container,
                    const DatFormats& formats, const ExplainOptions& options) {
  InstanceReader reader(pages, events);
  if (pages.bytes(container.page_size) <= kWholeFile) return trace_of(reader.read({}));
  auto spot = container.tsc ? std::nullopt : known_spot(pages, options);
  if (!spot) spot = find_spot(pages, formats, container, options.breakpoint_ns);
  Trace trace = spot ? read_around(*spot, reader, options)
                     : trace_of(reader.read(shortened(last_pages(pages, container), reader)));
  trace.is_window = true;
  return trace;
}

}  // namespace

bool is_trace_dat(std::string_view data) { return data.starts_with("\x17\x08\x44tracing"); }

Result<std::vector<Trace>> read_trace_dat(const DatBytes& file, const ExplainOptions& options) {
  RTSWEEP_TRY(const DatContainer container, read_dat_container(file));
  if (container.is_latency) {
    return Error(Errc::kNotSupported,
                 fmt::format("{}: holds the text of a latency tracer, not events: give what "
                             "`trace-cmd report` prints",
                             file.name()));
  }
  RTSWEEP_TRY(const PageFields fields, page_fields(container, file.name()));
  const DatFormats formats(container);
  DatEvents events(file, container, formats);
  std::vector<Trace> traces;
  for (const DatBuffer& buffer : container.buffers) {
    DatPageSet pages{.fields = fields};
    for (const DatCpu& cpu : buffer.cpus) {
      RTSWEEP_TRY(DatPages of_cpu, DatPages::open(file, container, buffer, cpu));
      if (of_cpu.count() > 0) pages.cpus.push_back(std::move(of_cpu));
    }
    if (pages.cpus.empty()) continue;
    Trace trace = read_instance(pages, events, container, formats, options);
    if (trace.events.empty() && trace.graph.empty()) continue;
    trace.source = file.name() + (buffer.name.empty() ? "" : ":" + buffer.name);
    trace.release = release_of(container.uname);
    trace.clock = buffer.clock;
    trace.cpu_count = buffer.cpus.size();
    traces.push_back(std::move(trace));
  }
  if (traces.empty()) {
    return Error(Errc::kBadData, fmt::format("{}: a trace.dat without events", file.name()));
  }
  return traces;
}

}  // namespace rtsweep
