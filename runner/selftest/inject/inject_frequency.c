// SPDX-License-Identifier: GPL-2.0-or-later

// A frequency driver for a machine that has none: three steps that mean nothing. A change
// that was asked for stops the CPU until its clock is stable again.

#include <linux/cpufreq.h>
#include <linux/irqflags.h>

#include "rtsweep_inject.h"

static struct cpufreq_frequency_table steps[] = {
    {.frequency = 800000}, {.frequency = 1600000}, {.frequency = 2400000},
    {.frequency = CPUFREQ_TABLE_END}};

static u64 stop_ns;  // of the next change

static int frequency_init(struct cpufreq_policy* policy) {
  policy->freq_table = steps;
  policy->cpuinfo.transition_latency = 1000;
  policy->cur = steps[0].frequency;
  return 0;
}

static unsigned int frequency_now(unsigned int cpu) {
  const struct cpufreq_policy* policy = cpufreq_cpu_get_raw(cpu);

  return policy ? policy->cur : 0;
}

static noinline void rtsweep_clock_change(u64 ns) {
  unsigned long flags;

  local_irq_save(flags);
  rtsweep_spin(ns);
  local_irq_restore(flags);
}

static int frequency_change(struct cpufreq_policy* policy, unsigned int index) {
  if (stop_ns) rtsweep_clock_change(stop_ns);
  stop_ns = 0;
  return 0;
}

// CONST_LOOPS: the time stamp counter does not follow the frequency, and stays the clock.
static struct cpufreq_driver frequency_driver = {
    .name = "rtsweep",
    .flags = CPUFREQ_CONST_LOOPS,
    .init = frequency_init,
    .verify = cpufreq_generic_frequency_table_verify,
    .get = frequency_now,
    .target_index = frequency_change,
};

int rtsweep_frequency_start(void) { return cpufreq_register_driver(&frequency_driver); }
void rtsweep_frequency_stop(void) { cpufreq_unregister_driver(&frequency_driver); }

// Down when it is high, up when it is low; the governor puts it back in its own time.
void rtsweep_frequency_inject(u64 ns) {
  struct cpufreq_policy* policy = cpufreq_cpu_get(raw_smp_processor_id());

  if (!policy) return;
  stop_ns = ns;
  cpufreq_driver_target(policy, policy->cur > steps[1].frequency ? steps[0].frequency : policy->max,
                        CPUFREQ_RELATION_L);
  cpufreq_cpu_put(policy);
}
