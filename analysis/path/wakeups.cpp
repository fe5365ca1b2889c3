// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/wakeups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace rtsweep {
namespace {

using Kind = PathEvent::Kind;

constexpr size_t kNeighbours = 25;  // on either side

struct Found {
  Wakeup wakeup;
  int64_t irq_idle_ns = 0;  // PathEvent::idle_ns at the interrupt
};

uint64_t most_frequent(const std::map<uint64_t, size_t>& counts) {
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? 0 : most->first;
}

uint64_t measuring_stack(std::span<const PathEvent> events, int shift) {
  std::map<uint64_t, size_t> wakeups;
  for (const PathEvent& event : events) {
    if (event.kind == Kind::kWakeup) ++wakeups[event.value >> shift];
  }
  return most_frequent(wakeups);
}

// Reads the events in order; each wakeup of the thread begins a new one.
class WakeupReader {
 public:
  WakeupReader(const WakeupMarks& marks, uint64_t stack, std::optional<uint64_t> user_address)
      : marks_(marks), stack_(stack), user_address_(user_address) {}

  void read(const PathEvent& event) {
    const auto at = static_cast<int64_t>(event.icount);
    if (event.kind == Kind::kMark) mark(event, at);
    if (event.kind == Kind::kWakeup && event.value >> marks_.stack_shift == stack_) begin(at);
    if (event.kind == Kind::kUser && open_) user(event, at);
    if (event.kind == Kind::kClock && open_ && open_->wakeup.user != 0) {
      open_->wakeup.clock = at;
      found_.push_back(*open_);
      open_.reset();
    }
  }

  const std::vector<Found>& found() const { return found_; }
  const std::map<uint64_t, size_t>& user_addresses() const { return user_addresses_; }

 private:
  void mark(const PathEvent& event, int64_t at) {
    if (marks_.irq_entries.contains(event.value)) {
      irq_ = at;
      irq_idle_ns_ = event.idle_ns;
    }
    if (event.value == marks_.finish_task_switch && open_ && open_->wakeup.user == 0) {
      open_->wakeup.running = at;
    }
  }

  void begin(int64_t at) {
    open_ = Found{.wakeup = {.irq = irq_, .wakeup = at}, .irq_idle_ns = irq_idle_ns_};
    first_user_ = true;
  }

  void user(const PathEvent& event, int64_t at) {
    if (first_user_) ++user_addresses_[event.value];
    first_user_ = false;
    // An interrupt may come before it has read the clock; the path began with the first entry.
    if (open_->wakeup.user != 0 || (user_address_ && event.value != *user_address_)) return;
    open_->wakeup.user = at;
  }

  const WakeupMarks& marks_;
  uint64_t stack_;
  std::optional<uint64_t> user_address_;
  std::optional<Found> open_;
  std::vector<Found> found_;
  std::map<uint64_t, size_t> user_addresses_;
  bool first_user_ = false;
  int64_t irq_ = 0;
  int64_t irq_idle_ns_ = 0;
};

// The lower quartile around the i-th.
int64_t on_time(const std::vector<int64_t>& late, size_t i) {
  const auto first = late.begin() + static_cast<int64_t>(i - std::min(i, kNeighbours));
  const auto last = late.begin() + static_cast<int64_t>(std::min(i + kNeighbours + 1, late.size()));
  std::vector<int64_t> around(first, last);
  const auto quartile = around.begin() + static_cast<int64_t>((around.size() - 1) / 4);
  std::nth_element(around.begin(), quartile, around.end());
  return *quartile;
}

// Sets each expiry, from the interrupts around it.
void find_expiries(std::vector<Found>& found, const PathClock& clock) {
  if (found.empty()) return;
  const auto virtual_ns = [&](const Found& one) {
    return one.irq_idle_ns +
           std::llround(static_cast<double>(one.wakeup.irq) * clock.ns_per_instruction);
  };
  const int64_t start = virtual_ns(found.front());
  std::vector<int64_t> late(found.size());  // against the first one's interrupt
  for (size_t i = 0; i < found.size(); ++i) {
    const int64_t since = virtual_ns(found[i]) - start;
    const auto intervals = std::llround(static_cast<double>(since) / clock.interval_ns);
    late[i] = since - intervals * clock.interval_ns;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    const int64_t past = late[i] - on_time(late, i);
    found[i].wakeup.expiry =
        found[i].wakeup.irq - std::llround(static_cast<double>(past) / clock.ns_per_instruction);
  }
}

}  // namespace

std::vector<Wakeup> find_wakeups(std::span<const PathEvent> events, const WakeupMarks& marks,
                                 const PathClock& clock) {
  const uint64_t stack = measuring_stack(events, marks.stack_shift);
  WakeupReader guess(marks, stack, std::nullopt);
  for (const PathEvent& event : events) guess.read(event);
  WakeupReader reader(marks, stack, most_frequent(guess.user_addresses()));
  for (const PathEvent& event : events) reader.read(event);
  std::vector<Found> found = reader.found();
  find_expiries(found, clock);
  std::vector<Wakeup> wakeups;
  for (const Found& one : found) wakeups.push_back(one.wakeup);
  return wakeups;
}

}  // namespace rtsweep
