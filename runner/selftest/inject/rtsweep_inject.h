// SPDX-License-Identifier: GPL-2.0-or-later

// Delays of a known kind, time and length, for `rtsweep selftest --causes`.

#ifndef RTSWEEP_INJECT_H
#define RTSWEEP_INJECT_H

#include <linux/types.h>

// Keeps the CPU for so long and writes down when, by CLOCK_MONOTONIC. Says nothing in the
// trace: rtsweep explain must find out by itself.
void rtsweep_spin(u64 ns);

// An idle state whose exit takes long, the next time that the CPU sleeps.
int rtsweep_idle_start(void);
void rtsweep_idle_inject(u64 ns);
void rtsweep_idle_stop(void);

// A change of the frequency that stops the CPU for so long.
int rtsweep_frequency_start(void);
void rtsweep_frequency_inject(u64 ns);
void rtsweep_frequency_stop(void);

#endif
