// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rtsweep {

// A sample past the breakpoint, by cyclictest's own words.
struct CaptureHit {
  int thread = 0;  // cyclictest's number
  int cpu = -1;
  int64_t latency_us = 0;  // exact
  int64_t at_us = 0;       // CLOCK_MONOTONIC, when cyclictest had read it

  bool operator==(const CaptureHit&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("thread", self.thread);
    visit("cpu", self.cpu);
    visit("latency_us", self.latency_us);
    visit("at_us", self.at_us);
  }
};

// A hit whose trace was kept.
struct CapturedOutlier {
  std::string file;  // in the trial's directory: "outlier-1.dat"
  int64_t latency_us = 0;
  int cpu = -1;
  int pid = -1;           // of the measuring thread
  int64_t at_us = 0;      // as in its hit
  int64_t expiry_ns = 0;  // programmed, CLOCK_MONOTONIC
  double unarmed_ms = 0;  // until the next one could be seen

  bool operator==(const CapturedOutlier&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("file", self.file);
    visit("latency_us", self.latency_us);
    visit("cpu", self.cpu);
    visit("pid", self.pid);
    visit("at_us", self.at_us);
    visit("expiry_ns", self.expiry_ns);
    visit("unarmed_ms", self.unarmed_ms);
  }
};

// What became of the traces of a trial: its capture.json.
struct CaptureResult {
  std::string method;      // "trigger": by the kernel itself, while the probe goes on; "break"
  std::string why;         // it is not "trigger"
  bool proved = false;     // planted wakeups were recorded, and triggered what an outlier triggers
  std::string not_proved;  // why it is not
  int64_t breakpoint_us = 0;
  std::string clock;  // of the trace: "mono"
  std::vector<std::string> events;
  std::vector<std::string> missing_events;  // that this kernel does not have
  int64_t buffer_kib = 0;                   // for each CPU
  uint64_t lost_events = 0;                 // in the traces that were kept
  // Medians of planted wakeups, without and with tracing: what tracing costs each sample.
  std::optional<double> untraced_us, traced_us;
  std::vector<CaptureHit> hits;
  bool hits_complete = true;  // false: more than cyclictest keeps
  std::vector<CapturedOutlier> outliers;
  uint64_t near_misses = 0;  // traces of samples that cyclictest counts below the breakpoint
  uint64_t not_kept = 0;     // outliers whose trace gave way to a worse one's, or to the limit
  double unarmed_ms = 0;     // together
  double cpu_s = 0;          // what saving took

  bool operator==(const CaptureResult&) const = default;

  template <typename Visitor, typename Self>
  static void fields(Visitor& visit, Self& self) {
    visit("method", self.method);
    visit("why", self.why);
    visit("proved", self.proved);
    visit("not_proved", self.not_proved);
    visit("breakpoint_us", self.breakpoint_us);
    visit("clock", self.clock);
    visit("events", self.events);
    visit("missing_events", self.missing_events);
    visit("buffer_kib", self.buffer_kib);
    visit("lost_events", self.lost_events);
    visit("untraced_us", self.untraced_us);
    visit("traced_us", self.traced_us);
    visit("hits", self.hits);
    visit("hits_complete", self.hits_complete);
    visit("outliers", self.outliers);
    visit("near_misses", self.near_misses);
    visit("not_kept", self.not_kept);
    visit("unarmed_ms", self.unarmed_ms);
    visit("cpu_s", self.cpu_s);
  }
};

void to_json(nlohmann::json& json, const CaptureResult& result);
void from_json(const nlohmann::json& json, CaptureResult& result);

}  // namespace rtsweep
