// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// Mounts tracefs where nobody has, and takes it away again when this ends.
class TracefsMount {
 public:
  explicit TracefsMount(const HostRoot& host);
  TracefsMount(const TracefsMount&) = delete;
  TracefsMount& operator=(const TracefsMount&) = delete;
  ~TracefsMount();

 private:
  std::string mounted_;
};

// A buffer and a tracer of our own, beside whatever else traces on this machine: a
// directory in instances/, which is gone when this ends. One that a killed runner left is
// taken over.
class TracefsInstance {
 public:
  explicit TracefsInstance(const HostRoot& host) : host_(host) {}
  TracefsInstance(const TracefsInstance&) = delete;
  TracefsInstance& operator=(const TracefsInstance&) = delete;
  ~TracefsInstance() { (void)remove(); }

  Result<void> create();
  Result<void> set(std::string_view file, std::string_view value) const;

  // Opens the raw buffers of these CPUs, for drain().
  Result<void> open_buffers(const std::vector<int>& cpus);

  // Reads whatever the buffers hold: one page after the other, with its CPU.
  Result<void> drain(const std::function<Result<void>(int cpu, std::string_view page)>& each);

  // Events that found no room so far, by per_cpu/cpuN/stats of the CPUs of open_buffers().
  uint64_t lost_events() const;

  // Stops the tracer, which ends its threads, and removes the directory.
  Result<void> remove();

 private:
  struct Buffer {
    int cpu;
    UniqueFd fd;
  };
  std::string path(std::string_view file) const;

  const HostRoot& host_;
  bool exists_ = false;
  std::vector<Buffer> buffers_;
  std::string page_;
};

}  // namespace rtsweep
