// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/supervisor.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/files.h"
#include "runner/plan/expected_time.h"
#include "runner/run/evaluate.h"
#include "runner/run/outlier_causes.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<int> ids_of(const std::vector<PlannedTrial>& trials) {
  std::vector<int> ids;
  ids.reserve(trials.size());
  for (const PlannedTrial& trial : trials) ids.push_back(trial.id);
  return ids;
}

// SIGINT and SIGTERM as a file descriptor, for as long as the object lives. Threads
// started meanwhile have them blocked too; programs that are started do not.
class StopSignals {
 public:
  StopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
    fd_.reset(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  ~StopSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int fd() const { return fd_.get(); }

  int take() const {
    signalfd_siginfo info{};
    int taken = 0;
    while (::read(fd_.get(), &info, sizeof(info)) == sizeof(info)) ++taken;
    return taken;
  }

 private:
  sigset_t before_{};
  UniqueFd fd_;
};

// What was asked for, for whoever looks into the directory later.
Result<void> write_trial_file(const RunDirectory& run, const PlannedTrial& trial) {
  const json j = {{"id", trial.id},
                  {"cell", trial.cell},
                  {"repetition", trial.repetition},
                  {"seed", trial.seed},
                  {"spec", trial_spec(run.plan(), trial)}};
  return write_file_durably(run.trial_directory(trial) / "trial.json", j.dump(2) + "\n");
}

bool was_interrupted(const TrialResult& result) {
  return std::ranges::any_of(result.reasons,
                             [](const Reason& reason) { return reason.code == "interrupted"; });
}

// Renames what an interrupted trial left to the first free DIRECTORY.interrupted-N.
Result<void> put_aside(const fs::path& directory) {
  if (!fs::exists(directory)) return {};
  int number = 1;
  const auto name = [&] { return directory.string() + ".interrupted-" + std::to_string(number); };
  while (fs::exists(name())) ++number;
  std::error_code ec;
  fs::rename(directory, name(), ec);
  if (ec) return Error(Errc::kIo, "rename " + directory.string() + ": " + ec.message());
  return sync_directory(directory.parent_path());
}

}  // namespace

Result<void> Supervisor::finish_what_was_left() {
  const std::vector<int> ids = ids_of(run_.trials());
  for (NextStep step = next_step(ids, journal_.entries()); step.kind == NextStep::Kind::kFinish;
       step = next_step(ids, journal_.entries())) {
    RTSWEEP_CHECK_OK(end_trial(run_.trial(step.trial), 0));
  }
  return {};
}

Result<void> Supervisor::reset_interrupted() {
  for (const auto& [id, entry] : ended_trials(journal_.entries())) {
    const PlannedTrial& trial = run_.trial(id);
    if (entry.verdict != verdict_name(Verdict::kError)) continue;
    if (!was_interrupted(evaluate_trial(run_, trial))) continue;
    RTSWEEP_CHECK_OK(put_aside(run_.trial_directory(trial)));
    RTSWEEP_CHECK_OK(journal_.append({.kind = JournalEntry::Kind::kTrialReset, .trial = id}));
  }
  return {};
}

bool Supervisor::ends_in_time(const PlannedTrial& trial) const {
  if (!options_.until) return true;
  const auto end = std::chrono::system_clock::now() + expected_trial_time(run_.plan(), trial.cell);
  return end <= *options_.until;
}

std::optional<PlannedTrial> Supervisor::begin_next() {
  const std::lock_guard guard(mutex_);
  if (begin_no_more_ || failure_) return std::nullopt;
  const NextStep step = next_step(ids_of(run_.trials()), journal_.entries());
  if (step.kind != NextStep::Kind::kMeasure || !ends_in_time(run_.trial(step.trial))) {
    return std::nullopt;
  }
  const auto noted =
      journal_.append({.kind = JournalEntry::Kind::kTrialBegan, .trial = step.trial});
  if (!noted) {
    failure_ = noted.error();
    return std::nullopt;
  }
  return run_.trial(step.trial);
}

Result<void> Supervisor::measure(const PlannedTrial& trial) {
  const fs::path directory = run_.trial_directory(trial);
  RTSWEEP_CHECK_OK(make_directories(directory));
  RTSWEEP_CHECK_OK(write_trial_file(run_, trial));
  const double begin = boottime_s();
  RTSWEEP_CHECK_OK(target_.measure(run_.plan(), trial, directory, stop_,
                                   [&](std::string_view at) { progress_.stage(trial, at); }));
  return end_trial(trial, boottime_s() - begin);
}

Result<void> Supervisor::end_trial(const PlannedTrial& trial, double wall_s) {
  RTSWEEP_CHECK_OK(tidy_trial(run_.trial_directory(trial)));
  if (const auto kept = keep_explanations(run_.trial_directory(trial)); !kept) {
    progress_.say(kept.error().message());
  }
  const TrialResult result = evaluate_trial(run_, trial);
  {
    const std::lock_guard guard(mutex_);
    RTSWEEP_CHECK_OK(journal_.append({.kind = JournalEntry::Kind::kTrialEnded,
                                      .trial = trial.id,
                                      .verdict = std::string(verdict_name(result.verdict)),
                                      .max_us = result.max_us()}));
  }
  progress_.ended(result, wall_s);
  return {};
}

void Supervisor::worker_failed(Error error) {
  const std::lock_guard guard(mutex_);
  if (!failure_) failure_ = std::move(error);
}

void Supervisor::work() {
  while (const auto trial = begin_next()) {
    if (auto measured = measure(*trial); !measured) {
      worker_failed(std::move(measured).error());
      break;
    }
  }
  const uint64_t one = 1;
  std::ignore = ::write(worker_ended_.get(), &one, sizeof(one));
}

void Supervisor::wait_for_workers(int workers) {
  const StopSignals signals;
  std::vector<std::jthread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back([this] { work(); });
  for (int ended = 0; ended < workers;) {
    pollfd watched[] = {{.fd = signals.fd(), .events = POLLIN, .revents = 0},
                        {.fd = worker_ended_.get(), .events = POLLIN, .revents = 0}};
    ::poll(watched, 2, -1);
    if (signals.take() > 0) {
      stop_ = begin_no_more_.exchange(true);
      progress_.say(stop_ ? "stopping the running trials now"
                          : "stopping when the running trials have ended; once more to end them "
                            "now");
    }
    uint64_t count = 0;
    if ((watched[1].revents & POLLIN) != 0 &&
        ::read(worker_ended_.get(), &count, sizeof(count)) == sizeof(count)) {
      ended += static_cast<int>(count);
    }
  }
}

Result<RunEnd> Supervisor::run() {
  worker_ended_.reset(::eventfd(0, EFD_CLOEXEC));
  if (!worker_ended_) return Error::from_errno("eventfd", errno);
  RTSWEEP_CHECK_OK(journal_.append({.kind = JournalEntry::Kind::kRunnerBegan}));
  RTSWEEP_CHECK_OK(finish_what_was_left());
  if (options_.retry_interrupted) RTSWEEP_CHECK_OK(reset_interrupted());
  wait_for_workers(target_.jobs(run_.plan()));
  if (failure_) return *failure_;
  const NextStep step = next_step(ids_of(run_.trials()), journal_.entries());
  if (step.kind != NextStep::Kind::kReport) return RunEnd::kStopped;
  RTSWEEP_CHECK_OK(journal_.append({.kind = JournalEntry::Kind::kRunEnded}));
  return RunEnd::kComplete;
}

}  // namespace rtsweep
