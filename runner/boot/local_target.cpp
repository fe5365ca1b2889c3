// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/local_target.h"

#include <nlohmann/json.hpp>

#include "loads/load.h"
#include "runner/base/clock.h"
#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/boot/vm_results.h"
#include "runner/host/facts.h"
#include "runner/kernels/kernels.h"
#include "runner/kernels/sha256.h"
#include "runner/measure/measure_trial.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// Tells the listener when the measurement begins; all else goes to the directory.
class WatchedSink : public DirectorySink {
 public:
  WatchedSink(const fs::path& directory, const Listener& listener)
      : DirectorySink(directory), listener_(listener) {}

  Result<void> put(std::string_view name, std::string_view content) override {
    if (name == trial_file::kMeasuring) listener_("measuring");
    return DirectorySink::put(name, content);
  }

 private:
  const Listener& listener_;
};

// Which program measured, by its hash; unknown if it cannot be found.
Result<void> write_identity(const fs::path& directory, const std::string& program) {
  nlohmann::json identity = {{"clock", "real"}};
  SystemCommands commands;
  const auto path = commands.run({"sh", "-c", "command -v \"$0\"", program});
  if (path) {
    const auto sha = sha256_of_file(std::string(trim(*path)));
    if (sha) identity["probe_sha256"] = *sha;
  }
  return write_file_durably(directory / kIdentityFile, identity.dump(2) + "\n");
}

}  // namespace

int LocalTarget::jobs(const Plan& /*plan*/) const { return 1; }

Result<std::vector<KernelResult>> LocalTarget::prepare(const Plan& /*plan*/,
                                                       std::span<const PlannedTrial> /*trials*/,
                                                       const Listener& /*listener*/) {
  const MachineFacts facts = read_facts(host_);
  return std::vector<KernelResult>{{.name = "running kernel",
                                    .arch = std::string(host_architecture()),
                                    .release = facts.kernel_release,
                                    .rt = facts.preempt_rt}};
}

Result<void> LocalTarget::measure(const Plan& plan, const PlannedTrial& trial,
                                  const fs::path& directory, const std::atomic<bool>& stop,
                                  const Listener& listener) {
  WatchedSink sink(directory, listener);
  const TrialSpec spec = trial_spec(plan, trial);
  RTSWEEP_CHECK_OK(write_identity(directory, spec.probe.program));
  const double begin = boottime_s();
  listener("starting the load");
  const fs::path scratch = directory / kScratchDirectory;
  const auto measured = measure_trial(host_, spec, builtin_loads(), scratch, sink, &stop, undo_);
  std::error_code ec;
  fs::remove_all(scratch, ec);

  TrialEnd end{.wall_s = boottime_s() - begin, .boot_s = {}};
  if (stop) end.kind = TrialEnd::Kind::kStopped;
  if (!measured) end.message = measured.error().message();
  return sink.put(kEndFile, nlohmann::json(end).dump(2) + "\n");
}

}  // namespace rtsweep
