// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/capture_spec.h"

#include <nlohmann/json.hpp>

namespace rtsweep {

using nlohmann::json;

void to_json(json& j, const CaptureSpec& spec) {
  j = {{"breakpoint_us", spec.breakpoint_us},
       {"method", spec.method},
       {"keep_first", spec.keep_first},
       {"keep_worst", spec.keep_worst},
       {"window_us", spec.window_us},
       {"limit_kib", spec.limit_kib},
       {"stacks", spec.stacks},
       {"events", spec.events},
       {"functions", spec.functions}};
  if (spec.buffer_kib) j["buffer_kib"] = *spec.buffer_kib;
}

void from_json(const json& j, CaptureSpec& spec) {
  j.at("breakpoint_us").get_to(spec.breakpoint_us);
  j.at("method").get_to(spec.method);
  j.at("keep_first").get_to(spec.keep_first);
  j.at("keep_worst").get_to(spec.keep_worst);
  j.at("window_us").get_to(spec.window_us);
  j.at("limit_kib").get_to(spec.limit_kib);
  j.at("stacks").get_to(spec.stacks);
  j.at("events").get_to(spec.events);
  j.at("functions").get_to(spec.functions);
  if (j.contains("buffer_kib")) spec.buffer_kib = j.at("buffer_kib").get<int64_t>();
}

}  // namespace rtsweep
