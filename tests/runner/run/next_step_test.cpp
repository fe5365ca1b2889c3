// SPDX-License-Identifier: GPL-2.0-or-later

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/run/journal.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using Kind = NextStep::Kind;
using testing::FailsWith;
using testing::FakeHost;
using testing::IsOk;
using testing::IsOkAnd;
using ::testing::SizeIs;

const std::vector<int> kTrials = {1, 2, 3};

JournalEntry runner_began() { return {.kind = JournalEntry::Kind::kRunnerBegan}; }
JournalEntry began(int trial) { return {.kind = JournalEntry::Kind::kTrialBegan, .trial = trial}; }
JournalEntry ended(int trial) { return {.kind = JournalEntry::Kind::kTrialEnded, .trial = trial}; }
JournalEntry reset(int trial) { return {.kind = JournalEntry::Kind::kTrialReset, .trial = trial}; }

TEST(NextStep, OfAFreshRunMeasuresTheFirstTrial) {
  EXPECT_EQ(next_step(kTrials, {}), (NextStep{Kind::kMeasure, 1}));
}

TEST(NextStep, GoesOnAfterTheTrialThatEnded) {
  const JournalEntry journal[] = {runner_began(), began(1), ended(1)};

  EXPECT_EQ(next_step(kTrials, journal), (NextStep{Kind::kMeasure, 2}));
}

TEST(NextStep, BeginsASecondTrialBesideARunningOne) {
  const JournalEntry journal[] = {runner_began(), began(1)};

  EXPECT_EQ(next_step(kTrials, journal), (NextStep{Kind::kMeasure, 2}));
}

TEST(NextStep, FinishesWhatAKilledRunnerLeftBehindAndNeverBeginsItAgain) {
  const JournalEntry killed[] = {runner_began(), began(1), runner_began()};
  const JournalEntry finished[] = {runner_began(), began(1), runner_began(), ended(1)};

  EXPECT_EQ(next_step(kTrials, killed), (NextStep{Kind::kFinish, 1}));
  EXPECT_EQ(next_step(kTrials, finished), (NextStep{Kind::kMeasure, 2}));
}

TEST(NextStep, WaitsForTheLastTrialsAndThenReports) {
  const JournalEntry running[] = {runner_began(), began(1), began(2), began(3), ended(1), ended(3)};
  const JournalEntry done[] = {runner_began(), began(1), began(2), began(3),
                               ended(1),       ended(3), ended(2)};

  EXPECT_EQ(next_step(kTrials, running), (NextStep{Kind::kWait, 2}));
  EXPECT_EQ(next_step(kTrials, done), (NextStep{Kind::kReport, 0}));
}

TEST(NextStep, BeginsATrialAgainOnlyAfterItWasReset) {
  const JournalEntry journal[] = {runner_began(), began(1), ended(1), reset(1)};

  EXPECT_EQ(next_step(kTrials, journal), (NextStep{Kind::kMeasure, 1}));
}

TEST(ParseJournal, ReadsATornLastLineAsNotWritten) {
  const auto journal = parse_journal(
      "{\"event\":\"runner_began\",\"time\":\"2026-11-30T18:40:01Z\"}\n"
      "{\"event\":\"trial_began\",\"tri");

  EXPECT_THAT(journal, IsOkAnd(SizeIs(1)));
}

TEST(ParseJournal, NamesTheLineThatIsDamaged) {
  EXPECT_THAT(parse_journal("{\"event\":\"runner_began\"}\nnonsense\n"),
              FailsWith(Errc::kBadData, "line 2"));
  EXPECT_THAT(parse_journal("{\"event\":\"trial_vanished\"}\n"),
              FailsWith(Errc::kBadData, "trial_vanished"));
}

TEST(Journal, CutsATornLineOffSoThatTheNextEntryStandsAlone) {
  FakeHost dir;
  dir.file("journal.jsonl", "{\"event\":\"runner_began\",\"time\":\"\"}\n{\"event\":\"tri");

  auto journal = Journal::open(dir.root().path("journal.jsonl"));
  ASSERT_TRUE(journal);
  ASSERT_THAT(journal->append(began(3)), IsOk());

  const auto text = dir.root().read("journal.jsonl");
  const auto entries = parse_journal(*text + "\n");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ(entries->back().trial, 3);
}

}  // namespace
}  // namespace rtsweep
