// SPDX-License-Identifier: GPL-2.0-or-later

// Runs of fake trials, killed at random moments and resumed: nothing measured is lost,
// nothing is measured twice.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/run/journal.h"
#include "runner/run/run_directory.h"
#include "tests/support/fake_host.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using testing::FakeHost;
namespace fs = std::filesystem;

constexpr int kTrials = 120;

std::string plan_text() {
  return "name = \"fake\"\ntarget = \"local\"\nrepetitions = " + std::to_string(kTrials) +
         "\n[measure]\ninterval_us = 1000\nduration = \"10s\"\nlimit_us = 1000\n"
         "[factors]\nload = [\"idle\"]\n";
}

class InterruptedRun : public ::testing::Test {
 protected:
  InterruptedRun() {
    dir_.file("plan.toml", plan_text());
    run_ = dir_.root().path("run");
  }

  ChildProcess start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), RTSWEEP_FAKE_PROGRAM);
    return std::move(ChildProcess::start(arguments, {.output = dir_.root().path("log")}).value());
  }
  ChildProcess begin() {
    return start({"run", dir_.root().path("plan.toml"), "--out", run_.string()});
  }
  ChildProcess resume() { return start({"resume", run_.string()}); }

  std::map<int, std::vector<std::string>> events_by_trial() const {
    std::map<int, std::vector<std::string>> events;
    for (const std::string& line : split(read_file(run_ / "journal.jsonl").value(), '\n')) {
      if (line.empty()) continue;
      const auto entry = nlohmann::json::parse(line);
      if (entry.contains("trial")) events[entry["trial"]].push_back(entry["event"]);
    }
    return events;
  }

  // How often each trial was measured, by what the target itself wrote down.
  std::map<std::string, size_t> measurements() const {
    std::map<std::string, size_t> count;
    for (const auto& entry : fs::directory_iterator(run_ / "trials")) {
      const auto log = read_file(entry.path() / "measured.log");
      count[entry.path().filename()] = log ? split(*log, '\n').size() - 1 : 0;
    }
    return count;
  }

  void expect_complete_and_without_doubles() const {
    const auto events = events_by_trial();
    EXPECT_EQ(events.size(), static_cast<size_t>(kTrials));
    for (const auto& [trial, list] : events) {
      EXPECT_THAT(list, ::testing::ElementsAre("trial_began", "trial_ended")) << trial;
    }
    for (const auto& [trial, count] : measurements()) EXPECT_LE(count, 1u) << trial;
  }

  FakeHost dir_;
  fs::path run_;
};

// Kills one run after the other at random moments, 200 times in all; each is resumed
// until it is complete.
TEST_F(InterruptedRun, IsCompleteAndWithoutDoublesAfter200Kills) {
  std::mt19937 random(20261130);
  std::uniform_int_distribution<int> delay_ms(1, 400);
  for (int kills = 0; kills < 200;) {
    fs::remove_all(run_);
    ChildProcess runner = begin();
    while (kills < 200) {
      const auto status = runner.wait(std::chrono::milliseconds(delay_ms(random)));
      ASSERT_TRUE(status);
      if (*status) break;
      ASSERT_TRUE(runner.stop(SIGKILL, 0ms));
      ++kills;
      runner = fs::exists(run_ / "run.json") ? resume() : begin();
    }
    const auto last = runner.wait(60s);
    ASSERT_TRUE(last && *last);
    expect_complete_and_without_doubles();
  }
}

TEST_F(InterruptedRun, MarksATrialThatWasCutShortAndBeginsItAgainOnlyWhenAsked) {
  ASSERT_TRUE(begin().wait());
  const auto entries = parse_journal(read_file(run_ / "journal.jsonl").value()).value();
  // As if the power had failed in the middle of the last trial.
  std::string journal;
  for (const JournalEntry& entry : entries) {
    const bool last = entry.kind == JournalEntry::Kind::kTrialEnded && entry.trial == kTrials;
    if (!last && entry.kind != JournalEntry::Kind::kRunEnded) journal += journal_line(entry);
  }
  std::ofstream(run_ / "journal.jsonl") << journal;
  const auto run = RunDirectory::open(run_).value();
  const fs::path trial = run.trial_directory(run.trial(kTrials));
  for (const char* file : {"end.json", "complete.json"}) fs::remove(trial / file);

  ASSERT_TRUE(resume().wait());
  EXPECT_THAT(read_file(run_ / "journal.jsonl").value(), ::testing::HasSubstr("ERROR"));
  EXPECT_EQ(measurements()[trial.filename()], 1u);

  ASSERT_TRUE(start({"resume", run_.string(), "--retry-interrupted"}).wait());
  EXPECT_EQ(events_by_trial()[kTrials],
            (std::vector<std::string>{"trial_began", "trial_ended", "trial_reset", "trial_began",
                                      "trial_ended"}));
  EXPECT_TRUE(fs::exists(trial.string() + ".interrupted-1"));
}

TEST_F(InterruptedRun, EndsCleanlyOnSigintAndGoesOnLater) {
  ChildProcess runner = begin();
  const auto has_begun = [&] {
    const auto journal = read_file(run_ / "journal.jsonl");
    return journal && journal->find("trial_began") != std::string::npos;
  };
  while (!has_begun()) std::ignore = runner.wait(1ms);
  ::kill(runner.pid(), SIGINT);
  const auto status = runner.wait();
  ASSERT_TRUE(status);
  EXPECT_EQ((*status)->text(), "exit code 1");
  for (const auto& [trial, list] : events_by_trial()) EXPECT_EQ(list.size(), 2u) << trial;

  const auto rest = resume().wait();
  EXPECT_EQ((*rest)->text(), "exit code 0");
  expect_complete_and_without_doubles();
}

TEST_F(InterruptedRun, IsRefusedToASecondRunner) {
  ASSERT_TRUE(begin().wait());
  auto run = RunDirectory::open(run_).value();
  ASSERT_TRUE(run.lock());

  const auto second = resume().wait();

  EXPECT_EQ((*second)->text(), "exit code 1");
  EXPECT_THAT(read_file(dir_.root().path("log")).value(),
              ::testing::HasSubstr("another rtsweep works on this run"));
}

}  // namespace
}  // namespace rtsweep
