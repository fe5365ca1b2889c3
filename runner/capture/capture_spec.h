// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rtsweep {

// What to keep of the outliers of a trial.
struct CaptureSpec {
  int64_t breakpoint_us = 0;  // latencies past it are outliers
  // "trigger": the kernel sees outliers itself while the probe goes on; "break": cyclictest ends
  // at each and is started again; "auto": the first where the kernel can do it.
  std::string method = "auto";
  int keep_first = 5;                  // traces: of the first outliers,
  int keep_worst = 10;                 // and of the worst ones
  int64_t window_us = 5'000;           // how much from before the programmed expiry
  std::optional<int64_t> buffer_kib;   // for each CPU; empty: by the machine's memory
  int64_t limit_kib = 65'536;          // all traces of a trial together
  bool stacks = true;                  // a stack trace at each waking of the probe
  std::vector<std::string> events;     // beside ours: "net:netif_rx", "mmc"
  std::vector<std::string> functions;  // with function_graph: "tick_*"; empty: not traced

  bool operator==(const CaptureSpec&) const = default;
};

void to_json(nlohmann::json& json, const CaptureSpec& spec);
void from_json(const nlohmann::json& json, CaptureSpec& spec);

}  // namespace rtsweep
