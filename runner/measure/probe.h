// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counters.h"
#include "runner/base/result.h"
#include "runner/capture/capture_spec.h"
#include "runner/host/host_root.h"
#include "runner/host/undo_list.h"
#include "runner/measure/trial_sink.h"
#include "runner/measure/trial_spec.h"

namespace rtsweep {

// How a probe ended, as probe.json keeps it.
struct ProbeEnd {
  std::vector<std::string> argv;  // of a probe that is a program
  int exit_code = 0;
  int signal = 0;
  bool timed_out = false;  // it had to be killed, long after its time
  bool disk_full = false;  // no room was left where it writes
  double wall_s = 0;       // by the measured machine's clock
};

void to_json(nlohmann::json& json, const ProbeEnd& end);
void from_json(const nlohmann::json& json, ProbeEnd& end);

// Where a probe measures, and what. All of it outlives the probe.
struct ProbeContext {
  const HostRoot& host;
  const ProbeSpec& spec;
  const std::optional<CaptureSpec>& capture;  // of samples past the breakpoint, if there is one
  std::vector<int> cpus;                      // to be measured
  const std::filesystem::path& scratch;       // exists; for temporary files
  UndoList* undo = nullptr;                   // where what it sets is remembered, if anywhere
};

// What measures. A probe is made for one trial; its functions are called once each, in
// this order. Nothing of it is left on the machine when it is destroyed.
class Probe {
 public:
  virtual ~Probe() = default;

  // Everything that can be done before the measurement. kNotSupported, with a message
  // that begins with "probe NAME is not there: ", when this machine does not have it.
  virtual Result<void> prepare() = 0;

  // Measures, asleep all that it can, until its time is over or `stop` (may be null)
  // becomes true.
  virtual Result<ProbeEnd> measure(const std::atomic<bool>* stop) = 0;

  // After measure(): what watching it took of the machine while it measured.
  virtual ObserverCost observer() const = 0;

  // Its raw files with the numbers; then, when those are safe, everything else it kept.
  virtual Result<void> put_numbers(TrialSink& sink) = 0;
  virtual Result<void> put_evidence(TrialSink& /*sink*/) { return {}; }
};

// A kind of probe: one row of the registry, one file in this directory.
struct ProbeKind {
  std::string_view name;      // as the plan spells it
  std::string_view measures;  // what, for people
  std::string_view program;   // that it needs; "" when the kernel does it
  int64_t interval_us;        // unless the plan says otherwise
  std::unique_ptr<Probe> (*make)(const ProbeContext& context);

  bool is_tracer() const { return program.empty(); }  // of the kernel
};

// All of them, in the order in which lists show them.
std::span<const ProbeKind> probe_kinds();

const ProbeKind* find_probe_kind(std::string_view name);

}  // namespace rtsweep
