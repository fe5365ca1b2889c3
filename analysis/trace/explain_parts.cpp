// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/explain_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/trace/softirq_names.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

struct Hint {
  std::string_view part;
  std::string_view text;
};

constexpr std::array<Hint, 8> kThreads = {
    {{"idle_inject/",
      "idle injection, thermal management that keeps the CPU idle on purpose (intel_powerclamp): a "
      "measurement beside it is invalid; see /sys/class/thermal/cooling_device*/type"},
     {"irq/", "the thread of an interrupt handler, SCHED_FIFO 50 unless changed"},
     {"migration/", "the stopper: CPU hotplug, stop_machine or a task being moved"},
     {"ksoftirqd/", "softirqs that were put off"},
     {"ktimers/", "the timer softirqs of PREEMPT_RT"},
     {"rcuc/", "RCU callbacks"},
     {"rcub/", "RCU priority boosting"},
     {"cpuhp/", "CPU hotplug"}}};

constexpr std::array<Hint, 33> kWork = {{{"end_page_writeback", "block I/O completion"},
                                         {"ext4_finish_bio", "block I/O completion"},
                                         {"ext4_end_bio", "block I/O completion"},
                                         {"bio_endio", "block I/O completion"},
                                         {"blk_done_softirq", "block I/O completion"},
                                         {"blk_complete_reqs", "block I/O completion"},
                                         {"blk_mq_end_request", "block I/O completion"},
                                         {"test_clear_page_writeback", "block I/O completion"},
                                         {"net_rx_action", "network receive"},
                                         {"napi_", "network receive"},
                                         {"netif_receive_skb", "network receive"},
                                         {"rtl8139_poll", "network receive"},
                                         {"net_tx_action", "network send"},
                                         {"mutex_spin_on_owner", "spinning on a mutex"},
                                         {"osq_lock", "spinning on a mutex"},
                                         {"rwsem_spin_on_owner", "spinning on a semaphore"},
                                         {"rcu_process_callbacks", "RCU callbacks"},
                                         {"rcu_do_batch", "RCU callbacks"},
                                         {"ata_", "disk commands"},
                                         {"scsi_", "disk commands"},
                                         {"mmc_", "MMC/SD commands"},
                                         {"xhci_", "USB host controller"},
                                         {"serial8250_", "serial console"},
                                         {"pl011_", "serial console"},
                                         {"console_", "console output"},
                                         {"univ8250_", "serial console"},
                                         {"uart_console_", "serial console"},
                                         {"nbcon_", "console output"},
                                         {"__pr_flush", "console output"},
                                         {"fbcon_", "console output"},
                                         {"vprintk", "console output"},
                                         {"flush_tlb", "TLB flushes"},
                                         {"unmap_", "unmapping of memory"}}};

struct Complaint {
  std::string_view words;
  std::string_view meaning;
  bool finding;
};

constexpr std::array<Complaint, 9> kComplaints = {
    {{"Boost inversion",
      "RCU readers of low priority were preempted and not boosted, so that no grace period ended",
      true},
     {"self-detected stall", "a CPU did not pass a quiescent state for too long", true},
     {"detected stalls on", "a CPU or task did not pass a quiescent state for too long", true},
     {"soft lockup", "a CPU ran kernel code without scheduling for too long", true},
     {"hard LOCKUP", "a CPU did not take interrupts for too long", true},
     {"scheduling while atomic", "code slept where it must not", true},
     {"RT throttling activated",
      "real-time threads used all of their share (950 ms in each second) and were stopped; also "
      "threads of interrupts count, so look at the rates in /proc/interrupts",
      false},
     {"NOHZ tick-stop error", "a CPU went idle with softirqs pending", false},
     {"local_softirq_pending", "a CPU went idle with softirqs pending", false}}};

const Complaint* complaint_in(std::string_view line) {
  for (const Complaint& complaint : kComplaints) {
    if (line.find(complaint.words) != std::string_view::npos) return &complaint;
  }
  return nullptr;
}

// "child <-parent" counts for both; trace-cmd prints "<--".
std::string_view work_of(std::string_view functions) {
  for (const Hint& work : kWork) {
    if (functions.find(work.part) != std::string_view::npos) return work.text;
  }
  return {};
}

}  // namespace

std::string work_of_calls(std::span<const std::string_view> functions) {
  for (const std::string_view function : functions) {
    for (const Hint& work : kWork) {
      if (function.starts_with(work.part)) return std::string(work.text);
    }
  }
  return {};
}

std::string complaint_meaning(std::string_view line) {
  const Complaint* complaint = complaint_in(line);
  if (complaint == nullptr) return {};
  std::string text(complaint->meaning);
  if (const auto mask = pending_mask(line)) {
    std::vector<std::string> names;
    for (const int vector : softirqs_of_mask(*mask)) names.push_back(softirq_name(vector));
    text += fmt::format("; #{:02x} is {}", *mask, names.empty() ? "none" : join(names, " and "));
  }
  return text;
}

bool complaint_is_finding(std::string_view line) {
  const Complaint* complaint = complaint_in(line);
  return complaint != nullptr && complaint->finding;
}

std::string thread_hint(std::string_view comm) {
  for (const Hint& hint : kThreads) {
    if (comm.starts_with(hint.part)) return std::string(hint.text);
  }
  return {};
}

bool is_cut_between(const Trace& trace, size_t before, size_t after) {
  const auto cut = std::ranges::upper_bound(trace.cuts, before);
  return cut != trace.cuts.end() && *cut < after;
}

std::string work_of_functions(const Trace& trace) {
  struct Share {
    int64_t time = 0;
    size_t lines = 0;
  };
  std::map<std::string_view, Share> works;
  Share all;
  for (size_t i = 1; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i - 1];
    const int64_t time = trace.events[i].time_ns - event.time_ns;
    if (event.name != "function" || is_cut_between(trace, event.line, trace.events[i].line)) {
      continue;
    }
    all.time += time;
    ++all.lines;
    const auto work = work_of(event.text);
    if (work.empty()) continue;
    works[work].time += time;
    ++works[work].lines;
  }
  for (const auto& [work, share] : works) {
    const bool long_enough = share.time > 0 && share.time * 3 >= all.time;
    if (long_enough || (share.lines >= 3 && share.lines * 10 >= all.lines)) {
      return std::string(work);
    }
  }
  return {};
}

std::string us_text(int64_t ns) {
  const double us = static_cast<double>(ns) / 1e3;
  std::string text =
      ns % 1'000 == 0 || us >= 1'000 ? fmt::format("{:.0f} us", us) : fmt::format("{:.1f} us", us);
  if (us >= 1e6) return text + fmt::format(" ({:.2f} s)", us / 1e6);
  if (us >= 1e4) return text + fmt::format(" ({:.1f} ms)", us / 1e3);
  return text;
}

std::string event_counts(const Trace& trace, size_t most) {
  std::map<std::string, size_t> counts;
  for (const TraceEvent& event : trace.events) {
    ++counts[event.name.empty() ? "(unnamed)" : event.name];
  }
  std::vector<std::pair<size_t, std::string>> sorted;
  sorted.reserve(counts.size());
  for (const auto& [name, count] : counts) sorted.emplace_back(count, name);
  std::ranges::stable_sort(sorted, std::ranges::greater(), &std::pair<size_t, std::string>::first);
  std::vector<std::string> parts;
  for (const auto& [count, name] : sorted) {
    if (parts.size() == most) {
      parts.emplace_back("...");
      break;
    }
    parts.emplace_back(fmt::format("{} {}", name, count));
  }
  return join(parts, ", ");
}

bool has_event(const Trace& trace, std::string_view part) {
  return std::ranges::any_of(trace.events, [part](const TraceEvent& event) {
    return event.name.find(part) != std::string::npos;
  });
}

}  // namespace rtsweep
