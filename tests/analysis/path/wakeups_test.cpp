// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/wakeups.h"

#include <gmock/gmock.h>

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using Kind = PathEvent::Kind;

constexpr uint64_t kIrq = 0xffff0018;
constexpr uint64_t kSwitch = 0xc0001000;
constexpr uint64_t kUser = 0x8000;
constexpr uint64_t kMeasuring = 0xd0002e00;  // on the stack of the thread that measures
constexpr uint64_t kOther = 0xd0004e00;
const WakeupMarks kMarks{.irq_entries = {kIrq}, .finish_task_switch = kSwitch, .stack_shift = 13};
const PathClock kEveryMillisecond{.interval_ns = 1'000'000, .ns_per_instruction = 8};

PathEvent event(Kind kind, uint64_t icount, uint64_t value) {
  return {.icount = icount, .value = value, .kind = kind};
}

// A wakeup whose interrupt comes at an instruction: hrtimer_wakeup 100 later, the switch 300,
// user space 500, the clock 560.
void add_wakeup(std::vector<PathEvent>& events, uint64_t irq) {
  events.push_back(event(Kind::kMark, irq, kIrq));
  events.push_back(event(Kind::kWakeup, irq + 100, kMeasuring));
  events.push_back(event(Kind::kMark, irq + 300, kSwitch));
  events.push_back(event(Kind::kUser, irq + 500, kUser));
  events.push_back(event(Kind::kClock, irq + 560, kUser + 32));
}

TEST(FindWakeups, CountsFromExpiryToTheReadingOfTheClock) {
  std::vector<PathEvent> events;
  for (const uint64_t irq : {125'000, 250'000, 375'000}) add_wakeup(events, irq);

  const auto wakeups = find_wakeups(events, kMarks, kEveryMillisecond);

  EXPECT_THAT(wakeups[1], (Wakeup{.expiry = 250'000,
                                  .irq = 250'000,
                                  .wakeup = 250'100,
                                  .running = 250'300,
                                  .user = 250'500,
                                  .clock = 250'560}));
}

// With interrupts off, the interrupt itself comes late: 2000 instructions here.
TEST(FindWakeups, KnowsThatAnInterruptWasLate) {
  std::vector<PathEvent> events;
  for (const uint64_t irq : {125'000, 252'000, 375'000}) add_wakeup(events, irq);

  const auto wakeups = find_wakeups(events, kMarks, kEveryMillisecond);

  EXPECT_THAT(wakeups, ElementsAre(Field(&Wakeup::expiry, 125'000), Field(&Wakeup::expiry, 250'000),
                                   Field(&Wakeup::expiry, 375'000)));
  EXPECT_EQ(wakeups[1].instructions(), 2560);
}

// Another timer's interrupt, 1000 instructions before, finds this one expired too.
TEST(FindWakeups, KnowsThatAnInterruptWasAnotherTimers) {
  std::vector<PathEvent> events;
  for (const uint64_t irq : {125'000, 250'000, 374'000, 500'000, 625'000, 750'000, 875'000}) {
    add_wakeup(events, irq);
  }

  const auto wakeups = find_wakeups(events, kMarks, kEveryMillisecond);

  EXPECT_EQ(wakeups[2].expiry, 375'000);
  EXPECT_EQ(wakeups[2].irq, 374'000);
  EXPECT_EQ(wakeups[3].expiry, 500'000);
}

// 900 us pass idle, without instructions, so 12,500 of them make the millisecond.
TEST(FindWakeups, CountsIdlePeriodsAsTimeOnly) {
  std::vector<PathEvent> events;
  for (uint64_t i = 1; i <= 3; ++i) {
    const size_t first = events.size();
    add_wakeup(events, i * 12'500);
    for (size_t j = first; j < events.size(); ++j)
      events[j].idle_ns = static_cast<int64_t>(i) * 900'000;
  }

  const auto wakeups = find_wakeups(events, kMarks, kEveryMillisecond);

  EXPECT_THAT(wakeups, ElementsAre(Field(&Wakeup::expiry, 12'500), Field(&Wakeup::expiry, 25'000),
                                   Field(&Wakeup::expiry, 37'500)));
}

TEST(FindWakeups, LeavesOutOtherSleepersAndOtherTasksInUserSpace) {
  std::vector<PathEvent> events;
  add_wakeup(events, 125'000);
  events.push_back(event(Kind::kWakeup, 200'000, kOther));
  add_wakeup(events, 250'000);
  // The third is woken while another task goes back to user space before it.
  events.push_back(event(Kind::kMark, 375'000, kIrq));
  events.push_back(event(Kind::kWakeup, 375'100, kMeasuring));
  events.push_back(event(Kind::kUser, 375'200, 0x9000));
  events.push_back(event(Kind::kClock, 375'210, 0x9004));
  events.push_back(event(Kind::kUser, 375'500, kUser));
  events.push_back(event(Kind::kClock, 375'560, kUser + 32));

  const auto wakeups = find_wakeups(events, kMarks, kEveryMillisecond);

  ASSERT_EQ(wakeups.size(), 3u);
  EXPECT_EQ(wakeups[2].user, 375'500);
  EXPECT_EQ(wakeups[2].instructions(), 560);
}

TEST(FindWakeups, FindsNoneWithoutASleeper) {
  EXPECT_TRUE(find_wakeups({}, kMarks, kEveryMillisecond).empty());
}

}  // namespace
}  // namespace rtsweep
