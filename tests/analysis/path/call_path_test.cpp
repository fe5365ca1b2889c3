// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/call_path.h"

#include <gmock/gmock.h>

#include "analysis/path/flame_svg.h"
#include "analysis/path/lock_waits.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using Kind = PathEvent::Kind;

constexpr char kKallsyms[] =
    "c0001000 T vector\n"
    "c0002000 T entry\n"
    "c0003000 T get_random_u16\n"
    "c0004000 T rt_spin_lock\n"
    "c0005000 T rtlock_slowlock_locked\n"
    "c0006000 T rt_mutex_setprio\n"
    "c0007000 T __schedule\n"
    "c0008000 t finish_task_switch.isra.0\n"
    "c0009000 T chacha_permute\n"
    "c000a000 T _get_random_bytes\n"
    "c000b000 T rt_spin_unlock\n"
    "c000c000 T rt_mutex_slowunlock\n"
    "c000d000 T tail\n";

class Blocks {
 public:
  Blocks& add(uint64_t pc, uint32_t insns) {
    events_.push_back({.icount = at_, .value = pc, .kind = Kind::kBlock, .insns = insns});
    at_ += insns;
    return *this;
  }

  CallPath path() const {
    return call_path({.events = events_,
                      .begin = 1000,
                      .end = static_cast<int64_t>(at_),
                      .irq_entries = {0xc0001010},
                      .user_below = 0xc0000000},
                     KernelSymbols::parse(kKallsyms).value());
  }

  std::vector<PathEvent> events_;
  uint64_t at_ = 1000;
};

PathFunction function(const CallPath& path, std::string_view name) {
  for (const PathFunction& f : path.functions) {
    if (f.name == name) return f;
  }
  return {};
}

TEST(CallPath, CountsWhatAFunctionCalledInItsTotal) {
  const CallPath path = Blocks()
                            .add(0xc0001010, 10)  // the interrupt's vector
                            .add(0xc0002000, 5)   // entry()
                            .add(0xc0003000, 7)   // calls get_random_u16()
                            .add(0xc0003010, 3)   // goes on there
                            .add(0xc0002040, 2)   // returns
                            .add(0x8000, 4)       // user space
                            .path();

  EXPECT_EQ(path.explained, 31);
  EXPECT_EQ(path.length, 31);
  EXPECT_EQ(function(path, "get_random_u16"),
            (PathFunction{.name = "get_random_u16", .self = 10, .total = 10, .calls = 1}));
  EXPECT_EQ(function(path, "entry"),
            (PathFunction{.name = "entry", .self = 7, .total = 17, .calls = 1}));
  EXPECT_EQ(function(path, "[interrupt]").total, 27);
  EXPECT_THAT(path.stacks,
              ElementsAre(Pair("[interrupt]", 10), Pair("[interrupt];entry", 7),
                          Pair("[interrupt];entry;get_random_u16", 10), Pair("[user]", 4)));
}

// An exception ends a block of 20 instructions after 6.
TEST(CallPath, CountsABlockThatWasCutShortAsFarAsItCame) {
  Blocks blocks;
  blocks.add(0xc0002000, 20);
  blocks.at_ -= 14;
  blocks.add(0xc0003000, 4);

  const CallPath path = blocks.path();

  EXPECT_EQ(path.explained, 10);
  EXPECT_EQ(function(path, "entry").self, 6);
}

TEST(CallPath, LeavesOutWhatLiesBeforeTheExpiry) {
  Blocks blocks;
  blocks.at_ = 900;
  blocks.add(0xc0003000, 60).add(0xc0003010, 50).add(0xc0002000, 5);

  EXPECT_EQ(blocks.path().explained, 15);  // 10 of the second block, 5 of the third
}

// The path of the lock of the entropy pool, in small.
TEST(LockWaits, TellsWhoWaitedForWhom) {
  const CallPath path = Blocks()
                            .add(0xc0003000, 10)  // 0: get_random_u16()
                            .add(0xc0004000, 10)  // 10: rt_spin_lock()
                            .add(0xc0005000, 10)  // 20: slow path
                            .add(0xc0006000, 10)  // 30: boost
                            .add(0xc0005040, 10)
                            .add(0xc0007000, 10)   // 50: __schedule()
                            .add(0xc0008000, 10)   // 60: the holder has the CPU
                            .add(0xc0009040, 100)  // 70: goes on in chacha_permute()
                            .add(0xc000a040, 10)   // 170: which returns
                            .add(0xc000b000, 10)   // 180: rt_spin_unlock()
                            .add(0xc000c000, 10)   // 190: rt_mutex_slowunlock()
                            .add(0xc0006000, 10)   // 200: deboost
                            .add(0xc0007000, 10)   // 210
                            .add(0xc0008000, 10)   // 220: the waiter has the CPU
                            .path();

  EXPECT_THAT(lock_waits(path.steps), ElementsAre(LockWait{.blocked = 20,
                                                           .taker = "get_random_u16",
                                                           .holder = 60,
                                                           .released = 190,
                                                           .releaser = "_get_random_bytes",
                                                           .again = 220,
                                                           .boosted = true}));
  EXPECT_EQ(path.steps[4].kind, PathStep::Kind::kUnboost);
}

TEST(LockWaits, FindsNoneWhereTheLockWasFreeAfterAll) {
  const CallPath path = Blocks().add(0xc0004000, 10).add(0xc0005000, 10).add(0xc0004010, 10).path();

  EXPECT_THAT(lock_waits(path.steps), ElementsAre());
}

TEST(FlameSvg, HasEachFunctionWithItsNumbers) {
  const std::string svg = flame_svg("a <title>", {{"entry", 25}, {"entry;leaf", 75}});

  EXPECT_THAT(svg, HasSubstr("a &lt;title&gt;"));
  EXPECT_THAT(svg, HasSubstr("entry: 100 instructions, 100.0 %"));
  EXPECT_THAT(svg, HasSubstr("leaf: 75 instructions, 75.0 %"));
}

}  // namespace
}  // namespace rtsweep
