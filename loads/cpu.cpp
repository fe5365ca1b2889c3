// SPDX-License-Identifier: GPL-2.0-or-later

// cpu: one worker on each CPU that computes and never sleeps. No idle state is ever
// entered, the caches are warm with somebody else's data, and the probe has to take
// the CPU from a task that will not give it up.

#include <string>

#include "loads/group_work.h"
#include "loads/options.h"
#include "loads/stress_ng.h"

namespace rtsweep {
namespace {

Result<std::vector<std::string>> arguments(const LoadContext& context) {
  const auto cpus = static_cast<int64_t>(context.cpus.size());
  RTSWEEP_TRY(const int64_t workers, option_number(context, "workers", 1, 4096, cpus));
  RTSWEEP_TRY(const std::string method,
              option_choice(context, "method",
                            {"bitops", "crc16", "double", "fft", "float", "int32", "int64", "jmp",
                             "loop", "matrixprod", "prime", "queens", "sieve", "sqrt", "trig"}));
  return stress_ng(context, {"--cpu", std::to_string(workers), "--cpu-method", method});
}

// A method that is fixed does the same work in every trial, where stress-ng's own
// default goes through 80 of them, some of which need seconds for one step. bitops is
// integer work that all architectures have instructions for (matrixprod, the usual
// choice, is long double: emulated in software on arm64).
//
// CPU time is what this load is for, the kernel counts it, and stopped, starved or
// dead workers get none. The floor is a tenth of one CPU: a load that shares the only
// CPU of a VM with other loads and a probe at 20 % still gets several times that.
const BuiltinLoad kCpu({
    .name = "cpu",
    .exercises = "preemption of a computing task; no idle states",
    .programs = {"stress-ng"},
    .unit = "cpu-ms",
    .floor_per_s = 100,
    .options = {{"workers", "", "computing processes; one for each CPU if not set"},
                {"method", "bitops", "stress-ng --cpu-method, one that does not change"}},
    .guest = {.packages = {"stress-ng"}},
    .arguments = arguments,
    .work = cpu_ms_of,
    .note = stress_ng_note,
});

}  // namespace
}  // namespace rtsweep
