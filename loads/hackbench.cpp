// SPDX-License-Identifier: GPL-2.0-or-later

// hackbench: many short messages between many processes, so many wakeups, context
// switches and contended locks on every CPU it may use. The classic load beside
// cyclictest.

#include "loads/group_work.h"
#include "loads/options.h"

namespace rtsweep {
namespace {

Result<std::vector<std::string>> arguments(const LoadContext& context) {
  const auto cpus = static_cast<int64_t>(context.cpus.size());
  RTSWEEP_TRY(const std::string ipc, option_choice(context, "ipc", {"pipe", "socket"}));
  RTSWEEP_TRY(const std::string tasks, option_choice(context, "tasks", {"process", "thread"}));
  RTSWEEP_TRY(const int64_t groups, option_number(context, "groups", 1, 1000, 2 * cpus));
  RTSWEEP_TRY(const int64_t fds, option_number(context, "fds", 1, 100, 8));
  RTSWEEP_TRY(const int64_t size, option_number(context, "size", 1, 65536, 100));

  // Short options only: hackbench checks argv at the place that a long one has in its
  // own table, and refuses it when the command line happens to end there.
  std::vector<std::string> argv = {"hackbench", tasks == "thread" ? "-T" : "-P"};
  if (ipc == "pipe") argv.emplace_back("-p");
  // -l is a bound, not a goal: the runner stops the load with the trial.
  for (const auto& [option, value] :
       {std::pair{"-g", groups}, {"-f", fds}, {"-s", size}, {"-l", int64_t{2'000'000'000}}}) {
    argv.insert(argv.end(), {option, std::to_string(value)});
  }
  return argv;
}

// A message is one write(2), to a pipe as to a socket; the kernel counts it when it
// has been taken over, so senders that are stuck count nothing.
//
// The floor: on an arm64 VM in virtual time (125 million instructions a second, one
// CPU) 16,000 messages a second go through pipes and 4,300 through sockets, and the
// slowest board passes more. A quarter of that still is a wakeup each millisecond.
const BuiltinLoad kHackbench({
    .name = "hackbench",
    .exercises = "scheduler wakeups, context switches, pipes or sockets",
    .programs = {"hackbench"},
    .unit = "messages",
    .floor_per_s = 1000,
    .options = {{"ipc", "pipe", "pipe or socket"},
                {"tasks", "process", "process or thread"},
                {"groups", "", "groups of senders and receivers; two for each CPU if not set"},
                {"fds", "8", "senders, and as many receivers, in a group"},
                {"size", "100", "bytes in a message"}},
    .guest = {.packages = {"rt-tests"}},
    .arguments = arguments,
    .work = write_calls_of,
});

}  // namespace
}  // namespace rtsweep
