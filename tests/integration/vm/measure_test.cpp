// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/base/command.h"
#include "runner/base/text.h"
#include "tests/integration/vm/vm_run.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using testing::VmRun;

// Exactly the bytes that cyclictest wrote in each trial, by the trial's directory.
std::map<std::string, std::string> raw_results(const std::filesystem::path& run) {
  std::map<std::string, std::string> results;
  for (const auto& trial : std::filesystem::directory_iterator(run / "trials")) {
    results[trial.path().filename()] = read_file(trial.path() / "cyclictest.json").value();
  }
  return results;
}

TEST_F(VmRun, RepeatsExactlyOnAllArchitectures) {
  const std::string plan = R"(
name = "repeat"
target = "vm"
clock = "virtual"
[measure]
duration = "2s"
[factors]
kernel = ["6.1-rt"]
arch = ["arm64", "armhf", "amd64", "i386"]
load = ["idle", "hackbench"]
)";
  ASSERT_EQ(run(plan, "one"), 0) << log();
  ASSERT_EQ(run(plan, "two"), 0) << log();

  const auto first = raw_results(path("one"));
  EXPECT_EQ(first.size(), 8u);
  EXPECT_EQ(first, raw_results(path("two")));
  for (const auto& trial : report("one").at("trials")) {
    EXPECT_EQ(trial.at("clock"), "virtual");
    EXPECT_EQ(trial.at("facts").at("numa_nodes"), 1);
  }
}

TEST_F(VmRun, AgreesWithTheRawOutputInEveryFormat) {
  ASSERT_EQ(run(R"(
name = "numbers"
target = "vm"
clock = "virtual"
repetitions = 2
[measure]
duration = "2s"
[factors]
kernel = ["6.1-rt", "6.12-rt"]
arch = ["arm64"]
load = ["idle", "hackbench"]
)",
                "numbers"),
            0)
      << log();

  const auto checked = SystemCommands().run(
      {"python3", RTSWEEP_SOURCE_DIR "/tests/integration/check_numbers.py", path("numbers")});
  EXPECT_TRUE(checked) << checked.error().message();
}

// The question of a mail to linux-rt-users: what does PREEMPT_RT buy under a kernel build?
TEST_F(VmRun, ShowsThatAKernelWithoutRtIsTenTimesWorse) {
  ASSERT_EQ(run(R"(
name = "contrast"
target = "vm"
clock = "virtual"
[measure]
duration = "5s"
expect_rt = false
[factors]
kernel = ["6.1-rt", "6.1"]
arch = ["arm64"]
load = ["kernel-build"]
)",
                "contrast"),
            0)
      << log();

  const auto result = report("contrast");
  const auto rt = trial(result, {{"kernel", "6.1-rt"}});
  const auto standard = trial(result, {{"kernel", "6.1"}});
  EXPECT_GE(standard.at("max_us").get<int>(), 10 * rt.at("max_us").get<int>());
  EXPECT_EQ(rt.at("loads").at(0).at("unit"), "objects");
  EXPECT_GT(rt.at("loads").at(0).at("work").get<double>(), 0);
}

TEST_F(VmRun, LetsTwoRunsAgreeWhereOneMayBeOff) {
  ASSERT_EQ(run(R"(
name = "majority"
target = "vm"
clock = "virtual"
[measure]
duration = "2s"
[factors]
kernel = ["6.12-rt"]
arch = ["armhf"]
load = ["idle"]
)",
                "majority"),
            0)
      << log();

  const auto directory =
      path("majority") / report("majority").at("trials").at(0).at("directory").get<std::string>();
  EXPECT_EQ(read_file(directory / "attempt-1/results.bin").value(),
            read_file(directory / "attempt-2/results.bin").value());
}

TEST_F(VmRun, WritesToAnEmulatedSdCardThroughTheRealMmcDriver) {
  ASSERT_EQ(run(R"(
name = "sd"
target = "vm"
clock = "virtual"
[measure]
duration = "2s"
[factors]
kernel = ["6.1-rt"]
arch = ["arm64", "i386"]
load = ["sd-write", "cpu+memory"]
)",
                "sd"),
            0)
      << log();

  for (const auto& trial : report("sd").at("trials")) {
    for (const auto& load : trial.at("loads")) {
      EXPECT_TRUE(load.at("alive")) << load;
      EXPECT_GE(load.at("work").get<double>(), load.at("floor").get<double>()) << load;
    }
  }
}

TEST_F(VmRun, PlacesMemoryOnEmulatedNodes) {
  ASSERT_EQ(run(R"(
name = "numa"
target = "vm"
clock = "virtual"
[measure]
duration = "2s"
[factors]
kernel = ["6.12-rt"]
arch = ["amd64"]
cmdline = ["numa=fake=4"]
load = ["hackbench"]
probe_memory = ["bind:1"]
load_memory = ["interleave:all"]
[vm]
memory_mib = 1024
)",
                "numa"),
            0)
      << log();

  const auto trial = report("numa").at("trials").at(0);
  EXPECT_EQ(trial.at("facts").at("numa_nodes"), 4);
  const auto maps =
      read_file(path("numa") / trial.at("directory").get<std::string>() / "numa_maps.txt");
  EXPECT_THAT(maps.value(), ::testing::HasSubstr("bind:1"));
}

TEST_F(VmRun, MeasuresA32BitUserlandOnA64BitKernel) {
  ASSERT_EQ(run(R"(
name = "userland"
target = "vm"
clock = "virtual"
[measure]
duration = "2s"
[factors]
kernel = ["6.1-rt"]
arch = ["arm64", "amd64"]
userland = ["32-bit"]
load = ["idle"]
)",
                "userland"),
            0)
      << log();

  for (const auto& trial : report("userland").at("trials")) {
    EXPECT_EQ(trial.at("facts").at("userland"), "32-bit");
  }
}

TEST_F(VmRun, MeasuresThisMachineAsItIs) {
  const int code = run(R"(
name = "here"
target = "local"
[measure]
duration = "2s"
expect_rt = false
[factors]
load = ["idle", "cpu"]
)",
                       "here");

  // What a shared machine is worth is not this test's business; that it was measured is.
  EXPECT_THAT((std::vector{0, 3}), Contains(code)) << log();
  for (const auto& trial : report("here").at("trials")) {
    EXPECT_EQ(trial.at("clock"), "real");
    EXPECT_GT(trial.at("samples").get<int>(), 0) << trial;
  }
}

}  // namespace
}  // namespace rtsweep
