// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/trace/stack_frames.h"

#include <algorithm>
#include <span>

namespace rtsweep {
namespace {

// Where an interrupt enters the kernel: amd64 and i386, arm64, arm.
constexpr std::string_view kEntries[] = {
    "asm_sysvec_",   "asm_common_interrupt",    "asm_exc_nmi", "apic_timer_interrupt",
    "ret_from_intr", "common_interrupt_return", "el1h_64_irq", "el1_irq",
    "__irq_svc"};
// The same, only ever from user space.
constexpr std::string_view kUserEntries[] = {"el0t_64_irq", "el0t_32_irq", "el0_irq", "__irq_usr"};

constexpr std::string_view kIdle[] = {"native_safe_halt", "pv_native_safe_halt", "default_idle",
                                      "acpi_idle_",       "intel_idle",          "mwait_idle",
                                      "cpuidle_",         "cpu_do_idle",         "arch_cpu_idle",
                                      "do_idle",          "amd_e400_idle",       "acpi_safe_halt"};

constexpr std::string_view kTracer[] = {"trace_event_", "__traceiter_",    "ftrace_",
                                        "perf_trace_",  "event_triggers_", "__ftrace_trace_stack"};

constexpr std::string_view kScheduler[] = {"__schedule",
                                           "schedule",
                                           "preempt_schedule",
                                           "___preempt_schedule",
                                           "__sched_text_start",
                                           "__cond_resched",
                                           "_cond_resched",
                                           "dynamic_cond_resched",
                                           "raw_irqentry_exit_cond_resched",
                                           "irqentry_exit_cond_resched",
                                           "arm64_preempt_schedule_irq",
                                           "svc_preempt"};

// Waiting for a time to pass, and reading the clock meanwhile: their caller is who waits.
constexpr std::string_view kDelays[] = {
    "delay_",       "__delay",        "__const_udelay", "__udelay",         "__ndelay",
    "__loop_delay", "__timer_delay",  "ktime_get",      "read_tsc",         "native_sched_clock",
    "sched_clock",  "kvm_clock",      "pvclock_",       "arch_counter_get", "__ktime_get",
    "timekeeping_", "arch_timer_read"};

constexpr std::string_view kEnabling[] = {"_raw_spin_unlock_irq",  // and _irqrestore
                                          "_raw_read_unlock_irq",
                                          "_raw_write_unlock_irq",
                                          "__raw_spin_unlock_irq",
                                          "raw_spin_unlock_irq",
                                          "local_irq_",
                                          "arch_local_irq_",
                                          "trace_hardirqs_on",
                                          "finish_task_switch",
                                          "__do_softirq",
                                          "handle_softirqs",
                                          "do_softirq",
                                          "__local_bh_enable",
                                          "exit_to_user_mode",
                                          "syscall_exit_to_user_mode",
                                          "syscall_enter_from_user_mode",
                                          "do_syscall_64",
                                          "exc_page_fault",
                                          "asm_exc_page_fault",
                                          "irqentry_",
                                          "on_each_cpu",
                                          "smp_call_function",
                                          "stop_machine",
                                          "multi_cpu_stop"};

std::string_view bare(std::string_view function) {
  return function.substr(0, function.find_first_of("+ "));
}

template <size_t N>
bool begins_with(std::string_view function, const std::string_view (&words)[N]) {
  return std::ranges::any_of(words, [function](auto word) { return function.starts_with(word); });
}

std::vector<std::string_view> behind(std::span<const std::string> frames) {
  std::vector<std::string_view> functions;
  for (const std::string& frame : frames) functions.emplace_back(frame);
  return functions;
}

}  // namespace

Interrupted interrupted_code(const std::vector<std::string>& stack) {
  // The outermost interrupt's entry is last; an interrupt inside another one is the other's.
  for (size_t i = 0; i < stack.size(); ++i) {
    if (begins_with(bare(stack[i]), kUserEntries)) return {Interrupted::Where::kUser, {}};
    if (!begins_with(bare(stack[i]), kEntries)) continue;
    while (i + 1 < stack.size() && begins_with(bare(stack[i + 1]), kEntries)) ++i;
    Interrupted found{Interrupted::Where::kKernel, behind(std::span(stack).subspan(i + 1))};
    if (found.functions.empty()) return {Interrupted::Where::kUser, {}};
    if (begins_with(bare(found.functions[0]), kIdle)) found.where = Interrupted::Where::kIdle;
    return found;
  }
  return {};
}

std::vector<std::string_view> scheduling_code(const std::vector<std::string>& stack) {
  size_t first = 0;
  while (first < stack.size() && (begins_with(bare(stack[first]), kTracer) ||
                                  begins_with(bare(stack[first]), kScheduler))) {
    ++first;
  }
  return behind(std::span(stack).subspan(first));
}

std::string calls_text(const std::vector<std::string_view>& functions) {
  std::string text;
  size_t said = 0;
  for (const std::string_view function : functions) {
    if (begins_with(bare(function), kDelays) && said == 0) continue;
    const size_t offset = function.find('+');
    const size_t module = function.find(" [");
    text += (said > 0 ? " <- " : "");
    text += function.substr(0, std::min(offset, module));
    if (module != std::string_view::npos) text += function.substr(module);
    if (++said == 2) break;
  }
  return text;
}

bool switches_interrupts_on(const std::vector<std::string_view>& functions) {
  if (functions.empty()) return false;
  return begins_with(bare(functions[0]), kEnabling) ||
         functions[0].find(" [") != std::string_view::npos;
}

}  // namespace rtsweep
