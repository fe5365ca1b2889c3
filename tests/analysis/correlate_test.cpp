// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/correlate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "analysis/period.h"

namespace rtsweep {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kBegin = 5000 * kSecond;

// Ten minutes on four CPUs.
TrialCourse course() {
  return {.begin_us = kBegin,
          .end_us = kBegin + 600 * kSecond,
          .interval_us = 1000,
          .cpus = {0, 1, 2, 3}};
}

void add_random(TrialCourse& course, size_t count, std::mt19937_64& random) {
  std::uniform_int_distribution<int64_t> at(course.begin_us, course.end_us);
  std::uniform_int_distribution<int> cpu(0, 3);
  for (size_t i = 0; i < count; ++i) {
    course.hits.push_back({.at_us = at(random), .latency_us = 150, .cpu = cpu(random)});
  }
}

const Correlation* find(const std::vector<Correlation>& found, std::string_view code) {
  const auto at = std::ranges::find(found, code, &Correlation::code);
  return at == found.end() ? nullptr : &*at;
}

// A timer that fires every 997 ms delays every tenth time, give or take 400 us.
TEST(Correlate, FindsThePeriodThoughMostOfItsBeatsAreMissing) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int64_t> jitter(-400, 400);
  std::bernoulli_distribution late(0.1);
  std::uniform_int_distribution<int> cpu(0, 3);
  TrialCourse trial = course();
  for (int64_t beat = 0; beat * 997'000 < 600 * kSecond - 10'000; ++beat) {
    if (!late(random)) continue;
    trial.hits.push_back({.at_us = kBegin + 5000 + beat * 997'000 + jitter(random),
                          .latency_us = 150,
                          .cpu = cpu(random)});
  }

  const auto found = correlate(trial);

  const Correlation* period = find(found, "period");
  ASSERT_NE(period, nullptr);
  EXPECT_NEAR(*period->period_ms, 997, 0.01);
  EXPECT_LT(period->p_value, 1e-6);
  EXPECT_THAT(period->text, HasSubstr(std::to_string(trial.hits.size()) + " of " +
                                      std::to_string(trial.hits.size()) + " fit"));
  EXPECT_THAT(found, SizeIs(1)) << "they are spread evenly over time and CPUs";
}

TEST(Correlate, FindsThePeriodAmongHitsByChance) {
  std::mt19937_64 random(2);
  TrialCourse trial = course();
  for (int64_t at = kBegin + kSecond; at < trial.end_us; at += 10 * kSecond) {
    trial.hits.push_back({.at_us = at, .latency_us = 150, .cpu = 1});
  }
  add_random(trial, 40, random);

  const auto found = correlate(trial);

  const Correlation* period = find(found, "period");
  ASSERT_NE(period, nullptr);
  EXPECT_NEAR(*period->period_ms, 10'000, 5);
}

// 602 interrupts in 600 s: 997 ms go 601.8 times into it. The tick's 600,000 do not fit.
TEST(Correlate, NamesTheInterruptThatHasThePeriod) {
  TrialCourse trial = course();
  for (int64_t at = kBegin + kSecond; at < trial.end_us; at += 997'000) {
    trial.hits.push_back({.at_us = at, .latency_us = 150, .cpu = 1});
  }
  trial.counters.emplace();
  trial.counters->end.interrupt_cpus = {0, 1};
  trial.counters->begin.interrupts = {{"33", {0, 5}}, {"LOC", {0, 0}}};
  trial.counters->end.interrupts = {{"33", {0, 607}}, {"LOC", {600'000, 600'000}}};

  const auto found = correlate(trial);

  const Correlation* period = find(found, "period");
  ASSERT_NE(period, nullptr);
  EXPECT_THAT(period->hints,
              ElementsAre("interrupt 33 fired 602 times on CPU 1: once in a period"));
}

// 40 of 50 hits in a phase that took a quarter of the time: P(X >= 40) of a binomial
// distribution of 50 and 0.25 is 2e-16.
TEST(Correlate, FindsThePhaseOfTheLoad) {
  std::mt19937_64 random(3);
  TrialCourse trial = course();
  for (int i = 0; i < 100; ++i) {
    const int64_t begin = kBegin + i * 6 * kSecond;
    const bool write = i % 4 == 0;
    trial.phases.push_back({write ? "write" : "read", begin, begin + 6 * kSecond});
    std::uniform_int_distribution<int64_t> at(begin + 1000, begin + 6 * kSecond - 1000);
    std::uniform_int_distribution<int> cpu(0, 3);
    for (int hits = write ? (i % 5 == 0 ? 0 : 2) : (i % 15 == 1 ? 1 : 0); hits > 0; --hits) {
      trial.hits.push_back({.at_us = at(random), .latency_us = 150, .cpu = cpu(random)});
    }
  }

  const auto found = correlate(trial);

  const Correlation* phase = find(found, "load_phase");
  ASSERT_NE(phase, nullptr);
  EXPECT_EQ(phase->phase, "write");
  EXPECT_THAT(phase->text, HasSubstr("25 % of the time"));
  EXPECT_LT(phase->p_value, 1e-3);
}

TEST(Correlate, FindsTheCpu) {
  std::mt19937_64 random(4);
  TrialCourse trial = course();
  add_random(trial, 40, random);
  for (size_t i = 0; i < 30; ++i) trial.hits[i].cpu = 2;

  const auto found = correlate(trial);

  const Correlation* cpu = find(found, "cpu");
  ASSERT_NE(cpu, nullptr);
  EXPECT_EQ(cpu->cpu, 2);
}

// Laplace: 20 hits in the last third have a mean of 5/6, u = (5/6 - 1/2) sqrt(240) = 5.2
// by itself; their clustering takes from it.
TEST(Correlate, FindsThatHitsBecomeMoreFrequentAndWarmer) {
  TrialCourse trial = course();
  for (int i = 1; i <= 60; ++i) {  // at the square roots: twice as many at the end
    const double part = std::sqrt(static_cast<double>(i) / 61);
    const auto at = kBegin + static_cast<int64_t>(part * 600e6);
    trial.hits.push_back({.at_us = at, .latency_us = 150, .cpu = i % 4});
  }
  trial.counters.emplace();
  trial.counters->begin.temperatures_c = {{"cpu-thermal", 51.2}};
  trial.counters->end.temperatures_c = {{"cpu-thermal", 78.9}};

  const auto found = correlate(trial);

  const Correlation* drift = find(found, "drift");
  ASSERT_NE(drift, nullptr);
  // Half way in time lies the root's quarter: hits 1 to 15 of 60 are before it.
  EXPECT_THAT(drift->text, HasSubstr("more frequent: 45 of 60 in the second half"));
  EXPECT_THAT(drift->hints, ElementsAre("cpu-thermal went from 51 to 79 C meanwhile"));
}

TEST(Correlate, FindsBurstsAndDoesNotTakeThemForAPeriod) {
  std::mt19937_64 random(5);
  TrialCourse trial = course();
  std::uniform_int_distribution<int64_t> at(kBegin, trial.end_us - kSecond);
  std::uniform_int_distribution<int64_t> within(0, kSecond);
  std::uniform_int_distribution<int> cpu(0, 3);
  for (int burst = 0; burst < 8; ++burst) {
    const int64_t begin = at(random);
    for (int i = 0; i < 10; ++i) {
      trial.hits.push_back(
          {.at_us = begin + within(random), .latency_us = 150, .cpu = cpu(random)});
    }
  }

  const auto found = correlate(trial);

  EXPECT_NE(find(found, "bursts"), nullptr);
  EXPECT_EQ(find(found, "period"), nullptr);
}

TEST(Correlate, CountsThreadsThatOneCauseDelayedOnce) {
  TrialCourse trial = course();
  for (int i = 0; i < 9; ++i) {
    for (int cpu = 0; cpu < 4; ++cpu) {
      trial.hits.push_back(
          {.at_us = kBegin + (1 + i) * kSecond + cpu * 100, .latency_us = 150, .cpu = cpu});
    }
  }

  EXPECT_THAT(correlate(trial), IsEmpty()) << "36 hits of 9 causes are too few";
}

TEST(Correlate, SaysNothingOfFewHits) {
  TrialCourse trial = course();
  for (int i = 1; i <= 9; ++i) {
    trial.hits.push_back({.at_us = kBegin + i * kSecond, .latency_us = 150, .cpu = 0});
  }

  EXPECT_THAT(correlate(trial), IsEmpty());
}

// The stated rate: of trials with hits at random times, at most 1 % have anything said of
// them. Of 1000 such trials at that rate, more than 20 would be a chance of 1 in 600.
TEST(Correlate, RaisesNoFalseAlarms) {
  std::mt19937_64 random(6);
  std::uniform_int_distribution<size_t> count(10, 200);
  int alarms = 0;
  std::map<std::string, int> by_code;
  for (int i = 0; i < 1000; ++i) {
    TrialCourse trial = course();
    add_random(trial, count(random), random);
    for (int phase = 0; phase < 10; ++phase) {
      const int64_t begin = kBegin + phase * 60 * kSecond;
      trial.phases.push_back({"phase " + std::to_string(phase % 3), begin, begin + 60 * kSecond});
    }
    const auto found = correlate(trial);
    alarms += found.empty() ? 0 : 1;
    for (const Correlation& one : found) ++by_code[one.code];
  }

  EXPECT_LE(alarms, 20) << ::testing::PrintToString(by_code);
}

TEST(Period, IsTheLongestOfThoseThatFit) {
  std::vector<double> moments;
  for (int i = 0; i < 50; ++i) moments.push_back(100 + i * 2.5);

  const auto period = find_period(moments, 0.01, 0.001);

  ASSERT_TRUE(period);
  EXPECT_NEAR(period->period_s, 2.5, 1e-3);
  EXPECT_EQ(period->fitting, 50u);
  EXPECT_NEAR(period->statistic, 50, 0.1);  // z = n when all phases are the same
}

TEST(Period, NeedsSixCycles) {
  const std::vector<double> moments = {0, 1, 2, 100, 101, 102, 200, 201, 202, 300, 301, 302};

  const auto period = find_period(moments, 0.01, 0.001);

  if (period) {
    EXPECT_LT(period->period_s, 51);
  }
}

}  // namespace
}  // namespace rtsweep
