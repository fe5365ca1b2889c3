// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/console_log.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/analysis/cyclictest_files.h"

namespace rtsweep {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Kind = ConsoleFindingKind;
using Findings = std::vector<ConsoleFinding>;

auto says(Kind kind, const std::string& text) {
  return AllOf(Field("kind", &ConsoleFinding::kind, kind),
               Field("text", &ConsoleFinding::text, HasSubstr(text)));
}

std::vector<Kind> kinds_of(const Findings& findings) {
  std::vector<Kind> kinds;
  for (const ConsoleFinding& finding : findings) kinds.push_back(finding.kind);
  return kinds;
}

TEST(ScanConsole, FindsNothingOnAHealthyConsole) {
  EXPECT_THAT(scan_console("[    0.000000] Linux version 6.12.9-rt\n"
                           "[    0.239436] 9p: Installing v9fs 9p2000 file system support\n"
                           "[    1.000000] Run /init as init process\n"),
              IsEmpty());
}

TEST(ScanConsole, TellsThePanicWithItsCause) {
  const Findings findings = scan_console(
      "[    5.867574] Kernel panic - not syncing: Fatal exception\r\n"
      "coreboot-v1.9308 bootblock starting\r\n");

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].kind, Kind::kKernelPanic);
  EXPECT_TRUE(findings[0].fatal);
  EXPECT_EQ(findings[0].line, 1u);
  EXPECT_EQ(findings[0].time_s, 5.867574);
  EXPECT_EQ(findings[0].text, "Kernel panic - not syncing: Fatal exception");
}

TEST(ScanConsole, CountsAPanicAndItsEndMarkerOnce) {
  const Findings findings = scan_console(
      "[    0.0] Kernel panic - not syncing: kernel stack overflow\n"
      "[    0.0] ---[ end Kernel panic - not syncing: kernel stack overflow ]---\n");

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].times, 1);
}

class MissingInit : public ::testing::TestWithParam<std::string> {};

TEST_P(MissingInit, IsNotTakenForAnotherPanic) {
  const Findings findings =
      scan_console("[    1.234567] Kernel panic - not syncing: " + GetParam() + "\n");

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0], says(Kind::kInitMissing, GetParam()));
  EXPECT_TRUE(findings[0].fatal);
}

INSTANTIATE_TEST_SUITE_P(
    Kernel, MissingInit,
    ::testing::Values("No working init found.  Try passing init= option to kernel.",
                      "Requested init /nothing failed (error -2).",
                      "Attempted to kill init! exitcode=0x00000200",
                      "VFS: Unable to mount root fs on unknown-block(0,0)"));

struct KernelLine {
  std::string line;
  Kind kind;
  bool fatal;
};

void PrintTo(const KernelLine& line, std::ostream* os) { *os << line.line; }

class KernelMessage : public ::testing::TestWithParam<KernelLine> {};

TEST_P(KernelMessage, IsFoundBehindEveryPrefix) {
  for (const std::string prefix :
       {"", "[   12.345678] ", "[   12.345678][  T123] ", "<2>[   12.345678] ", "> ",
        "Nov 30 18:00:00 board kernel: [   12.345678] ",
        "user output without newline[   12.345678] "}) {
    const Findings findings = scan_console(prefix + GetParam().line + "\r\n");

    ASSERT_THAT(findings, SizeIs(1)) << prefix;
    EXPECT_EQ(findings[0].kind, GetParam().kind) << prefix;
    EXPECT_EQ(findings[0].fatal, GetParam().fatal) << prefix;
    EXPECT_THAT(findings[0].text, ::testing::StartsWith(GetParam().line.substr(0, 4))) << prefix;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernel, KernelMessage,
    ::testing::Values(
        KernelLine{"Internal error: Oops: 86000004 [#1] PREEMPT_RT SMP", Kind::kKernelOops, true},
        KernelLine{"Unable to handle kernel NULL pointer dereference at virtual address 0",
                   Kind::kKernelOops, true},
        KernelLine{"Oops: Oops: 0002 [#1] PREEMPT_RT SMP NOPTI", Kind::kKernelOops, true},
        KernelLine{"kernel BUG at kernel/sched/walt.c:109!", Kind::kKernelOops, true},
        KernelLine{"INFO: rcu_sched self-detected stall on CPU { 1}", Kind::kRcuStall, true},
        KernelLine{"INFO: rcu_preempt detected stalls on CPUs/tasks:", Kind::kRcuStall, true},
        KernelLine{"BUG: soft lockup - CPU#0 stuck for 22s! [cc1:123]", Kind::kLockup, true},
        KernelLine{"Watchdog detected hard LOCKUP on cpu 5", Kind::kLockup, true},
        KernelLine{"INFO: task jbd2:123 blocked for more than 120 seconds.", Kind::kHungTask,
                   false},
        KernelLine{"Out of memory: Killed process 99 (cc1) total-vm:1kB", Kind::kOomKill, false},
        KernelLine{"sched: RT throttling activated", Kind::kRtThrottling, false}));

TEST(ScanConsole, PutsTheFirstFatalFindingFirst) {
  const Findings findings = scan_console(
      "[    9.000000] sched: RT throttling activated\n"
      "[   14.451213] kernel BUG at kernel/sched/walt.c:109!\n"
      "[   14.461360] Internal error: Oops - BUG: 0 [#1] PREEMPT SMP\n"
      "[   15.447835] BUG: spinlock lockup suspected on CPU#3, gdbus/2329\n");

  EXPECT_THAT(kinds_of(findings),
              ElementsAre(Kind::kKernelOops, Kind::kLockup, Kind::kRtThrottling));
  EXPECT_EQ(
      findings[0].text,
      "kernel BUG at kernel/sched/walt.c:109!; Internal error: Oops - BUG: 0 [#1] PREEMPT SMP");
}

TEST(ScanConsole, OrdersByTheKernelsClockWhereLinesAreOutOfOrder) {
  const Findings findings = scan_console(
      "[   15.447835] BUG: spinlock lockup suspected on CPU#3, gdbus/2329\n"
      "[   14.461360] Internal error: Oops - BUG: 0 [#1] PREEMPT SMP\n");

  EXPECT_THAT(kinds_of(findings), ElementsAre(Kind::kKernelOops, Kind::kLockup));
}

TEST(ScanConsole, KeepsTheOrderOfTwoBoots) {
  const Findings findings = scan_console(
      "[    0.000000] Linux version 6.1.0\n"
      "[   14.461360] Internal error: Oops - BUG: 0 [#1] PREEMPT SMP\n"
      "[    0.000000] Linux version 6.1.0\n"
      "[    2.000000] Kernel panic - not syncing: second\n");

  EXPECT_THAT(kinds_of(findings), ElementsAre(Kind::kKernelOops, Kind::kKernelPanic));
}

TEST(ScanConsole, CountsTheSameWordsOnce) {
  const Findings findings = scan_console(
      "[    1.0] BUG: sleeping function called from invalid context at a.c:48\n"
      "[    2.0] BUG: sleeping function called from invalid context at a.c:48\n");

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].times, 2);
  EXPECT_EQ(findings[0].kind, Kind::kKernelBug);
  EXPECT_FALSE(findings[0].fatal);
}

TEST(ScanConsole, IsNotTakenInByProgramsThatTalkOfBugsAndPanics) {
  EXPECT_THAT(scan_console("make: see BUG: 1234 for this\n"
                           "tool: Internal error: no such file\n"
                           "pattern: Kernel panic - (.*) end Kernel panic\n"),
              IsEmpty());
}

TEST(ScanConsole, AcceptsAMaskedTime) {
  const Findings findings = scan_console("> > [   35.xxxx ] sched: RT throttling activated\n");

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].time_s, std::nullopt);
}

// The corpus: what meta.md of each case concludes.
class ConsoleCorpus : public ::testing::Test {
 protected:
  static bool has(const std::string& file) { return std::filesystem::exists(path(file)); }
  static Findings scan(const std::string& file) {
    return scan_console(testing::text_of(path(file)));
  }
  static std::filesystem::path path(const std::string& file) {
    return std::filesystem::path(RTSWEEP_CORPUS_DIR) / file;
  }
};

#define SKIP_WITHOUT(file) \
  if (!has(file)) GTEST_SKIP() << "needs the corpus of real inputs: " << path(file).string()

TEST_F(ConsoleCorpus, F01HasOneOopsWhetherQuotedOrNot) {
  for (const std::string file : {"F01-pi3bplus-5.3.6-boot-log-oops/boot.txt",
                                 "F01-pi3bplus-5.3.6-boot-log-oops/boot-quoted.txt"}) {
    SKIP_WITHOUT(file);
    const Findings findings = scan(file);

    ASSERT_THAT(findings, SizeIs(1)) << file;
    EXPECT_THAT(findings[0], says(Kind::kKernelOops, "Internal error: Oops: 86000004"));
    EXPECT_EQ(findings[0].time_s, 3.746032);
  }
}

TEST_F(ConsoleCorpus, F08IsOneBugSaidFiveTimes) {
  const std::string file = "F08-syzbot-rt-kcov-sleeping-in-irq-off/report.txt";
  SKIP_WITHOUT(file);

  const Findings findings = scan(file);

  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_THAT(findings[0], says(Kind::kKernelBug, "sleeping function called"));
  EXPECT_EQ(findings[0].times, 5);
}

TEST_F(ConsoleCorpus, F10FindsAPanicThatAResetCutOff) {
  const std::string file =
      "F10-ci-serial-panic-overlaps-boot-firmware/kernel-panic-and-reset-overlapped.txt";
  SKIP_WITHOUT(file);

  EXPECT_THAT(scan(file), ElementsAre(says(Kind::kKernelPanic, "Fatal exception")));
}

TEST_F(ConsoleCorpus, F10FindsTheInitThatEnded) {
  const std::string file = "F10-ci-serial-panic-overlaps-boot-firmware/kernel-panic.txt";
  SKIP_WITHOUT(file);

  EXPECT_THAT(scan(file), ElementsAre(says(Kind::kInitMissing, "exitcode=0x00000200")));
}

TEST_F(ConsoleCorpus, F10TailHasTheLockupsOfItsCpus) {
  const std::string file = "F10-ci-serial-panic-overlaps-boot-firmware/kernel-bug.txt";
  SKIP_WITHOUT(file);

  const Findings findings = scan(file);

  ASSERT_THAT(findings, SizeIs(7));  // CPUs 3, 2, 1, 0, 7, 5, and the hard lockup of 5
  EXPECT_THAT(findings, Each(Field(&ConsoleFinding::kind, Kind::kLockup)));
  EXPECT_THAT(findings[0].text, HasSubstr("CPU#3"));
}

TEST_F(ConsoleCorpus, F11NamesTheOopsBeforeItsConsequences) {
  const std::string file = "F11-hikey-many-errors-lockup-cascade/kernel-many-errors.txt";
  SKIP_WITHOUT(file);

  const Findings findings = scan(file);

  ASSERT_FALSE(findings.empty());
  EXPECT_THAT(findings[0], says(Kind::kKernelOops, "Internal error: Oops - BUG: 0"));
  const auto spinlocks = std::count_if(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.text.starts_with("BUG: spinlock lockup suspected");
  });
  EXPECT_EQ(spinlocks, 7);
}

TEST_F(ConsoleCorpus, F12HasNoPanicOnlyASearchPattern) {
  const std::string file = "F12-qemu-lava-yaml-syslog-prefix/pass-1.yaml";
  SKIP_WITHOUT(file);

  EXPECT_THAT(scan(file), IsEmpty());
}

TEST_F(ConsoleCorpus, F13PanicsAfterFaultingInItsOwnFaults) {
  const std::string file = "F13-arm64-zone-dma-cma-early-panic-and-numa-server/imx8mm-panic.txt";
  SKIP_WITHOUT(file);

  const Findings findings = scan(file);

  EXPECT_THAT(findings,
              ElementsAre(says(Kind::kKernelOops, "Unable to handle kernel paging request"),
                          says(Kind::kKernelPanic, "kernel stack overflow")));
}

TEST_F(ConsoleCorpus, E11AndE12ReportRtThrottling) {
  for (const std::string file : {"E11-rndis-gadget-rt-throttling-curl-mixed/thread.txt",
                                 "E12-ath11k-irq-storm-rt-throttling/thread.txt"}) {
    SKIP_WITHOUT(file);
    EXPECT_THAT(scan(file), ElementsAre(says(Kind::kRtThrottling, "RT throttling"))) << file;
  }
}

}  // namespace
}  // namespace rtsweep
