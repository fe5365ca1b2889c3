// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/cpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeHost;
using ::testing::IsEmpty;
using testing::IsOkAnd;

TEST(CpuList, ReadsRangesAndSingles) {
  EXPECT_THAT(parse_cpu_list("0-2,5"), IsOkAnd(ElementsAre(0, 1, 2, 5)));
  EXPECT_THAT(parse_cpu_list("7"), IsOkAnd(ElementsAre(7)));
  EXPECT_THAT(parse_cpu_list(""), IsOkAnd(IsEmpty()));
}

TEST(CpuList, NamesTheItemThatItCannotRead) {
  for (const char* text : {"2-1", "-1", "a", "0-", "1-x", "0x1"}) {
    EXPECT_THAT(parse_cpu_list(text), FailsWith(Errc::kBadData, text));
  }
}

// As /proc/irq/default_smp_affinity of a machine with 64 CPUs prints them.
TEST(CpuMask, IsWordsOf32CpusTheHighestFirst) {
  EXPECT_EQ(cpu_mask({0, 1, 2, 3}), "f");
  EXPECT_EQ(cpu_mask({0, 33}), "2,00000001");
  EXPECT_EQ(cpu_mask({64}), "1,00000000,00000000");
  EXPECT_EQ(cpu_mask({}), "0");
}

TEST(IsolatedCpus, AreEmptyOnAKernelBootedWithoutIsolcpus) {
  FakeHost host;
  host.file("sys/devices/system/cpu/isolated", "\n");

  EXPECT_THAT(isolated_cpus(host.root()), IsOkAnd(IsEmpty()));
}

TEST(OnlineCpus, NameTheFileThatIsMissing) {
  FakeHost host;

  EXPECT_THAT(online_cpus(host.root()), FailsWith(Errc::kIo, "sys/devices/system/cpu/online"));
}

}  // namespace
}  // namespace rtsweep
