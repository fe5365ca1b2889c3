// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/run/undo_session.h"

#include "runner/measure/probe.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using Say = std::function<void(std::string)>;

Result<UndoReport> undo_list_in(const fs::path& directory, const HostRoot& host,
                                CommandRunner& commands) {
  RTSWEEP_TRY(UndoList list, UndoList::open(host, commands, directory));
  return list.undo();
}

}  // namespace

void undo_left_tuning(const HostRoot& host, CommandRunner& commands, const fs::path& run_directory,
                      const Say& say) {
  for (const fs::path& directory : {state_directory(), run_directory}) {
    if (!UndoList::left_in(directory)) continue;
    const auto report = undo_list_in(directory, host, commands);
    if (!report) {
      say("tuning of an earlier run is still there: " + report.error().message());
    } else {
      say("undid the tuning of an earlier run: " +
          (report->empty() ? "nothing had stayed" : report->text()));
    }
  }
}

Result<std::unique_ptr<UndoList>> undo_list_for(const Plan& plan, const HostRoot& host,
                                                CommandRunner& commands,
                                                const fs::path& run_directory, const Say& say) {
  const ProbeKind* probe = find_probe_kind(plan.probe);
  const bool changes = tunes(plan) || (probe != nullptr && probe->is_tracer());
  if (plan.target == "vm" || !changes) return std::unique_ptr<UndoList>();
  const UndoPlace place = undo_place(run_directory);
  if (!place.warning.empty()) say(place.warning);
  RTSWEEP_TRY(UndoList list, UndoList::open(host, commands, place.directory));
  return std::make_unique<UndoList>(std::move(list));
}

}  // namespace rtsweep
