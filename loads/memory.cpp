// SPDX-License-Identifier: GPL-2.0-or-later

// memory: workers that keep the memory bus and the caches (kind stream), or the
// kernel's memory management (kind vm), busy. On boards with a shared L2 or a narrow
// bus this is what stretches every path of the kernel at once.

#include <algorithm>
#include <string>

#include "loads/group_work.h"
#include "loads/options.h"
#include "loads/stress_ng.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kGiB = 1 << 30;

// stress-ng makes each of its three arrays four times the size that it is told for
// the L3 cache, over all workers together: enough not to fit.
constexpr uint64_t kStreamBytesPerCacheByte = 12;

// The largest cache of CPU 0, as sysfs has it: "2048K". 0 when it tells of none, as
// on many ARM boards and in VMs.
uint64_t largest_cache(const HostRoot& host) {
  uint64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const auto text =
        host.read("sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    if (!text) continue;
    largest = std::max<uint64_t>(largest, std::strtoull(text->c_str(), nullptr, 10) * 1024);
  }
  return largest;
}

// "MemTotal:        2039736 kB" in bytes.
Result<uint64_t> total_memory(const HostRoot& host) {
  RTSWEEP_TRY(const std::string meminfo, host.read("proc/meminfo"));
  for (const std::string& line : split(meminfo, '\n')) {
    const auto fields = words(line);
    if (fields.size() == 3 && fields[0] == "MemTotal:" && fields[2] == "kB") {
      return std::strtoull(fields[1].c_str(), nullptr, 10) * 1024;
    }
  }
  return Error(Errc::kBadData, "proc/meminfo: no MemTotal");
}

// Past the caches where the machine has the memory for it, and never so much that the
// load needs seconds to get going or drives the machine out of memory.
Result<uint64_t> automatic_size(const LoadContext& context, bool stream) {
  RTSWEEP_TRY(const uint64_t memory, total_memory(context.host));
  const uint64_t past_caches =
      stream ? kStreamBytesPerCacheByte * largest_cache(context.host) : uint64_t{0};
  const uint64_t wanted = std::clamp(past_caches, 48 * kMiB, 4 * kGiB);
  return std::min(wanted, memory / 8 / kMiB * kMiB);
}

Result<std::vector<std::string>> arguments(const LoadContext& context) {
  const auto cpus = static_cast<int64_t>(context.cpus.size());
  RTSWEEP_TRY(const std::string kind, option_choice(context, "kind", {"stream", "vm"}));
  RTSWEEP_TRY(const int64_t workers, option_number(context, "workers", 1, 4096, cpus));
  RTSWEEP_TRY(const uint64_t automatic, automatic_size(context, kind == "stream"));
  RTSWEEP_TRY(const uint64_t bytes,
              option_bytes(context, "size", 4 * kMiB, 1024 * kGiB, automatic));
  const std::string count = std::to_string(workers);
  if (kind == "stream") {
    return stress_ng(context, {"--stream", count, "--stream-l3-size",
                               std::to_string(bytes / kStreamBytesPerCacheByte)});
  }
  // write64 touches each page and does little else, so that the time goes into page
  // faults and the mapping and unmapping around them.
  return stress_ng(context,
                   {"--vm", count, "--vm-bytes", std::to_string(bytes), "--vm-method", "write64"});
}

// The counter is CPU time, for the reasons in cpu.cpp: a worker that waits for memory
// is running as the kernel sees it. What it moved is in the note: stream tells its
// bandwidth when it has run for some seconds.
const BuiltinLoad kMemory({
    .name = "memory",
    .exercises = "memory bandwidth and caches, or page faults and mmap",
    .programs = {"stress-ng"},
    .unit = "cpu-ms",
    .floor_per_s = 100,
    .options = {{"kind", "stream", "stream (bandwidth) or vm (page faults)"},
                {"workers", "", "processes; one for each CPU if not set"},
                {"size", "", "bytes that all workers use together; past the caches if not set"}},
    .guest = {.packages = {"stress-ng"}},
    .arguments = arguments,
    .work = cpu_ms_of,
    .note = stress_ng_note,
});

}  // namespace
}  // namespace rtsweep
