// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/bundle.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/trace/trace_text.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/run/evaluate.h"
#include "runner/run/journal.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using testing::FailsWith;
using testing::FakeHost;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::IsSupersetOf;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kPlan = R"(name = "night-run-of-wilma"
target = "vm"
[measure]
duration = "5s"
limit_us = 100
breakpoint_us = 100
[factors]
kernel = ["wilma-rt"]
arch = ["amd64"]
load = ["idle"]
[kernels.wilma-rt]
image = "/home/wilma/customer-x/bzImage"
arch = "amd64"
)";

// Late because of a thread of higher priority that a user named after herself.
constexpr const char* kTrace = R"(# tracer: nop
          <idle>-0       [000] d..2.   199.999900: cpu_idle: state=1 cpu_id=0
          <idle>-0       [000] d..2.   200.000002: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=wilma-job next_pid=55 next_prio=5
       wilma-job-55      [000] d.h3.   200.000100: local_timer_entry: vector=236
       wilma-job-55      [000] d.h3.   200.000101: hrtimer_expire_entry: hrtimer=00000000deadbeef function=hrtimer_wakeup now=200000100000
       wilma-job-55      [000] d.h4.   200.000103: sched_waking: comm=cyclictest pid=77 prio=9 target_cpu=000
       wilma-job-55      [000] d.h3.   200.000105: local_timer_exit: vector=236
       wilma-job-55      [000] d..2.   200.000308: sched_switch: prev_comm=wilma-job prev_pid=55 prev_prio=5 prev_state=S ==> next_comm=cyclictest next_pid=77 next_prio=9
      cyclictest-77      [000] .....   200.000320: tracing_mark_write: hit latency threshold (220 > 100)
      cyclictest-77      [000] d..2.   200.000330: sched_switch: prev_comm=cyclictest prev_pid=77 prev_prio=9 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
)";

constexpr const char* kFacts = R"({"kernel_release":"6.12.8-rt1","machine":"x86_64",
  "kernel_version":"#1 SMP PREEMPT_RT","preempt_rt":true,"online_cpus":[0],
  "boot_id":"2b6f0cc9-04fe-4f8d-9f6e-6f0f3d7c1a11",
  "cmdline":"root=PARTUUID=6c586e13-02 smsc95xx.macaddr=B8:27:EB:12:34:56 ip=10.11.12.13::10.11.12.1:255.255.255.0:lab-seven:eth0"})";

constexpr const char* kDmesg =
    "[    1.000000] usb 1-1: SerialNumber: 4C530001230415\n"
    "[  199.500000] wlan0: associate with SSID 'Kitchen Net' (b8:27:eb:12:34:56)\n"
    "[  199.600000] addr fe80::ba27:ebff:fe12:3456 on enxb827eb123456\n"
    "[  205.500000] much later\n";

const std::vector<std::string> kSecrets = {
    "wilma",      "Flintstone", "lab-seven",      "customer-x",    "4C530001230415", "Kitchen",
    "B8:27:EB",   "b8:27:eb",   "b827eb12",       "6c586e13",      "2b6f0cc9",       "10.11.12",
    "fe80::ba27", "bzImage",    "secret-project", "measuring-comp"};

// A run of one trial, as the runner would have left it, on a machine with a name.
class BundleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    host_.file("proc/sys/kernel/hostname", "measuring-computer-7\n")
        .file("proc/sys/kernel/osrelease", "6.12.8-rt1\n")
        .file("boot/config-6.12.8-rt1",
              "CONFIG_PREEMPT_RT=y\nCONFIG_DEFAULT_HOSTNAME=\"lab-seven\"\n")
        .file("etc/passwd",
              "root:x:0:0:root:/root:/bin/sh\n"
              "wilma:x:1000:1000:Wilma Flintstone,,,:/home/wilma:/bin/bash\n");
    const auto plan = parse_plan(kPlan, "plan.toml");
    ASSERT_THAT(plan, IsOk());
    ASSERT_THAT(RunDirectory::create(dir(), *plan, {"0.1.0", "a CPU", "2026-01-01T00:00:00Z", {}}),
                IsOk());
    auto journal = Journal::open(dir() / "journal.jsonl");
    ASSERT_THAT(journal, IsOk());
    ASSERT_THAT(journal->append({.kind = JournalEntry::Kind::kTrialBegan, .trial = 1}), IsOk());
    write_trial();
  }

  fs::path dir() const { return host_.root().path("run"); }

  void trial_file(const std::string& name, std::string_view content) {
    const auto run = RunDirectory::open(dir());
    ASSERT_THAT(run, IsOk());
    const fs::path directory = run->trial_directory(run->trials().front());
    ASSERT_THAT(make_directories(directory), IsOk());
    ASSERT_THAT(write_file_durably(directory / name, content), IsOk());
  }

  void write_trial() {
    trial_file("facts-before.json", kFacts);
    trial_file("facts-after.json", kFacts);
    trial_file("cyclictest.json",
               R"({"file_version":1,"cmdline:":"cyclictest","rt_test_version:":"2.40",
                "sysinfo":{"nodename":"lab-seven","release":"6.12.8-rt1","machine":"x86_64",
                "realtime":1},"num_threads":1,"resolution_in_ns":0,"thread":{"0":{"histogram":
                {"5":4000,"7":900,"20":99,"220":1},"cycles":5000,"min":5,"max":220,"avg":5.7,
                "cpu":0,"node":0}}})");
    trial_file("probe.json", R"({"argv":["cyclictest","-t1","-p90","--json=/home/wilma/ct.json"],
                              "exit_code":0,"signal":0,"timed_out":false,"wall_s":5.0})");
    trial_file("capture.json",
               R"({"method":"snapshot","breakpoint_us":100,"hits":[{"thread":0,"cpu":0,
                "latency_us":220,"at_us":200000320}],"outliers":[{"file":"outlier-1.dat",
                "latency_us":220,"cpu":0,"pid":77,"at_us":200000320}]})");
    trial_file("outlier-1.dat", kTrace);
    trial_file("dmesg.txt", kDmesg);
    trial_file("load-0.log", "in /home/wilma/secret-project/build.c: 10.11.12.13\n");
    trial_file("loads.json", "[]");
    trial_file("complete.json", "{}\n");
    trial_file("end.json", R"({"kind":"complete","message":"","wall_s":6.0})");
  }

  Result<Bundle> make(const BundleRequest& request = {}) {
    const auto run = RunDirectory::open(dir());
    if (!run) return run.error();
    const HostRoot host = host_.root();
    const auto read_traces = [](const fs::path& file) -> Result<std::vector<Trace>> {
      RTSWEEP_TRY(const std::string text, read_file(file));
      return parse_trace(text, file.filename().string());
    };
    return make_bundle(*run, request,
                       {.commands = commands_, .host = host, .read_traces = read_traces});
  }

  static std::map<std::string, std::string> files_of(const Bundle& bundle) {
    const auto files = unpack_bundle(bundle.archive, "bundle");
    EXPECT_THAT(files, IsOk());
    std::map<std::string, std::string> content;
    if (files) {
      for (const BundleFile& file : *files) content[file.name] = file.content;
    }
    return content;
  }

  // rsvg-convert is not there.
  class NoCommands : public CommandRunner {
   public:
    Result<std::string> run(const std::vector<std::string>& argv) override {
      return Error(Errc::kNotSupported, argv[0] + ": not found");
    }
  };

  FakeHost host_;
  NoCommands commands_;
};

TEST_F(BundleTest, HoldsNoneOfThePlantedSecretsInAnyByte) {
  const auto bundle = make();

  ASSERT_THAT(bundle, IsOk());
  for (const auto& [name, content] : files_of(*bundle)) {
    for (const std::string& secret : kSecrets) {
      EXPECT_EQ(content.find(secret), std::string::npos) << secret << " in " << name;
      EXPECT_EQ(name.find(secret), std::string::npos) << secret << " in the name " << name;
    }
  }
  EXPECT_THAT(bundle->removed, SizeIs(9)) << "every kind of secret was planted";
}

TEST_F(BundleTest, KeepsThemWhenAsked) {
  const auto bundle = make({.redact = false});

  ASSERT_THAT(bundle, IsOk());
  const auto files = files_of(*bundle);
  EXPECT_THAT(files.at("rtsweep-bundle/trace-excerpt.txt"), HasSubstr("wilma-job"));
  EXPECT_THAT(bundle->mail, HasSubstr("Nothing was redacted."));
}

TEST_F(BundleTest, SaysTheSameOfASecretEverywhere) {
  const auto bundle = make();

  ASSERT_THAT(bundle, IsOk());
  const auto files = files_of(*bundle);
  const std::string& config = files.at("rtsweep-bundle/kernel.config");
  const size_t at = config.find("\"host");
  ASSERT_NE(at, std::string::npos) << config;
  const std::string host = config.substr(at + 1, config.find('"', at + 1) - at - 1);
  EXPECT_THAT(files.at("rtsweep-bundle/cmdline.txt"), HasSubstr(":" + host + ":"));
}

TEST_F(BundleTest, HoldsWhatAMaintainerAsksFor) {
  const auto bundle = make();

  ASSERT_THAT(bundle, IsOk());
  std::vector<std::string> names;
  for (const auto& [name, content] : files_of(*bundle)) names.push_back(name.substr(15));
  EXPECT_THAT(names, IsSupersetOf({"mail.txt", "cause.txt", "trace-excerpt.txt", "kernel.config",
                                   "cmdline.txt", "dmesg-window.txt", "histogram.svg",
                                   "timeline.svg", "report.json", "removed.txt", "contents.json",
                                   "run/plan.toml", "run/run.json"}));
  EXPECT_THAT(names, Contains(HasSubstr("outlier-1.dat")));
  EXPECT_THAT(bundle->left_out, Contains(HasSubstr("librsvg2-bin")));
}

TEST_F(BundleTest, HasAMailOf72ColumnsThatSaysItAll) {
  const auto bundle = make();

  ASSERT_THAT(bundle, IsOk());
  EXPECT_THAT(split(bundle->mail, '\n'), Each(SizeIs(Le(72))));
  EXPECT_THAT(bundle->mail, StartsWith("To: linux-rt-users@vger.kernel.org\n"));
  for (const char* part :
       {"Subject: wakeup latency of 220 us on 6.12.8-rt1", "EXPLAINED: ", "user1-job-55",
        "RT priority 94", "Numbers (us)", "5,000", "How to reproduce", "rtsweep run plan.toml",
        "cyclictest -t1 -p90 --json=cyclictest.json", "#1 SMP PREEMPT_RT", "Trace around it",
        "waking: cyclictest-77 [9]", "#regzbot introduced: "}) {
    EXPECT_THAT(bundle->mail, HasSubstr(part));
  }
}

TEST_F(BundleTest, ShowsOnlyTheKernelMessagesAroundTheOutlier) {
  const auto bundle = make();

  ASSERT_THAT(bundle, IsOk());
  const std::string window = files_of(*bundle).at("rtsweep-bundle/dmesg-window.txt");
  EXPECT_THAT(window, AllOf(HasSubstr("199.500000"), HasSubstr("199.600000"),
                            Not(HasSubstr("SerialNumber")), Not(HasSubstr("much later"))));
}

TEST_F(BundleTest, IsARunDirectoryToo) {
  const auto bundle = make();
  ASSERT_THAT(bundle, IsOk());
  const auto files = unpack_bundle(bundle->archive, "bundle");
  ASSERT_THAT(write_bundle_files(*files, host_.root().path("out")), IsOk());

  const auto run = RunDirectory::open(host_.root().path("out") / kBundleRun);
  ASSERT_THAT(run, IsOk());
  const auto report = load_report(*run);

  ASSERT_THAT(report, IsOk());
  ASSERT_THAT(report->trials, SizeIs(1));
  EXPECT_EQ(report->trials[0].max_us(), 220);
  ASSERT_THAT(report->trials[0].outliers, SizeIs(1));
  EXPECT_EQ(report->trials[0].outliers[0].latency_us, 220);
}

TEST_F(BundleTest, IsTheSameBytesEachTime) {
  const auto once = make();
  const auto again = make();

  ASSERT_THAT(once, IsOk());
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(once->archive, again->archive);
}

TEST_F(BundleTest, DropsTheLeastUsefulForItsLimitAndSaysSo) {
  std::string noise;
  for (uint32_t i = 0, x = 1; i < 40'000; ++i) {
    x = x * 1664525 + 1013904223;
    noise += static_cast<char>('a' + (x >> 24) % 26);
  }
  trial_file("load-0.log", noise);
  const auto whole = make();
  ASSERT_THAT(whole, IsOk());
  ASSERT_GT(whole->archive.size(), 24'000u);

  const auto small = make({.limit = 20'000});

  ASSERT_THAT(small, IsOk());
  EXPECT_LE(small->archive.size(), 20'000u);
  EXPECT_THAT(small->dropped, Contains(HasSubstr("load-0.log (40000 bytes)")));
  EXPECT_THAT(small->mail, HasSubstr("Left out, to stay below the size that was asked for:"));
  EXPECT_THAT(files_of(*small), Contains(::testing::Key(HasSubstr("outlier-1.dat"))));
}

TEST_F(BundleTest, RefusesALimitThatNothingMeets) {
  EXPECT_THAT(make({.limit = 1000}), FailsWith(Errc::kInvalidPlan, "--limit 1000 is too little"));
}

TEST_F(BundleTest, NamesTheTrialOrOutlierThatIsNotThere) {
  EXPECT_THAT(make({.trial = 7}), FailsWith(Errc::kInvalidPlan, "no trial 7"));
  EXPECT_THAT(make({.outlier = 3}), FailsWith(Errc::kInvalidPlan, "has 1 outliers, not 4"));
}

TEST_F(BundleTest, LeavesOutWhatItCannotLookInto) {
  trial_file("blob.bin", std::string("wilma\0\0\1\2", 9));
  trial_file("outlier-2.dat", std::string("\x17\x08\x44tracing7\0\0\x08\0\x10\0\0zstd\0", 24));

  const auto bundle = make();

  ASSERT_THAT(bundle, IsOk());
  EXPECT_THAT(bundle->left_out, Contains(HasSubstr("blob.bin: not text")));
  EXPECT_THAT(bundle->left_out, Contains(HasSubstr("outlier-2.dat: compressed inside")));
}

}  // namespace
}  // namespace rtsweep
