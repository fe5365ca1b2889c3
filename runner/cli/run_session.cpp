// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/run_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "analysis/report/render.h"
#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/cli/commands.h"
#include "runner/cli/terminal.h"
#include "runner/plan/expected_time.h"
#include "runner/run/evaluate.h"
#include "runner/run/supervisor.h"
#include "runner/run/undo_session.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

struct ReportFile {
  const char* format;
  const char* name;
};
constexpr ReportFile kReportFiles[] = {
    {"html", "report.html"}, {"json", "report.json"}, {"text", "report.txt"}, {"md", "report.md"}};

}  // namespace

Result<void> write_reports(const fs::path& directory, const RunReport& report) {
  RTSWEEP_CHECK_OK(make_directories(directory));
  for (const ReportFile& file : kReportFiles) {
    RTSWEEP_TRY(const std::string text, render(report, file.format));
    RTSWEEP_CHECK_OK(write_file_durably(directory / file.name, text));
  }
  return {};
}

namespace {

std::map<int, double> expected_times(const RunDirectory& run) {
  std::map<int, double> expected;
  for (const PlannedTrial& trial : run.trials()) {
    expected[trial.id] = static_cast<double>(expected_trial_time(run.plan(), trial.cell).count());
  }
  return expected;
}

void show_earlier_trials(const RunDirectory& run, const Journal& journal, Progress& progress) {
  for (const auto& [id, entry] : ended_trials(journal.entries())) {
    progress.already_done(run.trial(id), entry.verdict, entry.max_us);
  }
}

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

Result<int> work(RunDirectory& run, const SessionOptions& options, const TargetFactory& targets,
                 const HostRoot& host) {
  SystemCommands commands;
  undo_left_tuning(host, commands, run.path(), say);
  Supervisor::Options supervising{.retry_interrupted = options.retry_interrupted, .until = {}};
  if (!options.until.empty()) {
    RTSWEEP_TRY(supervising.until,
                next_time_of_day(options.until, std::chrono::system_clock::now()));
  }
  RTSWEEP_CHECK_OK(run.lock());
  RTSWEEP_TRY(Journal journal, Journal::open(run.journal_file()));
  RTSWEEP_TRY(const std::unique_ptr<UndoList> undo,
              undo_list_for(run.plan(), host, commands, run.path(), say));
  RTSWEEP_TRY(const std::unique_ptr<Target> target,
              targets(run.plan().target, {.guests = guests_directory(), .undo = undo.get()}));

  const size_t columns = ::isatty(STDOUT_FILENO) != 0 ? output_width() : 0;
  Progress progress(stdout, columns, expected_times(run), target->jobs(run.plan()));
  show_earlier_trials(run, journal, progress);
  progress.say("run directory: " + run.path().string());
  RTSWEEP_TRY(const std::vector<KernelResult> kernels,
              target->prepare(run.plan(), run.trials(), [&](std::string_view what) {
                progress.say("preparing " + std::string(what));
              }));
  RTSWEEP_CHECK_OK(run.write_machines({.emulator = target->emulator(), .kernels = kernels}));

  RTSWEEP_TRY(const RunEnd end, Supervisor(run, journal, *target, progress, supervising).run());
  RTSWEEP_TRY(const RunReport report, load_report(run));
  RTSWEEP_CHECK_OK(write_reports(run.path() / "report", report));
  fmt::print("\n{}\nreport: {}\n", render_text(report),
             (run.path() / "report/report.html").string());
  if (end == RunEnd::kStopped) {
    fmt::print("not complete; go on with: rtsweep resume {}\n", run.path().string());
    return kCouldNotWork;
  }
  return exit_code_of(report);
}

}  // namespace

int work_on_run(RunDirectory run, const SessionOptions& options, const TargetFactory& targets,
                const HostRoot& host) {
  const auto code = work(run, options, targets, host);
  return code ? *code : fail(code.error());
}

Result<std::chrono::system_clock::time_point> next_time_of_day(
    const std::string& text, std::chrono::system_clock::time_point now) {
  const std::time_t begin = std::chrono::system_clock::to_time_t(now);
  std::tm time{};
  ::localtime_r(&begin, &time);
  const char* rest = ::strptime(text.c_str(), "%H:%M", &time);
  if (rest == nullptr || *rest != '\0') {
    return Error(Errc::kInvalidPlan, "--until " + text + ": a time of day such as 07:00 is wanted");
  }
  time.tm_sec = 0;
  time.tm_isdst = -1;
  std::time_t end = std::mktime(&time);
  if (end <= begin) {
    ++time.tm_mday;
    time.tm_isdst = -1;
    end = std::mktime(&time);
  }
  return std::chrono::system_clock::from_time_t(end);
}

fs::path guests_directory() {
  if (const char* set = std::getenv("RTSWEEP_GUESTS"); set != nullptr) return set;
  std::error_code ec;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", ec).parent_path().parent_path();
  const fs::path installed = prefix / "libexec/rtsweep/guest";
  return fs::exists(installed, ec) ? installed : prefix / "libexec/guest";
}

int exit_code_of(const RunReport& report) {
  const auto any = [&](Verdict verdict) {
    return std::ranges::any_of(report.trials,
                               [&](const TrialResult& trial) { return trial.verdict == verdict; });
  };
  if (any(Verdict::kFail)) return kLimitExceeded;
  if (any(Verdict::kInvalid)) return kInvalidResult;
  return any(Verdict::kError) ? kCouldNotWork : kWithinLimits;
}

}  // namespace rtsweep
