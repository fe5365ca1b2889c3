// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/measure/measure_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/tuning_result.h"
#include "runner/measure/load_runner.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FailsWith;
using testing::FakeHost;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Key;

// Keeps what was put, in order.
class MemorySink : public TrialSink {
 public:
  Result<void> put(std::string_view name, std::string_view content) override {
    order.emplace_back(name);
    files[std::string(name)] = content;
    return {};
  }
  nlohmann::json json(const std::string& name) { return nlohmann::json::parse(files.at(name)); }

  std::vector<std::string> order;
  std::map<std::string, std::string> files;
};

// A program that stands in for cyclictest: a script in a temporary directory.
class MeasureTrialTest : public ::testing::Test {
 protected:
  std::string script(const std::string& body) {
    const auto path = dir_.root().path("probe");
    std::ofstream(path) << "#!/bin/sh\nfor a; do case $a in --json=*) json=${a#--json=};; esac; "
                           "done\n"
                        << body << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }

  Result<void> measure(const TrialSpec& spec) {
    return measure_trial(HostRoot(), spec, loads_, dir_.root().path("scratch"), sink_);
  }

  FakeHost dir_;
  LoadRegistry loads_;
  MemorySink sink_;
};

Result<std::vector<std::string>> run_sleep(const LoadContext& /*context*/) {
  return std::vector<std::string>{"sleep", "1000"};
}
Result<std::vector<std::string>> run_true(const LoadContext& /*context*/) {
  return std::vector<std::string>{"sh", "-c", "echo no disk >&2; exit 3"};
}
Result<uint64_t> one_unit_each_time(const RunningLoad& /*load*/) {
  static uint64_t work = 0;
  return ++work;
}

TEST_F(MeasureTrialTest, PutsTheNumbersFirstAndTheEndLast) {
  TrialSpec spec;
  spec.probe.program = script("echo '{\"a\": 1}' > $json; echo text");

  ASSERT_THAT(measure(spec), IsOk());

  EXPECT_THAT(sink_.order, ElementsAre("facts-before.json", "measuring.json", "cyclictest.json",
                                       "cyclictest.txt", "probe.json", "counters.json",
                                       "loads.json", "facts-after.json", "complete.json"));
  EXPECT_EQ(sink_.files["cyclictest.json"], "{\"a\": 1}\n");
  EXPECT_EQ(sink_.json("probe.json")["exit_code"], 0);
}

// The probe copies what the machine is tuned to.
TEST_F(MeasureTrialTest, IsTunedFromTheFirstFactsToTheLastAndNoLonger) {
  FakeHost host;
  host.file("proc/sys/kernel/sched_rt_runtime_us", "950000");
  TrialSpec spec{.tuning = {.sched_rt_runtime_us = -1}};
  spec.probe.program = script(
      "cat " + host.root().path("proc/sys/kernel/sched_rt_runtime_us").string() + " > $json");

  ASSERT_THAT(measure_trial(host.root(), spec, loads_, dir_.root().path("scratch"), sink_), IsOk());

  EXPECT_EQ(sink_.files["cyclictest.json"], "-1");
  EXPECT_EQ(sink_.json("facts-before.json")["sched_rt_runtime_us"], -1);
  EXPECT_EQ(sink_.json("facts-after.json")["sched_rt_runtime_us"], -1);
  EXPECT_EQ(host.root().read("proc/sys/kernel/sched_rt_runtime_us").value(), "950000");
  const auto result = sink_.json("tuning.json").at(0).get<TuningResult>();
  EXPECT_EQ(result.before, "950000");
  EXPECT_EQ(result.restored, "950000");
  EXPECT_EQ(*(sink_.order.end() - 2), "tuning.json");
  EXPECT_EQ(sink_.order.back(), "complete.json");
}

TEST_F(MeasureTrialTest, UndoesItsTuningWhenATrialFails) {
  FakeHost host;
  host.file("proc/sys/kernel/sched_rt_runtime_us", "950000");
  loads_.add({.name = "broken", .unit = "", .arguments = run_true});
  const TrialSpec spec{.loads = {{.name = "broken"}}, .tuning = {.sched_rt_runtime_us = -1}};

  EXPECT_THAT(measure_trial(host.root(), spec, loads_, dir_.root().path("scratch"), sink_),
              FailsWith(Errc::kChildFailed, "no disk"));

  EXPECT_EQ(host.root().read("proc/sys/kernel/sched_rt_runtime_us").value(), "950000");
  EXPECT_EQ(sink_.json("tuning.json").at(0)["effective"], "-1");
}

TEST_F(MeasureTrialTest, TellsHowAProbeDiedAndKeepsWhatItWrote) {
  TrialSpec spec;
  spec.probe.program = script("echo half > $json; kill -9 $$");

  ASSERT_THAT(measure(spec), IsOk());

  EXPECT_EQ(sink_.json("probe.json")["signal"], 9);
  EXPECT_EQ(sink_.files["cyclictest.json"], "half\n");
}

TEST_F(MeasureTrialTest, CountsALoadsWorkDuringTheMeasurementOnly) {
  loads_.add(
      {.name = "steps", .unit = "steps", .arguments = run_sleep, .work = one_unit_each_time});
  TrialSpec spec{.probe = {}, .loads = {{.name = "steps"}}};
  spec.probe.program = script("true");

  ASSERT_THAT(measure(spec), IsOk());

  const auto load = sink_.json("loads.json").at(0).get<LoadResult>();
  EXPECT_TRUE(load.alive);
  EXPECT_EQ(load.work, 1);  // read once before and once after
  EXPECT_EQ(load.unit, "steps");
}

TEST_F(MeasureTrialTest, SaysWhatALoadSaidThatDidNotStart) {
  loads_.add({.name = "broken", .unit = "", .arguments = run_true});
  TrialSpec spec{.probe = {}, .loads = {{.name = "broken"}}};
  spec.probe.program = script("true");

  EXPECT_THAT(measure(spec), FailsWith(Errc::kChildFailed, "no disk"));

  EXPECT_THAT(sink_.files, Contains(Key("facts-before.json")));
  EXPECT_EQ(sink_.order.back(), "error.json");
  EXPECT_THAT(sink_.files["error.json"], HasSubstr("exit code 3"));
}

TEST_F(MeasureTrialTest, NoticesALoadThatDiesDuringTheMeasurement) {
  loads_.add({.name = "short",
              .unit = "",
              .arguments = [](const LoadContext& /*context*/) -> Result<std::vector<std::string>> {
                return std::vector<std::string>{"sleep", "1"};
              }});
  TrialSpec spec{.probe = {}, .loads = {{.name = "short"}}};
  spec.probe.program = script("sleep 1.2");

  ASSERT_THAT(measure(spec), IsOk());

  const auto load = sink_.json("loads.json").at(0).get<LoadResult>();
  EXPECT_FALSE(load.alive);
  EXPECT_EQ(load.ended, "exit code 0");
}

}  // namespace
}  // namespace rtsweep
