// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_dat/dat_search.h"

#include <algorithm>
#include <array>
#include <queue>
#include <unordered_map>

#include "analysis/trace/scan.h"

namespace rtsweep {
namespace {

constexpr size_t kTail = size_t{16} << 20;    // of each CPU: where a mark is looked for first
constexpr uint64_t kLatest = 10'000'000'000;  // ns: longer ago is not the same waking
constexpr std::string_view kHit = "hit latency threshold (";

enum class Kind : uint8_t {
  kNone,
  kPrint,
  kLate,
  kTimerlat,
  kWaking,
  kSwitch,
  kStart,
  kExpire,
  kExpired
};

// The events that the search reads, by their numbers, and where their fields are.
class Wanted {
 public:
  explicit Wanted(const DatFormats& formats) : formats_(formats) {
    kinds_.fill(Kind::kNone);
    add("ftrace", "print", Kind::kPrint);
    add("ftrace", "timerlat", Kind::kTimerlat);
    add("", "rtsweep_late", Kind::kLate);
    for (const char* name : {"sched_waking", "sched_wakeup", "sched_wakeup_new"}) {
      add("sched", name, Kind::kWaking);
    }
    add("sched", "sched_switch", Kind::kSwitch);
    add("timer", "hrtimer_start", Kind::kStart);
    add("timer", "hrtimer_expire_entry", Kind::kExpire);
    add("timer", "hrtimer_expire_exit", Kind::kExpired);
  }

  Kind kind(uint16_t id) const { return kinds_[id]; }
  bool has(Kind kind) const { return std::ranges::find(kinds_, kind) != kinds_.end(); }

  // A place in the events of this number, looked up once.
  DatField field(uint16_t id, std::string_view name) const { return formats_.field(id, name); }

 private:
  void add(std::string_view system, std::string_view name, Kind kind) {
    if (const auto id = formats_.id(system, name)) kinds_[*id] = kind;
  }

  const DatFormats& formats_;
  std::array<Kind, 65'536> kinds_;
};

// One interesting event, read.
struct Seen {
  Kind kind = Kind::kNone;
  uint16_t id = 0;
  int cpu = 0;
  RawRecord record;
};

// The interesting events of one CPU, in order.
class CpuScan {
 public:
  CpuScan(DatPages& pages, const PageFields& fields, const Wanted& wanted, size_t first)
      : pages_(&pages), fields_(fields), wanted_(&wanted), page_(first) {}

  bool next(Seen& seen) {
    while (true) {
      if (!cursor_) {
        if (page_ >= pages_->count()) return false;
        cursor_.emplace(pages_->page(page_++), fields_);
      }
      while (cursor_->next(seen.record)) {
        if (seen.record.data.size() < 8) continue;
        seen.id = static_cast<uint16_t>(number_at(seen.record.data, 0, 2, fields_.big_endian));
        seen.kind = wanted_->kind(seen.id);
        if (seen.kind == Kind::kNone) continue;
        seen.cpu = pages_->cpu();
        return true;
      }
      cursor_.reset();
    }
  }

 private:
  DatPages* pages_;
  PageFields fields_;
  const Wanted* wanted_;
  size_t page_;
  std::optional<RecordCursor> cursor_;
};

// The latency of cyclictest's mark in ns.
std::optional<uint64_t> hit_latency(std::string_view data) {
  const size_t at = data.find(kHit);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = data.substr(at + kHit.size());
  const auto us = scan::natural(rest);
  if (!us || *us > 9'000'000'000) return std::nullopt;
  return *us * 1'000;
}

// Reads fields of a kind's events; their places are the same in all events of one number.
class FieldReader {
 public:
  FieldReader(const Wanted& wanted, bool big_endian) : wanted_(wanted), big_endian_(big_endian) {}

  uint64_t operator()(const Seen& seen, size_t slot, std::string_view name) {
    auto& places = places_[slot];
    const auto known = std::ranges::find(places, seen.id, &Place::id);
    if (known != places.end()) return read(seen, known->field);
    places.push_back({seen.id, wanted_.field(seen.id, name)});
    return read(seen, places.back().field);
  }

 private:
  struct Place {
    uint16_t id = 0;
    DatField field;
  };

  uint64_t read(const Seen& seen, const DatField& field) const {
    return number_at(seen.record.data, field.offset, field.size, big_endian_);
  }

  const Wanted& wanted_;
  bool big_endian_;
  std::array<std::vector<Place>, 12> places_;
};

// What the pass over the file has found so far.
class Findings {
 public:
  Findings(const Wanted& wanted, bool big_endian, int64_t breakpoint_ns)
      : value_(wanted, big_endian), breakpoint_(static_cast<uint64_t>(breakpoint_ns)) {}

  void mark(const Seen& seen) {
    if (seen.kind == Kind::kPrint) {
      const auto latency = hit_latency(seen.record.data);
      if (latency) take_later(hit_, {before(seen.record.time, *latency), seen.record.time});
    } else if (seen.kind == Kind::kLate) {
      const uint64_t latency = value_(seen, 0, "latency_ns");
      take_later(late_, {before(seen.record.time, latency), seen.record.time});
    } else if (seen.kind == Kind::kTimerlat) {
      timerlat(seen);
    }
  }

  void add(const Seen& seen) {
    switch (seen.kind) {
      case Kind::kWaking:
        return waking(seen);
      case Kind::kSwitch:
        return change(seen);
      case Kind::kStart:
        starts_[value_(seen, 1, "hrtimer")] = value_(seen, 2, "softexpires");
        return;
      case Kind::kExpire:
        return expire(seen);
      case Kind::kExpired:
        expiring_.erase(seen.cpu);
        return;
      default:
        return mark(seen);
    }
  }

  std::optional<DatSpot> marked() const { return hit_ ? hit_ : late_; }

  std::optional<DatSpot> best() const {
    if (const auto found = marked()) return found;
    if (timerlat_) return timerlat_;
    const bool realtime_counts = realtime_.length >= breakpoint_ || any_.length < breakpoint_;
    const Wait& wait = realtime_.length > 0 && realtime_counts ? realtime_ : any_;
    if (wait.length == 0) return std::nullopt;
    return DatSpot{before(wait.end, wait.length), wait.end};
  }

 private:
  struct Wait {
    uint64_t length = 0;
    uint64_t end = 0;
  };
  struct Waking {
    uint64_t time = 0;
    uint64_t late = 0;  // from the programmed expiry to the waking
  };

  static uint64_t before(uint64_t time, uint64_t length) { return time - std::min(time, length); }

  static void take_later(std::optional<DatSpot>& last, DatSpot spot) {
    if (!last || spot.end >= last->end) last = spot;
  }

  void timerlat(const Seen& seen) {
    const uint64_t latency = value_(seen, 3, "timer_latency");
    if (latency > seen.record.time || (timerlat_ && latency <= timerlat_longest_)) return;
    timerlat_longest_ = latency;
    timerlat_ = {before(seen.record.time, latency), seen.record.time};
  }

  // The lateness of the timer's interrupt needs no clock but the timer's own.
  void expire(const Seen& seen) {
    const auto start = starts_.find(value_(seen, 1, "hrtimer"));
    const uint64_t now = value_(seen, 4, "now");
    uint64_t late = 0;
    if (start != starts_.end()) {
      if (now > start->second && now - start->second < kLatest) late = now - start->second;
      starts_.erase(start);
    }
    expiring_[seen.cpu] = {seen.record.time, late};
  }

  void waking(const Seen& seen) {
    const uint64_t pid = value_(seen, 5, "pid");
    Waking waking{seen.record.time, 0};
    if (const auto timer = expiring_.find(seen.cpu); timer != expiring_.end()) {
      waking.late = timer->second.late + (seen.record.time - timer->second.time);
    }
    if (pid != 0) wakings_.try_emplace(pid, waking);
  }

  void change(const Seen& seen) {
    expiring_.erase(seen.cpu);
    wakings_.erase(value_(seen, 6, "prev_pid"));
    const auto waking = wakings_.find(value_(seen, 7, "next_pid"));
    if (waking == wakings_.end()) return;
    const uint64_t time = seen.record.time;
    const uint64_t waited = time - std::min(time, waking->second.time);
    const auto priority = static_cast<int32_t>(value_(seen, 8, "next_prio"));
    Wait& longest = priority < 100 ? realtime_ : any_;
    if (waited < kLatest && waited + waking->second.late > longest.length) {
      longest = {waited + waking->second.late, time};
    }
    wakings_.erase(waking);
  }

  FieldReader value_;
  uint64_t breakpoint_;
  std::optional<DatSpot> hit_, late_, timerlat_;
  uint64_t timerlat_longest_ = 0;
  Wait realtime_, any_;
  std::unordered_map<uint64_t, uint64_t> starts_;  // timer -> its programmed expiry
  std::unordered_map<uint64_t, Waking> wakings_;   // thread -> woken and not yet running
  std::unordered_map<int, Waking> expiring_;       // CPU -> the timer whose callback runs
};

// All CPUs' interesting events in the order of time.
template <typename Visit>
void merge(std::vector<CpuScan>& scans, Visit visit) {
  std::vector<Seen> heads(scans.size());
  const auto later = [&heads](size_t a, size_t b) {
    return heads[a].record.time > heads[b].record.time;
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> queue(later);
  for (size_t i = 0; i < scans.size(); ++i) {
    if (scans[i].next(heads[i])) queue.push(i);
  }
  while (!queue.empty()) {
    const size_t first = queue.top();
    queue.pop();
    visit(heads[first]);
    if (scans[first].next(heads[first])) queue.push(first);
  }
}

}  // namespace

uint64_t DatPageSet::bytes(size_t page_size) const {
  uint64_t sum = 0;
  for (const DatPages& pages : cpus) sum += pages.count() * page_size;
  return sum;
}

std::optional<DatSpot> find_spot(DatPageSet& pages, const DatFormats& formats,
                                 const DatContainer& container, int64_t breakpoint_ns) {
  const auto wanted = std::make_unique<Wanted>(formats);
  Findings tail(*wanted, container.big_endian, breakpoint_ns);
  const size_t tail_pages = kTail / container.page_size;
  for (DatPages& cpu : pages.cpus) {
    CpuScan scan(cpu, pages.fields, *wanted, cpu.count() - std::min(cpu.count(), tail_pages));
    for (Seen seen; scan.next(seen);) tail.mark(seen);
  }
  if (const auto marked = tail.marked()) return marked;
  std::vector<CpuScan> scans;
  for (DatPages& cpu : pages.cpus) scans.emplace_back(cpu, pages.fields, *wanted, 0);
  Findings all(*wanted, container.big_endian, breakpoint_ns);
  merge(scans, [&all](const Seen& seen) { all.add(seen); });
  return all.best();
}

}  // namespace rtsweep
