// SPDX-License-Identifier: GPL-2.0-or-later

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "runner/capture/trace_dat/dat_search.h"
#include "runner/capture/trace_dat/trace_dat_file.h"

namespace rtsweep {
namespace {

Result<DatBytes> in_memory(const uint8_t* data, size_t size) {
  UniqueFd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  if (::write(fd.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  return DatBytes::from_fd(std::move(fd), "fuzz");
}

// Our own part, in this process: the container, the pages, the search in them.
Result<void> walk(const DatBytes& file) {
  RTSWEEP_TRY(const DatContainer container, read_dat_container(file));
  RTSWEEP_TRY(const PageFields fields, page_fields(container, file.name()));
  const DatFormats formats(container);
  for (const DatBuffer& buffer : container.buffers) {
    DatPageSet pages{.fields = fields};
    for (const DatCpu& cpu : buffer.cpus) {
      RTSWEEP_TRY(DatPages of_cpu, DatPages::open(file, container, buffer, cpu));
      pages.cpus.push_back(std::move(of_cpu));
    }
    find_spot(pages, formats, container, 50'000);
  }
  return {};
}

// The whole, as the program does it: libtraceevent in a process of its own.
void explain_all(const DatBytes& file) {
  const auto traces = read_trace_dat_apart(file, {});
  if (!traces) {
    if (!traces.error().message().starts_with("fuzz:")) std::abort();
    // libFuzzer's exit code, after a report of a sanitizer: those are ours, since
    // libtraceevent is not built with sanitizers.
    if (traces.error().message().find("exit code 77") != std::string::npos) std::abort();
    return;
  }
  for (const Trace& trace : *traces) {
    const Explanation one = explain(trace);
    int64_t sum = 0;
    for (const Segment& segment : one.segments) sum += segment.length_ns;
    if (!one.segments.empty() && sum != one.latency_ns) std::abort();
  }
}

}  // namespace
}  // namespace rtsweep

// Whatever the bytes: an explanation whose segments add up, or an error that names the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rtsweep;
  const auto file = in_memory(data, size);
  if (!file) std::abort();
  const auto walked = walk(*file);
  if (!walked && !walked.error().message().starts_with("fuzz:")) std::abort();
  if (walked) explain_all(*file);
  return 0;
}
