// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep check as its user meets it: exit codes, JSON, messages, layout.

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/cli/check_text.h"
#include "runner/cli/program.h"
#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using testing::FakeHost;
using ::testing::HasSubstr;
using ::testing::Not;

struct Output {
  int code = 0;
  std::string out;
  std::string err;
};

Output check(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"rtsweep", "check"});
  std::vector<char*> argv;
  for (std::string& one : arguments) argv.push_back(one.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Output output;
  output.code = run_program(static_cast<int>(argv.size()), argv.data(), nullptr);
  std::cout.flush();
  output.out = ::testing::internal::GetCapturedStdout();
  output.err = ::testing::internal::GetCapturedStderr();
  return output;
}

std::string path_in(const FakeHost& host, std::string_view file) {
  return host.root().path(file).string();
}

std::vector<std::string> codes_in(const nlohmann::json& list) {
  std::vector<std::string> codes;
  for (const auto& one : list) codes.push_back(one.at("code"));
  return codes;
}

TEST(CheckCommand, ReturnsThreeForAKernelThatIsNotRealTime) {
  FakeHost host;
  host.file("config", "# CONFIG_PREEMPT_RT is not set\nCONFIG_SMP=y\n");

  const Output output =
      check({"--kernel-config", path_in(host, "config"), "--config-kind", "full", "--json"});

  EXPECT_EQ(output.code, 3);
  const auto json = nlohmann::json::parse(output.out);
  ASSERT_THAT(codes_in(json.at("findings")), Contains("not_rt"));
  const auto& finding = json.at("findings")[0];
  EXPECT_EQ(finding.at("severity"), "invalid");
  EXPECT_EQ(finding.at("where")[0].at("file"), path_in(host, "config"));
  EXPECT_EQ(finding.at("where")[0].at("line"), 1);
  EXPECT_EQ(finding.at("where")[0].at("text"), "# CONFIG_PREEMPT_RT is not set");
  for (const char* key : {"text", "why", "fix", "source"}) EXPECT_NE(finding.at(key), "") << key;
  EXPECT_EQ(json.at("system").at("flavour"), "plain");
  EXPECT_GT(json.at("summary").at("unknown"), 50);
}

TEST(CheckCommand, ReturnsNoughtForWarnings) {
  FakeHost host;
  host.file("fragment", "CONFIG_PREEMPT_RT=y\nCONFIG_LATENCYTOP=y\n");

  const Output output = check({"--kernel-config", path_in(host, "fragment")});

  EXPECT_EQ(output.code, 0);
  EXPECT_THAT(output.out, HasSubstr("fragment:2: CONFIG_LATENCYTOP=y"));
  EXPECT_THAT(output.out, HasSubstr("0 invalid, 1 warning, 0 notes;"));
}

TEST(CheckCommand, NamesTheFileThatIsNotWhatItShouldBe) {
  FakeHost host;
  host.file("boot.txt", "[    0.000000] Linux version 6.12.9\n").file("empty", "");

  for (const auto& [option, file, message] :
       {std::tuple("--kernel-config", "boot.txt", "line 1: not a kernel configuration"),
        std::tuple("--dmesg", "missing", "No such file"), std::tuple("--dmesg", "empty", "empty"),
        std::tuple("--report", "boot.txt", "not recognised")}) {
    const Output output = check({option, path_in(host, file)});
    EXPECT_EQ(output.code, 1) << option;
    EXPECT_THAT(output.err, HasSubstr(path_in(host, file))) << option;
    EXPECT_THAT(output.err, HasSubstr(message)) << option;
  }
}

TEST(CheckCommand, ReadsACapturedMachine) {
  FakeHost host;
  host.file("proc/sys/kernel/osrelease", "6.12.9-rt\n")
      .file("proc/sys/kernel/version", "#1 SMP PREEMPT_RT\n")
      .file("proc/sys/kernel/arch", "aarch64\n")
      .file("proc/cmdline", "isolcpus=2-3\n")
      .file("boot/config-6.12.9-rt", "CONFIG_PREEMPT_RT=y\nCONFIG_KASAN=y\n")
      .file("dmesg.txt",
            "[    0.000000] Linux version 6.12.9-rt\n[ 9.0] sched: RT throttling activated\n")
      .file("sys/devices/system/cpu/online", "0-3\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "ondemand\n");

  const Output output = check({"--host", path_in(host, ""), "--json"});

  EXPECT_EQ(output.code, 3);
  const auto json = nlohmann::json::parse(output.out);
  EXPECT_THAT(codes_in(json.at("findings")),
              ::testing::IsSupersetOf(
                  {"kasan", "isolcpus_domain_only", "rt_throttled", "governor_not_performance"}));
  EXPECT_THAT(codes_in(json.at("findings")), Not(Contains("not_rt")));
  EXPECT_EQ(json.at("system").at("arch"), "arm64");
}

TEST(CheckCommand, WorksOnThisMachine) {
  const Output output = check({"--json"});

  EXPECT_TRUE(output.code == 0 || output.code == 3) << output.err;
  EXPECT_FALSE(nlohmann::json::parse(output.out).at("system").at("kernel_version").empty());
}

TEST(CheckCommand, KeepsForeignControlCharactersFromTheTerminal) {
  FakeHost host;
  host.file("boot.txt",
            "[    0.000000] Linux version 6.12.9\n"
            "[    1.000000] cma: Failed to reserve \x1b[2J\x07 512 MiB\n");

  const Output output = check({"--dmesg", path_in(host, "boot.txt")});

  EXPECT_EQ(output.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(output.out.find('\x07'), std::string::npos);
}

TEST(CheckText, KeepsToTheWidth) {
  FakeHost host;
  host.file("config", "CONFIG_PREEMPT_RT=y\nCONFIG_PROVE_LOCKING=y\nCONFIG_LATENCYTOP=y\n");
  ::setenv("COLUMNS", "60", 1);

  const Output output = check({"--kernel-config", path_in(host, "config")});
  ::unsetenv("COLUMNS");

  for (const std::string& line : split(output.out, '\n')) {
    const bool one_word = words(line).size() <= 2;  // an address, with its label
    EXPECT_TRUE(line.size() <= 60 || one_word) << line;
  }
  EXPECT_THAT(output.out, HasSubstr("# CONFIG_LOCK_STAT is not set"));
}

}  // namespace
}  // namespace rtsweep
