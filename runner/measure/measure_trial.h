// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <atomic>
#include <filesystem>

#include "loads/load.h"
#include "runner/base/result.h"
#include "runner/host/host_root.h"
#include "runner/host/undo_list.h"
#include "runner/measure/probe.h"
#include "runner/measure/trial_sink.h"
#include "runner/measure/trial_spec.h"

namespace rtsweep {

// Measures one trial on the machine that runs this code, a board or the inside of a
// VM: tuning, facts, loads at work, probe, loads stopped, facts again, tuning undone. Each
// raw file goes to the sink as soon as it is there; the last one is complete.json, or
// error.json with the reason when the trial could not be measured.
//
// While the probe measures, this code sleeps in poll(2) until the probe has ended.
// `scratch` is a directory for temporary files; the caller removes it. `stop`, where
// given, ends the trial early when it becomes true; it is looked at once a second.
// `undo` keeps what tuning changes; null is one in scratch, for a VM, which is gone with
// its tuning after the trial.
Result<void> measure_trial(const HostRoot& host, const TrialSpec& spec, const LoadRegistry& loads,
                           const std::filesystem::path& scratch, TrialSink& sink,
                           const std::atomic<bool>* stop = nullptr, UndoList* undo = nullptr);

}  // namespace rtsweep
