// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep: real-time latency tests for PREEMPT_RT kernels.

#include "runner/cli/program.h"

int main(int argc, char** argv) { return rtsweep::run_program(argc, argv, rtsweep::make_target); }
