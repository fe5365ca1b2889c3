// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/journal.h"

#include <unistd.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "runner/base/clock.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

using nlohmann::json;
using Kind = JournalEntry::Kind;

constexpr std::array<std::pair<Kind, const char*>, 5> kEvents = {{
    {Kind::kRunnerBegan, "runner_began"},
    {Kind::kTrialBegan, "trial_began"},
    {Kind::kTrialEnded, "trial_ended"},
    {Kind::kTrialReset, "trial_reset"},
    {Kind::kRunEnded, "run_ended"},
}};

const char* event_name(Kind kind) {
  for (const auto& [known, name] : kEvents) {
    if (known == kind) return name;
  }
  return "";
}

Result<JournalEntry> parse_entry(std::string_view line) {
  try {
    const json j = json::parse(line);
    for (const auto& [kind, name] : kEvents) {
      if (j.at("event") != name) continue;
      JournalEntry entry{.kind = kind,
                         .trial = j.value("trial", 0),
                         .verdict = j.value("verdict", ""),
                         .max_us = {},
                         .time = j.value("time", "")};
      if (j.contains("max_us")) entry.max_us = j.at("max_us").get<int64_t>();
      return entry;
    }
    return Error(Errc::kBadData, "unknown event " + j.at("event").dump());
  } catch (const json::exception& wrong) {
    return Error(Errc::kBadData, wrong.what());
  }
}

enum class State { kNotBegun, kLeftBehind, kRunning, kEnded };

std::map<int, State> trial_states(std::span<const JournalEntry> journal) {
  std::map<int, State> states;
  for (const JournalEntry& entry : journal) {
    switch (entry.kind) {
      case Kind::kRunnerBegan:
        for (auto& [trial, state] : states) {
          if (state == State::kRunning) state = State::kLeftBehind;
        }
        break;
      case Kind::kTrialBegan:
        states[entry.trial] = State::kRunning;
        break;
      case Kind::kTrialEnded:
        states[entry.trial] = State::kEnded;
        break;
      case Kind::kTrialReset:
        states[entry.trial] = State::kNotBegun;
        break;
      case Kind::kRunEnded:
        break;
    }
  }
  return states;
}

}  // namespace

std::string journal_line(const JournalEntry& entry) {
  json j = {{"event", event_name(entry.kind)}, {"time", entry.time}};
  if (entry.trial != 0) j["trial"] = entry.trial;
  if (!entry.verdict.empty()) j["verdict"] = entry.verdict;
  if (entry.max_us) j["max_us"] = *entry.max_us;
  return j.dump() + "\n";
}

Result<std::vector<JournalEntry>> parse_journal(std::string_view text) {
  std::vector<JournalEntry> entries;
  const std::string_view whole = text.substr(0, text.rfind('\n') + 1);  // npos + 1 is 0
  int number = 0;
  for (const std::string& line : split(whole, '\n')) {
    ++number;
    if (line.empty()) continue;
    auto entry = parse_entry(line);
    if (!entry) {
      return std::move(entry).error().with_context("journal line " + std::to_string(number));
    }
    entries.push_back(std::move(entry).value());
  }
  return entries;
}

Result<Journal> Journal::open(const std::filesystem::path& file) {
  RTSWEEP_TRY(AppendFile append, AppendFile::open(file));
  RTSWEEP_TRY(const std::string text, read_file(file));
  auto entries = parse_journal(text);
  if (!entries) return std::move(entries).error().with_context(file.string());
  const size_t whole = text.rfind('\n') + 1;
  if (whole != text.size() && ::truncate(file.c_str(), static_cast<off_t>(whole)) != 0) {
    return Error::from_errno("truncate " + file.string(), errno);
  }
  return Journal(std::move(append), std::move(entries).value());
}

Result<void> Journal::append(JournalEntry entry) {
  entry.time = utc_now();
  RTSWEEP_CHECK_OK(file_.append(journal_line(entry)));
  entries_.push_back(std::move(entry));
  return {};
}

std::map<int, JournalEntry> ended_trials(std::span<const JournalEntry> journal) {
  std::map<int, JournalEntry> ended;
  for (const JournalEntry& entry : journal) {
    if (entry.kind == Kind::kTrialEnded) ended[entry.trial] = entry;
    if (entry.kind == Kind::kTrialReset) ended.erase(entry.trial);
  }
  return ended;
}

NextStep next_step(std::span<const int> trials, std::span<const JournalEntry> journal) {
  const std::map<int, State> states = trial_states(journal);
  const auto state_of = [&](int trial) {
    const auto it = states.find(trial);
    return it == states.end() ? State::kNotBegun : it->second;
  };
  const auto first = [&](State wanted) {
    for (const int trial : trials) {
      if (state_of(trial) == wanted) return trial;
    }
    return 0;
  };
  if (const int trial = first(State::kLeftBehind)) return {NextStep::Kind::kFinish, trial};
  if (const int trial = first(State::kNotBegun)) return {NextStep::Kind::kMeasure, trial};
  if (const int trial = first(State::kRunning)) return {NextStep::Kind::kWait, trial};
  return {NextStep::Kind::kReport, 0};
}

}  // namespace rtsweep
