// SPDX-License-Identifier: GPL-2.0-or-later

// command: any command line of the user's, for the load that nobody else has.
//
// Its work is what the kernel counts of its processes, or a number that it keeps
// itself in the file whose path it finds in $RTSWEEP_WORK (unit = "its own word").
// As every load, it may tell its phases in the file $RTSWEEP_PHASES.

#include <algorithm>
#include <charconv>
#include <string>

#include "loads/group_work.h"
#include "loads/options.h"
#include "runner/base/files.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr std::string_view kWorkFile = "work";

Result<std::vector<std::string>> arguments(const LoadContext& context) {
  const std::string run = option_text(context, "run");
  if (trim(run).empty()) {
    return Error(Errc::kInvalidPlan, "option 'run' is not set: the load needs a command line");
  }
  const std::string unit = option_text(context, "unit");
  if (unit.empty() || unit.size() > 32 || unit.find_first_of("\n\t\r") != std::string::npos) {
    return Error(Errc::kInvalidPlan, "option 'unit' is '" + unit +
                                         "', but must be cpu-ms, write-calls, bytes, or a word "
                                         "for what the command counts in $RTSWEEP_WORK");
  }
  // $0 for the shell's own messages, $1 for the path, so that no quoting is needed.
  return std::vector<std::string>{"sh", "-c", "export RTSWEEP_WORK=\"$1\"; shift\n" + run,
                                  "rtsweep-command", (context.scratch / kWorkFile).string()};
}

// A number alone in the file. Not there yet: nothing done yet. Half written by a
// command that truncates and writes: "" is no number, and an error that says so.
Result<uint64_t> own_counter(const RunningLoad& load) {
  RTSWEEP_CHECK_OK(cpu_ms_of(load));  // a dead command's last number counts no more
  const std::filesystem::path file = load.scratch / kWorkFile;
  std::error_code ec;
  if (!std::filesystem::exists(file, ec)) return uint64_t{0};
  RTSWEEP_TRY(const std::string text, read_file(file));
  const std::string_view digits = trim(text);
  uint64_t value = 0;
  const auto [end, failed] = std::from_chars(digits.begin(), digits.end(), value);
  if (failed == std::errc() && end == digits.end()) return value;
  return Error(Errc::kBadData, "$RTSWEEP_WORK holds '" + std::string(digits.substr(0, 40)) +
                                   "', not a whole number; write it with: echo N > "
                                   "$RTSWEEP_WORK.new && mv $RTSWEEP_WORK.new $RTSWEEP_WORK");
}

Result<uint64_t> work(const RunningLoad& load) {
  const auto unit = load.options.find("unit");
  if (unit == load.options.end() || unit->second == "cpu-ms") return cpu_ms_of(load);
  if (unit->second == "write-calls") return write_calls_of(load);
  if (unit->second == "bytes") return written_bytes_of(load);
  return own_counter(load);
}

std::string unit_of(const std::map<std::string, std::string>& options) {
  const auto unit = options.find("unit");
  return unit == options.end() ? "cpu-ms" : unit->second;
}

// No floor of its own: what is little work for an unknown command, only the user knows
// and can say (floor_per_s in the plan). That it is still alive is asked all the same.
const BuiltinLoad kCommand({
    .name = "command",
    .exercises = "what the user's command line does",
    .programs = {"sh"},
    .unit = "cpu-ms",
    .options = {{"run", "", "the command line, for sh -c; it should run until it is stopped"},
                {"unit", "cpu-ms",
                 "how its work is counted: cpu-ms, write-calls, bytes (to disks), or any other "
                 "word for a number that it keeps in the file $RTSWEEP_WORK"}},
    .guest = {.packages = {"dash", "coreutils", "util-linux", "mount"}},
    .arguments = arguments,
    .work = work,
    .unit_of = unit_of,
});

}  // namespace
}  // namespace rtsweep
