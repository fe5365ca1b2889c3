// SPDX-License-Identifier: GPL-2.0-or-later

// The module's main part: a thread that delays the CPU at random moments.
//
//   echo "KIND COUNT MIN_US MAX_US GAP_US SEED" > /proc/rtsweep-inject     begins
//   cat /proc/rtsweep-inject        "KIND BEGIN_NS LENGTH_NS" for each delay that was made,
//                                   "end" after the last one
//
// BEGIN_NS is CLOCK_MONOTONIC. The lengths are even between MIN_US and MAX_US, the pauses
// between GAP_US and 2 * GAP_US.

#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "rtsweep_inject.h"

#define MOST 1000
#define TASKLET_NS (20 * NSEC_PER_USEC)

struct delay_done {
  u64 begin_ns;
  u64 length_ns;
};

struct kind {
  const char* name;
  void (*inject)(u64 ns);
  int (*start)(void);  // may be NULL
  void (*stop)(void);
};

static struct delay_done delays[MOST];
static atomic_t delays_made = ATOMIC_INIT(0);

static const struct kind* now_kind;
static struct task_struct* thread;
static bool all_made;
static unsigned int count, min_us, max_us, gap_us;
static struct rnd_state random_state;
static DEFINE_MUTEX(one_at_a_time);

static void rtsweep_note(u64 begin_ns, u64 end_ns) {
  const int at = atomic_inc_return(&delays_made) - 1;

  if (at >= MOST) return;
  delays[at].begin_ns = begin_ns;
  delays[at].length_ns = end_ns - begin_ns;
}

static u64 keep_cpu(u64 ns) {
  const u64 begin = ktime_get_mono_fast_ns();

  while (ktime_get_mono_fast_ns() - begin < ns) cpu_relax();
  return begin;
}

noinline void rtsweep_spin(u64 ns) {
  const u64 begin = keep_cpu(ns);

  rtsweep_note(begin, ktime_get_mono_fast_ns());
}

// --- kinds -------------------------------------------------------------------------------

// As most of the kernel does it: they are let in again at the end of a raw spinlock. Its end is
// a function of its own, since arm64's stacks lack who called a function that calls no other.
static DEFINE_RAW_SPINLOCK(held);

static noinline void rtsweep_irqs_off_end(unsigned long flags) {
  raw_spin_unlock_irqrestore(&held, flags);
  barrier();  // no tail call: this function is to be seen in stacks
}

static noinline void rtsweep_irqs_off(u64 ns) {
  unsigned long flags;

  raw_spin_lock_irqsave(&held, flags);
  rtsweep_spin(ns);
  rtsweep_irqs_off_end(flags);
  barrier();
}

static noinline void rtsweep_preempt_off(u64 ns) {
  preempt_disable();
  rtsweep_spin(ns);
  preempt_enable();
}

// The thread itself: the load gives it a priority above the probe's.
static noinline void rtsweep_hog(u64 ns) { rtsweep_spin(ns); }

static struct hrtimer long_timer;
static u64 long_timer_ns;

static enum hrtimer_restart rtsweep_long_timer(struct hrtimer* timer) {
  rtsweep_spin(long_timer_ns);
  return HRTIMER_NORESTART;
}

static void start_long_timer(u64 ns) {
  long_timer_ns = ns;
  hrtimer_start(&long_timer, ns_to_ktime(20 * NSEC_PER_USEC), HRTIMER_MODE_REL_PINNED_HARD);
}

static void cancel_long_timer(void) { hrtimer_cancel(&long_timer); }

static int prepare_long_timer(void) {
  hrtimer_init(&long_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
  long_timer.function = rtsweep_long_timer;
  return 0;
}

static u64 storm_begin_ns, storm_ns;

static void rtsweep_storm(struct tasklet_struct* tasklet);
static DECLARE_TASKLET(storm, rtsweep_storm);

static void rtsweep_storm(struct tasklet_struct* tasklet) {
  const u64 now = keep_cpu(TASKLET_NS) + TASKLET_NS;

  if (now - storm_begin_ns < storm_ns)
    tasklet_schedule(tasklet);
  else
    rtsweep_note(storm_begin_ns, now);
}

static void start_storm(u64 ns) {
  storm_begin_ns = ktime_get_mono_fast_ns();
  storm_ns = ns;
  tasklet_schedule(&storm);
}

static void kill_storm(void) { tasklet_kill(&storm); }

#ifdef CONFIG_X86
// An interrupt line of the PC that no device of the VM uses; the interrupt controller is
// told to send it, as a device would.
static const int kLines[] = {7, 3, 6, 14};
static int line = -1;
static u64 handler_ns;

static irqreturn_t rtsweep_long_irq(int irq, void* cookie) {
  rtsweep_spin(handler_ns);
  return IRQ_HANDLED;
}

static int take_line(void) {
  int i;

  for (i = 0; i < ARRAY_SIZE(kLines); ++i) {
    if (request_irq(kLines[i], rtsweep_long_irq, IRQF_NO_THREAD, "rtsweep-slow", delays) == 0) {
      line = kLines[i];
      return 0;
    }
  }
  return -EBUSY;
}

static void give_line_back(void) { free_irq(line, delays); }

static void raise_line(u64 ns) {
  handler_ns = ns;
  if (irq_inject_interrupt(line)) pr_warn_once("rtsweep_inject: interrupt %d is not sent\n", line);
}
#endif

// The kernel's messages on a slow console, by its printing thread, which the load gives a
// priority above the probe's: about 400 ns a character in a VM with a
// virtual clock.
static noinline void rtsweep_print(u64 ns) {
  static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr";
  const u64 begin = ktime_get_mono_fast_ns();
  u64 left = div_u64(ns, 400 * sizeof(text)) + 1;

  while (left--) pr_emerg("rtsweep_inject: %s\n", text);
  rtsweep_note(begin, ktime_get_mono_fast_ns());
}

static const struct kind kinds[] = {
    {"irqs-off", rtsweep_irqs_off},
    {"preempt-off", rtsweep_preempt_off},
    {"hog", rtsweep_hog},
    {"timer", start_long_timer, prepare_long_timer, cancel_long_timer},
    {"softirq", start_storm, NULL, kill_storm},
#ifdef CONFIG_X86
    {"hard-irq", raise_line, take_line, give_line_back},
#endif
    {"console", rtsweep_print},
    {"idle", rtsweep_idle_inject, rtsweep_idle_start, rtsweep_idle_stop},
    {"frequency", rtsweep_frequency_inject, rtsweep_frequency_start, rtsweep_frequency_stop},
};

// --- the thread --------------------------------------------------------------------------

static u32 between(u32 least, u32 most) {
  return least + prandom_u32_state(&random_state) % (most - least + 1);
}

static int inject_all(void* unused) {
  unsigned int i;

  for (i = 0; i < count && !kthread_should_stop(); ++i) {
    const u32 gap = between(gap_us, 2 * gap_us);

    usleep_range(gap, gap + 1);
    now_kind->inject((u64)between(min_us, max_us) * NSEC_PER_USEC);
  }
  usleep_range(gap_us, gap_us + 1);
  WRITE_ONCE(all_made, true);
  while (!kthread_should_stop()) {
    set_current_state(TASK_INTERRUPTIBLE);
    if (!kthread_should_stop()) schedule_timeout(HZ / 10);
  }
  return 0;
}

static void end_injection(void) {
  if (!thread) return;
  kthread_stop(thread);
  thread = NULL;
  if (now_kind->stop) now_kind->stop();
}

static int begin_injection(const char* name, u64 seed) {
  size_t i;
  int failed;

  for (i = 0; i < ARRAY_SIZE(kinds); ++i) {
    if (strcmp(kinds[i].name, name) != 0) continue;
    failed = kinds[i].start ? kinds[i].start() : 0;
    if (failed) return failed;
    now_kind = &kinds[i];
    atomic_set(&delays_made, 0);
    all_made = false;
    prandom_seed_state(&random_state, seed);
    thread = kthread_run(inject_all, NULL, "rtsweep-inject");
    if (!IS_ERR(thread)) return 0;
    failed = PTR_ERR(thread);
    thread = NULL;
    if (now_kind->stop) now_kind->stop();
    return failed;
  }
  return -EINVAL;
}

// --- /proc/rtsweep-inject ----------------------------------------------------------------

static ssize_t inject_write(struct file* file, const char __user* user, size_t size, loff_t* at) {
  char text[128];
  char name[24];
  u64 seed;
  int failed;

  if (size >= sizeof(text)) return -EINVAL;
  if (copy_from_user(text, user, size)) return -EFAULT;
  text[size] = '\0';
  mutex_lock(&one_at_a_time);
  end_injection();
  failed = -EINVAL;
  if (sscanf(text, "%23s %u %u %u %u %llu", name, &count, &min_us, &max_us, &gap_us, &seed) == 6 &&
      count <= MOST && max_us >= min_us)
    failed = begin_injection(name, seed);
  mutex_unlock(&one_at_a_time);
  return failed ? failed : (ssize_t)size;
}

static int inject_show(struct seq_file* out, void* unused) {
  const int made = min(atomic_read(&delays_made), MOST);
  int i;

  for (i = 0; i < made; ++i)
    seq_printf(out, "%s %llu %llu\n", now_kind->name, delays[i].begin_ns, delays[i].length_ns);
  if (READ_ONCE(all_made)) seq_puts(out, "end\n");
  return 0;
}

static int inject_open(struct inode* inode, struct file* file) {
  return single_open(file, inject_show, NULL);
}

static const struct proc_ops inject_ops = {
    .proc_open = inject_open,
    .proc_read = seq_read,
    .proc_write = inject_write,
    .proc_lseek = seq_lseek,
    .proc_release = single_release,
};

static int __init inject_init(void) {
  return proc_create("rtsweep-inject", 0600, NULL, &inject_ops) ? 0 : -ENOMEM;
}

static void __exit inject_exit(void) {
  remove_proc_entry("rtsweep-inject", NULL);
  mutex_lock(&one_at_a_time);
  end_injection();
  mutex_unlock(&one_at_a_time);
}

module_init(inject_init);
module_exit(inject_exit);
MODULE_DESCRIPTION("Delays of a known kind, for rtsweep selftest --causes");
MODULE_LICENSE("GPL");
