// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <vector>

#include "analysis/tuning_result.h"
#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/host/host_root.h"
#include "runner/host/tuning_changes.h"
#include "runner/host/tuning_spec.h"
#include "runner/host/undo_list.h"

namespace rtsweep {

// A machine that is tuned as a spec asks for, until the object ends.
//
// Services are stopped first, so that none of them writes over what is set here; then the
// old values of all files are read and go to the undo list in one write; then the files are
// written. A file that has the wanted value already is left alone. Each write is read back:
// some succeed and change nothing (the affinity of a GPIO's interrupt), others are clamped.
class Tuning {
 public:
  // What could not be set is in the results and no Error. An Error says that the undo list
  // could not be written; then everything is as before. Host and list must outlive it.
  static Result<Tuning> apply(const HostRoot& host, const TuningSpec& spec, UndoList& undo);

  Tuning(Tuning&& other) noexcept;
  Tuning& operator=(Tuning&&) = delete;
  ~Tuning();  // restores

  // Reads everything again, for what was changed behind our back.
  void look_at_end();

  // Puts everything back and reads it once more. Does nothing the second time. The error is
  // one of the undo list's file; what could not be put back is in the results.
  Result<void> restore();

  const std::vector<TuningResult>& results() const { return results_; }

 private:
  Tuning(const HostRoot& host, UndoList& undo) : host_(&host), undo_(&undo) {}

  Result<void> stop_services(const std::vector<std::string>& units);
  Result<void> change_files(const std::vector<TuningChange>& changes);
  void write(const TuningChange& change, TuningResult& result) const;
  void hold_dma_latency(int64_t us);
  std::optional<std::string> read(const TuningResult& result) const;

  const HostRoot* host_;
  UndoList* undo_;  // null: restored, or moved from
  std::vector<TuningResult> results_;
  UniqueFd dma_latency_;  // the request holds as long as it is open
};

}  // namespace rtsweep
