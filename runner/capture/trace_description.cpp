// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_description.h"

#include <sys/utsname.h>

#include <algorithm>
#include <filesystem>

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

Result<std::vector<std::string>> ftrace_formats(const TraceInstance& top) {
  std::vector<std::string> names;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(top.directory() / "events/ftrace", ec)) {
    if (entry.is_directory(ec))
      names.push_back("events/ftrace/" + entry.path().filename().string() + "/format");
  }
  std::ranges::sort(names);
  std::vector<std::string> formats;
  for (const std::string& name : names) {
    RTSWEEP_TRY(std::string format, top.read(name));
    formats.push_back(std::move(format));
  }
  return formats;
}

std::string system_text() {
  utsname system{};
  ::uname(&system);
  return std::string(system.sysname) + " " + system.nodename + " " + system.release + " " +
         system.version + " " + system.machine;
}

}  // namespace

Result<TraceDescription> describe_trace(const TraceInstance& trace,
                                        std::span<const std::string> events) {
  RTSWEEP_TRY(const TraceInstance top, TraceInstance::top());
  TraceDescription description;
  RTSWEEP_TRY(description.header_page, top.read("events/header_page"));
  RTSWEEP_TRY(description.layout, parse_header_page(description.header_page));
  RTSWEEP_TRY(description.header_event, top.read("events/header_event"));
  RTSWEEP_TRY(description.ftrace_formats, ftrace_formats(top));
  for (const std::string& event : events) {
    RTSWEEP_TRY(std::string format, top.read("events/" + event + "/format"));
    description.formats[event.substr(0, event.find('/'))].push_back(std::move(format));
  }
  RTSWEEP_TRY(description.printk_formats, top.read("printk_formats"));
  RTSWEEP_TRY(description.saved_cmdlines, top.read("saved_cmdlines"));
  RTSWEEP_TRY(description.clock, trace.read("trace_clock"));
  description.system = system_text();
  return description;
}

}  // namespace rtsweep
