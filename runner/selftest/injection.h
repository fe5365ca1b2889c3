// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/trace/explanation.h"

namespace rtsweep {

// A way to delay a kernel on purpose, and what `rtsweep explain` is to say of it.
struct InjectedKind {
  std::string_view name;         // "irqs-off"
  std::string_view what;         // for people
  std::string_view place;        // must be in the cause's name: a function, a thread, an interrupt
  std::string_view made_by;      // the module's word; empty: by the load or from outside
  std::string_view raised = "";  // threads that the load puts above the probe (shell pattern)
  bool x86_only = false;
};
std::span<const InjectedKind> injected_kinds();

// Where a kind is made: one VM.
struct InjectionVm {
  const InjectedKind* kind = nullptr;
  std::string_view kernel;
  std::string_view arch;
  int count = 12;  // delays that are made
};
// All of them, or those of one kind.
std::vector<InjectionVm> injection_vms(std::string_view only);

// Whether the VM's clock is the host's: only then can the guest feel that it was stopped.
bool needs_real_clock(const InjectedKind& kind);

// The plan of the trial, with the load that makes the delays.
std::string injection_plan(const InjectionVm& vm);

// What an explanation says, in the words of the kinds; "unknown" when it does not say, the
// segment's code where no kind of ours is like it.
std::string named_kind(const Explanation& explanation);

// A delay that was made, by CLOCK_MONOTONIC of the guest.
struct MadeDelay {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

// "irqs-off 13286638967 574000" for each, begin and length, among whatever else the load
// printed.
std::vector<MadeDelay> made_delays(std::string_view log, std::string_view word);

// Whether a latency that ended at `end_ns` was under way during one of them, give or take
// `slack_ns`.
bool is_injected(std::span<const MadeDelay> delays, int64_t begin_ns, int64_t end_ns,
                 int64_t slack_ns);

// The host's clock less the guest's at which most of the latencies fall on a delay: a guest
// that was stopped cannot say when.
int64_t clock_offset(std::span<const MadeDelay> by_host, std::span<const int64_t> ends_ns);

}  // namespace rtsweep
