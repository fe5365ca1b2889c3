// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/softirq_names.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace rtsweep {
namespace {

struct Softirq {
  std::string_view name;
  std::string_view work;
};
constexpr std::array<Softirq, 10> kSoftirqs = {{{"HI", "high-priority tasklets"},
                                                {"TIMER", "timers"},
                                                {"NET_TX", "network send"},
                                                {"NET_RX", "network receive"},
                                                {"BLOCK", "block I/O completion"},
                                                {"IRQ_POLL", "polled block I/O completion"},
                                                {"TASKLET", "tasklets"},
                                                {"SCHED", "load balancing"},
                                                {"HRTIMER", "high-resolution timers"},
                                                {"RCU", "RCU callbacks"}}};

}  // namespace

std::string softirq_name(int64_t vector) {
  if (vector < 0 || vector >= static_cast<int64_t>(kSoftirqs.size())) {
    return fmt::format("softirq {}", vector);
  }
  return std::string(kSoftirqs[static_cast<size_t>(vector)].name);
}

std::vector<int> softirqs_of_mask(uint64_t mask) {
  std::vector<int> vectors;
  for (int bit = 0; bit < static_cast<int>(kSoftirqs.size()); ++bit) {
    if ((mask >> bit & 1) != 0) vectors.push_back(bit);
  }
  return vectors;
}

std::optional<uint64_t> pending_mask(std::string_view line) {
  constexpr std::string_view kKey = "handler #";
  const size_t at = line.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = line.substr(at + kKey.size());
  uint64_t mask = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), mask, 16);
  if (read.ec != std::errc() || read.ptr == digits.data()) return std::nullopt;
  return mask;
}

std::string_view softirq_work(std::string_view name) {
  for (const Softirq& one : kSoftirqs) {
    if (one.name == name) return one.work;
  }
  return {};
}

}  // namespace rtsweep
