// SPDX-License-Identifier: GPL-2.0-or-later

// An idle driver with one state, "DEEP". When it has its chance, the CPU sleeps with
// interrupts off until one is pending, and takes its time to come out of it, as a core
// does whose cache and voltage must come back first; otherwise it halts as ever.

#include <linux/cpuidle.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/sched.h>
#ifdef CONFIG_X86
#include <asm/apic.h>
#endif

#include "rtsweep_inject.h"

// Enters with interrupts off and leaves with them off.
#ifdef CONFIG_X86
static bool interrupt_pending(void) {
  int i;

  for (i = 0; i < 8; ++i) {
    if (native_apic_mem_read(APIC_IRR + 0x10 * i)) return true;
  }
  return false;
}

// hlt does not end with interrupts off, and the VM has no mwait.
static void sleep_until_interrupt(void) {
  while (!need_resched() && !interrupt_pending()) cpu_relax();
}

static void sleep_as_ever(void) {
  raw_safe_halt();
  raw_local_irq_disable();
}
#else
static void sleep_until_interrupt(void) {
  dsb(sy);
  wfi();
}

static void sleep_as_ever(void) { sleep_until_interrupt(); }
#endif

static atomic64_t chance_ns = ATOMIC64_INIT(0);

static int rtsweep_deep_idle(struct cpuidle_device* device, struct cpuidle_driver* driver,
                             int index) {
  const u64 exit_ns = atomic64_read(&chance_ns) ? atomic64_xchg(&chance_ns, 0) : 0;

  if (!exit_ns) {
    sleep_as_ever();
    return index;
  }
  sleep_until_interrupt();
  rtsweep_spin(exit_ns);
  return index;
}

static struct cpuidle_driver idle_driver = {
    .name = "rtsweep",
    .owner = THIS_MODULE,
    .states = {{.name = "DEEP",
                .desc = "slow to leave",
                .exit_latency = 1,
                .target_residency = 1,
                .enter = rtsweep_deep_idle}},
    .state_count = 1,
};

int rtsweep_idle_start(void) { return cpuidle_register(&idle_driver, NULL); }
void rtsweep_idle_stop(void) { cpuidle_unregister(&idle_driver); }
void rtsweep_idle_inject(u64 ns) { atomic64_set(&chance_ns, ns); }
