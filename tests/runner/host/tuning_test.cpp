// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/tuning.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/fake_host.h"
#include "tests/support/fake_systemd.h"
#include "tests/support/file_tree.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FakeHost;
using testing::FakeSystemd;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;

constexpr char kPolicy0[] = "sys/devices/system/cpu/cpufreq/policy0/";
constexpr char kCpu0[] = "sys/devices/system/cpu/cpu0/cpuidle/";

// A board with two CPUs in one frequency domain, three idle states, a GPU in devfreq and
// three interrupts.
void fill(FakeHost& host) {
  host.file("proc/sys/kernel/random/boot_id", "boot-1\n").file("run/systemd/system/units", "");
  host.file("sys/devices/system/cpu/online", "0-1\n");
  const std::string policy = kPolicy0;
  host.file(policy + "scaling_governor", "schedutil\n")
      .file(policy + "scaling_available_governors", "performance powersave schedutil \n")
      .file(policy + "cpuinfo_min_freq", "600000\n")
      .file(policy + "cpuinfo_max_freq", "1800000\n")
      .file(policy + "scaling_min_freq", "600000\n")
      .file(policy + "scaling_max_freq", "1800000\n")
      .file(policy + "scaling_available_frequencies", "600000 1500000 1800000 \n");
  const int latencies[] = {0, 40, 1000};
  for (int state = 0; state < 3; ++state) {
    const std::string path = fmt::format("{}state{}/", kCpu0, state);
    host.file(path + "latency", std::to_string(latencies[state]) + "\n");
    host.file(path + "disable", "0\n");
  }
  host.file("sys/class/devfreq/fde60000.gpu/min_freq", "200000000\n")
      .file("sys/class/devfreq/fde60000.gpu/max_freq", "800000000\n")
      .file("sys/class/devfreq/fde60000.gpu/available_frequencies", "200000000 800000000\n");
  host.file("proc/sys/kernel/sched_rt_runtime_us", "950000\n")
      .file("proc/sys/kernel/numa_balancing", "1\n")
      .file("proc/sys/kernel/nmi_watchdog", "1\n")
      .file("proc/sys/kernel/timer_migration", "1\n")
      .file("proc/sys/kernel/panic", "0\n")
      .file("sys/kernel/mm/ksm/run", "1\n")
      .file("sys/module/x/parameters/on", "N\n")
      .file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  host.file("proc/irq/default_smp_affinity", "3\n");
  for (const int irq : {9, 10, 11}) {
    host.file(fmt::format("proc/irq/{}/smp_affinity_list", irq), "0-1\n");
  }
}

class TuningTest : public ::testing::Test {
 protected:
  TuningTest() { fill(host_); }

  UndoList open_list() {
    return std::move(UndoList::open(host_.root(), systemd_, dir_.root().path("state"))).value();
  }
  // Applies, restores, and returns what became of it.
  std::vector<TuningResult> results_of(const TuningSpec& spec) {
    UndoList list = open_list();
    const HostRoot root = host_.root();
    Tuning tuning = std::move(Tuning::apply(root, spec, list)).value();
    tuning.look_at_end();
    EXPECT_THAT(tuning.restore(), IsOk());
    return tuning.results();
  }
  // Replaces a file by one that is read like `target` and cannot be written.
  void link(const std::string& file, const std::string& target) {
    std::filesystem::remove(host_.root().path(file));
    std::filesystem::create_symlink(target, host_.root().path(file));
  }
  std::string value(const std::string& file) const { return host_.root().read(file).value(); }

  FakeHost host_;
  FakeHost dir_;
  FakeSystemd systemd_;
};

TuningSpec everything() {
  return {.governor = "performance",
          .cpu_khz = 1'500'000,
          .idle_states_disabled_over_us = 40,
          .sched_rt_runtime_us = -1,
          .transparent_hugepages = "never",
          .numa_balancing = false,
          .nmi_watchdog = false,
          .ksm = false,
          .timer_migration = false,
          .irq_affinity = {0},
          .gpu_khz = 800'000,
          .stop_services = {"irqbalance.service"},
          .sysfs = {{"/sys/module/x/parameters/on", "1"}},
          .sysctl = {{"kernel.panic", "10"}}};
}

TEST_F(TuningTest, SetsEverythingForItsTimeAndPutsEveryFileBack) {
  systemd_.has("irqbalance.service", "active");
  const auto before = testing::content_of_tree(host_.root().path(""));
  {
    UndoList list = open_list();
    const HostRoot root = host_.root();
    const auto tuning = Tuning::apply(root, everything(), list);
    ASSERT_THAT(tuning, IsOk());

    EXPECT_EQ(value(std::string(kPolicy0) + "scaling_governor"), "performance");
    EXPECT_EQ(value(std::string(kPolicy0) + "scaling_min_freq"), "1500000");
    EXPECT_EQ(value(std::string(kPolicy0) + "scaling_max_freq"), "1500000");
    EXPECT_EQ(value(std::string(kCpu0) + "state1/disable"), "0");  // 40 is not over 40
    EXPECT_EQ(value(std::string(kCpu0) + "state2/disable"), "1");
    EXPECT_EQ(value("sys/class/devfreq/fde60000.gpu/min_freq"), "800000000");
    EXPECT_EQ(value("sys/kernel/mm/transparent_hugepage/enabled"), "never");
    EXPECT_EQ(value("proc/sys/kernel/sched_rt_runtime_us"), "-1");
    EXPECT_EQ(value("proc/irq/default_smp_affinity"), "1");
    EXPECT_EQ(value("proc/irq/11/smp_affinity_list"), "0");
    EXPECT_EQ(value("proc/sys/kernel/panic"), "10");
    EXPECT_EQ(systemd_.states["irqbalance.service"], "inactive");
    for (const TuningResult& result : tuning->results()) {
      EXPECT_TRUE(was_effective(result)) << nlohmann::json(result);
    }
  }
  auto after = testing::content_of_tree(host_.root().path(""));
  // A file of a real kernel shows all words and marks the one that was written.
  EXPECT_EQ(after["sys/kernel/mm/transparent_hugepage/enabled"], "madvise");
  EXPECT_EQ(after.size(), before.size());
  for (const auto& [file, content] : before) {
    EXPECT_TRUE(same_setting(settable_value(content), after[file])) << file;
  }
  EXPECT_EQ(systemd_.states["irqbalance.service"], "active");
}

TEST_F(TuningTest, LeavesAFileAloneThatHasTheValueAlready) {
  const auto before = testing::content_of_tree(host_.root().path(""));

  const auto results = results_of({.governor = "schedutil", .irq_affinity = {0, 1}});

  for (const TuningResult& result : results) EXPECT_TRUE(was_effective(result));
  EXPECT_EQ(testing::content_of_tree(host_.root().path("")), before);
  EXPECT_FALSE(std::filesystem::exists(dir_.root().path("state/undo.jsonl")));
}

TEST_F(TuningTest, TellsBeforeEffectiveAndRestored) {
  const auto results = results_of({.sched_rt_runtime_us = -1});

  EXPECT_THAT(results, ElementsAre(TuningResult{.setting = "sched_rt_runtime_us",
                                                .file = "/proc/sys/kernel/sched_rt_runtime_us",
                                                .wanted = "-1",
                                                .before = "950000",
                                                .effective = "-1",
                                                .at_end = "-1",
                                                .restored = "950000"}));
}

// The case of a GPIO's interrupt: no error, and another value is read back.
TEST_F(TuningTest, NoticesAWriteThatSucceedsAndChangesNothing) {
  link("proc/irq/10/smp_affinity_list", "/dev/null");

  const auto results = results_of({.irq_affinity = {0}});

  const auto silent =
      std::ranges::find(results, "/proc/irq/10/smp_affinity_list", &TuningResult::file);
  ASSERT_NE(silent, results.end());
  EXPECT_EQ(silent->error, "");
  EXPECT_FALSE(silent->refused);
  EXPECT_FALSE(was_effective(*silent));
}

TEST_F(TuningTest, NamesAnInterruptThatCannotBeMovedAndMovesTheOthers) {
  link("proc/irq/10/smp_affinity_list", "/proc/version");  // write(2) fails with EIO

  const auto results = results_of({.irq_affinity = {0}});

  std::vector<std::string> refused;
  for (const TuningResult& result : results) {
    EXPECT_TRUE(was_effective(result)) << result.file;
    if (result.refused) refused.push_back(result.file);
  }
  EXPECT_THAT(refused, ElementsAre("/proc/irq/10/smp_affinity_list"));
  EXPECT_EQ(results.size(), 4u);  // default_smp_affinity and three interrupts
}

TEST_F(TuningTest, RemembersTheCpuThatTookAnInterrupt) {
  host_.file("proc/irq/9/effective_affinity_list", "1\n");
  UndoList list = open_list();
  const HostRoot root = host_.root();
  const auto tuning = Tuning::apply(root, {.irq_affinity = {0}}, list);
  ASSERT_THAT(tuning, IsOk());

  const auto entries = parse_undo_list(read_file(list.file()).value()).entries;
  const auto entry = std::ranges::find(entries, "proc/irq/9/smp_affinity_list", &UndoEntry::name);
  ASSERT_NE(entry, entries.end());
  EXPECT_EQ(entry->old, "0-1");
  EXPECT_EQ(entry->via, "1");
}

// As on a machine whose interrupt went to CPU 1 and could not be moved to CPU 0.
TEST_F(TuningTest, LeavesAnInterruptAloneThatHadRefused) {
  link("proc/irq/9/smp_affinity_list", "/proc/version");
  host_.file("proc/irq/9/effective_affinity_list", "1\n");
  UndoList list = open_list();
  const HostRoot root = host_.root();
  Tuning tuning = std::move(Tuning::apply(root, {.irq_affinity = {0}}, list)).value();

  ASSERT_THAT(tuning.restore(), IsOk());
  EXPECT_FALSE(UndoList::left_in(dir_.root().path("state")));
}

TEST_F(TuningTest, RefusesToSendInterruptsToACpuThatIsNotOnline) {
  const auto results = results_of({.irq_affinity = {0, 3}});

  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].error, "CPU 3 is not online");
  EXPECT_EQ(value("proc/irq/9/smp_affinity_list"), "0-1");
}

// 40 CPUs are two words of 32: CPU 39 is bit 7 of the upper one.
TEST_F(TuningTest, WritesAMaskOfMoreThan32CpusInWords) {
  host_.file("sys/devices/system/cpu/online", "0-39\n");
  const auto changes = tuning_changes(host_.root(), {.irq_affinity = {0, 1, 39}});

  ASSERT_EQ(changes.size(), 4u);
  EXPECT_EQ(changes[0].value, "80,00000003");
  EXPECT_EQ(changes[1].value, "0-1,39");
}

TEST_F(TuningTest, RefusesAFrequencyThatWouldBeClampedOrRounded) {
  const auto low = results_of({.cpu_khz = 100'000});
  const auto between = results_of({.cpu_khz = 1'000'000});

  ASSERT_EQ(low.size(), 1u);
  EXPECT_EQ(low[0].error, "it is not in the range from 600000 to 1800000");
  EXPECT_FALSE(was_effective(low[0]));
  ASSERT_EQ(between.size(), 1u);
  EXPECT_EQ(between[0].error, "there are only: 600000, 1500000, 1800000");
  EXPECT_EQ(value(std::string(kPolicy0) + "scaling_min_freq"), "600000");
}

// At no time, neither forth nor back, may the lower limit be above the upper one.
TEST_F(TuningTest, RaisesTheUpperLimitOfAFrequencyFirstAndLowersTheLowerOneFirst) {
  host_.file(std::string(kPolicy0) + "scaling_max_freq", "600000\n");
  const auto up = tuning_changes(host_.root(), {.cpu_khz = 1'500'000});
  host_.file(std::string(kPolicy0) + "scaling_max_freq", "1800000\n");
  host_.file(std::string(kPolicy0) + "scaling_min_freq", "1800000\n");
  const auto down = tuning_changes(host_.root(), {.cpu_khz = 1'500'000});

  EXPECT_THAT(up[0].file, HasSubstr("scaling_max_freq"));
  EXPECT_THAT(down[0].file, HasSubstr("scaling_min_freq"));
}

TEST_F(TuningTest, DoesNotTakeAThrottledLimitForTheMachinesOwn) {
  host_.file("sys/class/thermal/cooling_device0/type", "cpufreq-cpu0\n")
      .file("sys/class/thermal/cooling_device0/cur_state", "2\n");

  const auto results = results_of({.cpu_khz = 1'500'000});

  EXPECT_THAT(results.at(0).error, HasSubstr("throttled by heat"));
}

TEST_F(TuningTest, SaysWhatAMachineDoesNotHave) {
  const FakeHost bare;
  const auto changes = tuning_changes(bare.root(), {.governor = "performance",
                                                    .idle_states_disabled_over_us = 1,
                                                    .sched_rt_runtime_us = 1,
                                                    .gpu_khz = 1,
                                                    .devfreq_khz = {{"dmc", 1}},
                                                    .sysctl = {{"kernel.no_such", "1"}}});

  std::vector<std::string> problems;
  for (const TuningChange& change : changes) problems.push_back(change.problem);
  EXPECT_THAT(problems, ElementsAre(HasSubstr("no cpufreq"), HasSubstr("no idle states"),
                                    HasSubstr("config.txt"), HasSubstr("no devfreq"),
                                    HasSubstr("no such file"), HasSubstr("no such file")));
}

TEST_F(TuningTest, SaysWhichGovernorsThereAre) {
  EXPECT_EQ(results_of({.governor = "ondemand"}).at(0).error,
            "this kernel offers only: performance, powersave, schedutil");
}

// PREEMPT_RT kernels are built without these; what is not there is off.
TEST_F(TuningTest, TakesAFeatureThatIsNotBuiltInForOff) {
  std::filesystem::remove_all(host_.root().path("sys/kernel/mm"));

  const auto off = results_of({.transparent_hugepages = "never", .ksm = false});
  const auto on = results_of({.transparent_hugepages = "always"});

  EXPECT_TRUE(was_effective(off.at(0)));
  EXPECT_TRUE(was_effective(off.at(1)));
  EXPECT_FALSE(was_effective(on.at(0)));
}

TEST_F(TuningTest, StaysInsideOfSysAndProcSys) {
  host_.file("etc/x", "kept");
  const auto results = results_of({.sysfs = {{"/etc/x", "1"}, {"/sys/../etc/x", "1"}},
                                   .sysctl = {{"../../etc/x", "1"}, {"a.//.//.//.etc.x", "1"}}});

  EXPECT_EQ(results.size(), 4u);
  for (const TuningResult& result : results) EXPECT_FALSE(was_effective(result)) << result.file;
  EXPECT_EQ(value("etc/x"), "kept");
}

TEST_F(TuningTest, ChangesNothingWithoutAnUndoList) {
  systemd_.has("irqbalance.service", "active");
  const auto before = testing::content_of_tree(host_.root().path(""));
  UndoList list = open_list();
  std::filesystem::remove_all(dir_.root().path("state"));
  const HostRoot root = host_.root();

  const auto tuning = Tuning::apply(root, everything(), list);

  EXPECT_THAT(tuning, testing::FailsWith(Errc::kIo, "undo.jsonl"));
  EXPECT_EQ(testing::content_of_tree(host_.root().path("")), before);
  EXPECT_EQ(systemd_.states["irqbalance.service"], "active");
}

TEST_F(TuningTest, NoticesWhatSomebodyElseSetsMeanwhile) {
  UndoList list = open_list();
  const HostRoot root = host_.root();
  Tuning tuning = std::move(Tuning::apply(root, {.governor = "performance"}, list)).value();
  host_.file(std::string(kPolicy0) + "scaling_governor", "powersave\n");

  tuning.look_at_end();

  EXPECT_EQ(tuning.results().at(0).at_end, "powersave");
  EXPECT_FALSE(was_effective(tuning.results().at(0)));
  ASSERT_THAT(tuning.restore(), IsOk());
  EXPECT_TRUE(was_restored(tuning.results().at(0)));
}

TEST_F(TuningTest, TellsWhatCouldNotBePutBack) {
  UndoList list = open_list();
  const HostRoot root = host_.root();
  Tuning tuning = std::move(Tuning::apply(root, {.sched_rt_runtime_us = -1}, list)).value();
  link("proc/sys/kernel/sched_rt_runtime_us", "/proc/version");

  ASSERT_THAT(tuning.restore(), IsOk());

  EXPECT_FALSE(was_restored(tuning.results().at(0)));
  EXPECT_TRUE(UndoList::left_in(dir_.root().path("state")));
}

TEST_F(TuningTest, ServiceThatDoesNotRunIsLeftAlone) {
  systemd_.has("irqbalance.service", "failed");

  const auto results = results_of({.stop_services = {"irqbalance.service", "nonsense.service"}});

  EXPECT_TRUE(was_effective(results.at(0)));
  EXPECT_EQ(results.at(1).error, "this machine has no service nonsense.service");
  for (const std::string& command : systemd_.ran) EXPECT_THAT(command, HasSubstr("show "));
}

TEST_F(TuningTest, ServicesNeedSystemd) {
  std::filesystem::remove_all(host_.root().path("run"));

  const auto results = results_of({.stop_services = {"irqbalance.service"}});

  EXPECT_THAT(results.at(0).error, HasSubstr("systemd does not run here"));
  EXPECT_FALSE(was_effective(results.at(0)));
}

TEST_F(TuningTest, HoldsTheDmaLatencyOpenAsA32BitNumber) {
  host_.file("dev/cpu_dma_latency", std::string("\x00\x94\x35\x77", 4));  // 2,000,000,000

  const auto results = results_of({.cpu_dma_latency_us = 0});

  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].before, "2000000000");
  EXPECT_EQ(results[0].effective, "0");
}

TEST(TuningSpecJson, IsReadBackAsWritten) {
  TuningSpec spec = everything();
  spec.devfreq_khz = {{"dmc", 5}};
  spec.cpu_dma_latency_us = 0;

  EXPECT_EQ(nlohmann::json(spec).get<TuningSpec>(), spec);
  EXPECT_EQ(nlohmann::json(TuningSpec()).dump(), "{}");
}

// sysctl(8): "net.ipv4.conf.enp3s0/200.forwarding" is VLAN enp3s0.200.
TEST(SysctlFile, SwapsTheSeparatorsOfANameWithDots) {
  EXPECT_EQ(sysctl_file("kernel.sched_rt_runtime_us"), "proc/sys/kernel/sched_rt_runtime_us");
  EXPECT_EQ(sysctl_file("net.ipv4.conf.enp3s0/200.forwarding"),
            "proc/sys/net/ipv4/conf/enp3s0.200/forwarding");
  EXPECT_EQ(sysctl_file("net/ipv4/conf/enp3s0.200/forwarding"),
            "proc/sys/net/ipv4/conf/enp3s0.200/forwarding");
}

TEST(SameSetting, KnowsHowTheKernelSpellsValues) {
  EXPECT_TRUE(same_setting("madvise", "always [madvise] never"));
  EXPECT_TRUE(same_setting("1", "Y"));
  EXPECT_TRUE(same_setting("n", "N"));
  EXPECT_TRUE(same_setting("f", "00000000,0000000f"));
  EXPECT_TRUE(same_setting("4096 131072", "4096\t131072"));
  EXPECT_TRUE(same_setting("NO_A", "NO_A B NO_C"));
  EXPECT_FALSE(same_setting("A", "NO_A B NO_C"));
  EXPECT_FALSE(same_setting("1", "1 2"));
  EXPECT_FALSE(same_setting("never", "always [madvise] never"));
  EXPECT_FALSE(same_setting("00f", "3ff"));
  EXPECT_FALSE(same_setting("1,0", "10"));
  EXPECT_FALSE(same_setting("-1", "1"));
}

}  // namespace
}  // namespace rtsweep
