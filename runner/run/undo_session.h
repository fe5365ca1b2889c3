// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runner/host/undo_list.h"
#include "runner/plan/plan.h"

namespace rtsweep {

// Undoes the tuning that a killed runner left on this machine, with a line to `say` if
// there was any: also when it could not be undone. To be called before anything is
// measured. A list that another runner has now is that runner's and left alone.
void undo_left_tuning(const HostRoot& host, CommandRunner& commands,
                      const std::filesystem::path& run_directory,
                      const std::function<void(std::string)>& say);

// The undo list that the plan's trials need on this machine; null when they change nothing
// here (VMs are gone with their tuning). Held as long as the object lives: kNotSupported
// when another runner tunes this machine.
Result<std::unique_ptr<UndoList>> undo_list_for(const Plan& plan, const HostRoot& host,
                                                CommandRunner& commands,
                                                const std::filesystem::path& run_directory,
                                                const std::function<void(std::string)>& say);

}  // namespace rtsweep
