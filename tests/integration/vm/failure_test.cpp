// SPDX-License-Identifier: GPL-2.0-or-later

// Kernels that do not come up, and VMs that go away: each is an ERROR with the right
// reason and its console, and the run goes on.

#include <csignal>
#include <fstream>
#include <thread>

#include "runner/base/text.h"
#include "tests/integration/vm/vm_run.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::VmRun;

// An arm64 kernel image (Documentation/arch/arm64/booting.rst) whose only instruction
// is a jump to itself.
std::string kernel_that_hangs() {
  std::string image(4096, '\0');
  image.replace(0, 4, "\x00\x00\x00\x14", 4);  // b .
  image.replace(16, 2, "\x00\x10", 2);         // image size: 4096
  image.replace(56, 4, "ARM\x64", 4);
  image.replace(256, 30, "Linux version 9.9.9-hangs (x@y");
  return image;
}

TEST_F(VmRun, EndsEveryKindOfBadKernelWithItsReason) {
  std::ofstream(path("hangs.img")) << kernel_that_hangs();
  const int code = run(R"(
name = "bad"
target = "vm"
clock = "virtual"
[measure]
duration = "1s"
expect_rt = false
[factors]
kernel = ["6.1-rt", "hangs"]
arch = ["arm64"]
cmdline = ["", "rdinit=/no/such/init", "initcall_blacklist=sock_init", "mem=32M"]
load = ["idle"]
[kernels.hangs]
arch = "arm64"
image = "hangs.img"
[[exclude]]
kernel = "hangs"
cmdline = "rdinit=/no/such/init"
[[exclude]]
kernel = "hangs"
cmdline = "mem=32M"
[[exclude]]
kernel = "hangs"
cmdline = "initcall_blacklist=sock_init"
[vm]
boot_timeout = "25s"
)",
                       "bad");

  EXPECT_EQ(code, 1) << log();
  const auto result = report("bad");
  const auto good = trial(result, {{"kernel", "6.1-rt"}, {"cmdline", ""}});
  EXPECT_EQ(good.at("verdict"), "PASS") << good.at("reasons");
  const auto hangs = trial(result, {{"kernel", "hangs"}});
  EXPECT_THAT(codes(hangs), Contains("boot_timeout"));
  const auto no_init = trial(result, {{"cmdline", "rdinit=/no/such/init"}});
  EXPECT_THAT(codes(no_init), Contains("init_missing"));
  // Without its socket layer the kernel faults in the network's first initcall.
  const auto panics = trial(result, {{"cmdline", "initcall_blacklist=sock_init"}});
  EXPECT_THAT(codes(panics), Contains(AnyOf("kernel_panic", "kernel_oops")));
  const auto too_small = trial(result, {{"kernel", "6.1-rt"}, {"cmdline", "mem=32M"}});
  EXPECT_THAT(codes(too_small), Contains("kernel_panic"));
  for (const auto& bad : {hangs, no_init, panics, too_small}) {
    EXPECT_EQ(bad.at("verdict"), "ERROR");
    EXPECT_EQ(bad.at("max_us"), nullptr);
  }
  const auto console = path("bad") / panics.at("directory").get<std::string>() / "console.log";
  EXPECT_THAT(read_file(console).value(), HasSubstr("Kernel panic"));
}

// The QEMU of the trial that began last, by the console that it writes to.
pid_t find_vm(const std::filesystem::path& run) {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    const auto cmdline = read_file(process.path() / "cmdline");
    if (!cmdline || !cmdline->starts_with("/usr/bin/qemu-system-")) continue;
    if (cmdline->find(run.string()) != std::string::npos) {
      return std::stoi(process.path().filename());
    }
  }
  return 0;
}

TEST_F(VmRun, GoesOnAfterAVmThatWasKilled) {
  dir_.file("killed.toml", R"(
name = "killed"
target = "vm"
clock = "virtual"
[measure]
duration = "30s"
[factors]
kernel = ["6.1-rt"]
arch = ["arm64"]
load = ["idle", "hackbench"]
[[exclude]]
load = "hackbench"
[vm]
jobs = 1
)");
  dir_.file("killed.toml", "repetitions = 2\n" + read_file(path("killed.toml")).value());
  ChildProcess runner = start({"run", path("killed.toml"), "--out", path("killed")});
  pid_t vm = 0;
  while (vm == 0 && !runner.wait(50ms).value()) vm = find_vm(path("killed"));
  ASSERT_NE(vm, 0) << log();
  std::ignore = runner.wait(3s);  // in the middle of the boot or of the measurement
  ::kill(vm, SIGKILL);

  EXPECT_EQ(runner.wait().value()->code, 1) << log();
  const auto trials = report("killed").at("trials");
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials.at(0).at("verdict"), "ERROR");
  EXPECT_THAT(codes(trials.at(0)), Contains("vm_died"));
  EXPECT_TRUE(std::filesystem::exists(
      path("killed") / trials.at(0).at("directory").get<std::string>() / "console.log"));
  EXPECT_EQ(trials.at(1).at("verdict"), "PASS") << trials.at(1).at("reasons");
}

// A killed runner takes its VMs with it; what had come to its end counts, what had not is
// marked and not begun again.
TEST_F(VmRun, GoesOnAfterItsRunnerWasKilled) {
  dir_.file("plan.toml", R"(
name = "resumed"
target = "vm"
clock = "virtual"
repetitions = 3
[measure]
duration = "5s"
[factors]
kernel = ["6.1-rt"]
arch = ["arm64"]
load = ["idle"]
[vm]
jobs = 1
)");
  ChildProcess runner = start({"run", path("plan.toml"), "--out", path("run")});
  const auto journal = path("run") / "journal.jsonl";
  const auto begun_twice = [&] {
    const auto text = read_file(journal);
    return text && text->find("\"trial\":2") != std::string::npos;
  };
  while (!begun_twice() && !runner.wait(20ms).value()) {
  }
  std::ignore = runner.wait(1s);
  ASSERT_TRUE(runner.stop(SIGKILL, 0ms));
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(find_vm(path("run")), 0) << "the VM outlived its runner";

  ChildProcess resumed = start({"resume", path("run")});
  EXPECT_EQ(resumed.wait().value()->code, 1) << log();
  const auto trials = report("run").at("trials");
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials.at(0).at("verdict"), "PASS");
  EXPECT_EQ(trials.at(1).at("verdict"), "ERROR");
  EXPECT_THAT(codes(trials.at(1)), Contains("interrupted"));
  EXPECT_EQ(trials.at(2).at("verdict"), "PASS");
}

}  // namespace
}  // namespace rtsweep
