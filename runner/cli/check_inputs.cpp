// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/check_inputs.h"

#include <fmt/format.h>

#include <iostream>
#include <iterator>

#include "analysis/console_log.h"
#include "analysis/kernel_arch.h"
#include "analysis/machine_report.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/host/facts.h"
#include "runner/host/kernel_config_file.h"
#include "runner/host/kernel_log.h"
#include "runner/host/machine_checks.h"
#include "runner/kernels/unpack.h"

namespace rtsweep {
namespace {

constexpr size_t kLargestFile = 256UL << 20;  // unpacked

Result<std::string> read_input(const std::string& file) {
  if (file == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  RTSWEEP_TRY(const std::string raw, read_file(file));
  if (raw.empty()) return Error(Errc::kBadData, file + ": empty");
  auto text = unpack(raw, kLargestFile);
  if (!text) return std::move(text).error().with_context(file);
  return text;
}

// The parser's error, with the file in front.
template <typename T>
Result<T> in_file(Result<T> parsed, const std::string& file) {
  if (!parsed) return std::move(parsed).error().with_context(file);
  return parsed;
}

// Whatever the prefix, a kernel's line has its time, or a message that is the kernel's.
bool looks_like_kernel_log(const std::string& text) {
  for (const char* mark : {"[    0.", "Linux version ", "Call Trace", "Call trace", "Comm: "}) {
    if (text.find(mark) != std::string::npos) return true;
  }
  size_t open = text.find('[');
  for (; open != std::string::npos; open = text.find('[', open + 1)) {
    const size_t close = text.find_first_not_of(" 0123456789.", open + 1);
    const bool time = close != std::string::npos && text[close] == ']' && close > open + 4;
    if (time && text.find('.', open) < close) return true;
  }
  return !scan_console(text).empty();
}

Result<void> add_config(const CheckInputs& inputs, SystemView& view) {
  if (!inputs.kernel_config) return {};
  const std::string& file = *inputs.kernel_config;
  RTSWEEP_TRY(const std::string text, read_input(file));
  const auto kind = config_kind_from(inputs.config_kind.value_or(""));
  RTSWEEP_TRY(view.config, in_file(parse_kernel_config(text, kind), file));
  view.config_source = file;
  return {};
}

Result<void> add_cmdline(const CheckInputs& inputs, SystemView& view) {
  if (!inputs.cmdline) return {};
  RTSWEEP_TRY(const std::string text, read_input(*inputs.cmdline));
  RTSWEEP_TRY(view.cmdline, in_file(parse_kernel_cmdline(text), *inputs.cmdline));
  view.cmdline_source = *inputs.cmdline;
  return {};
}

Result<void> add_log(const CheckInputs& inputs, SystemView& view) {
  if (!inputs.dmesg) return {};
  RTSWEEP_TRY(std::string text, read_input(*inputs.dmesg));
  if (!looks_like_kernel_log(text)) {
    return Error(Errc::kBadData, *inputs.dmesg + ": not a kernel log: no line in it is a kernel's");
  }
  view.log = std::move(text);
  view.log_source = *inputs.dmesg;
  return {};
}

void add_machine_config(const HostRoot& host, const std::string& release, SystemView& view) {
  const auto found = find_kernel_config(host, release);
  if (!found) return;
  auto config = parse_kernel_config(found->text, ConfigKind::kFull);
  if (!config) return;
  view.config = std::move(config).value();
  view.config_source = found->file;
}

// A Raspberry Pi's firmware, where the kernel is the foundation's.
void add_throttling(const HostRoot& host, SystemView& view) {
  const std::string file = "sys/devices/platform/soc/soc:firmware/get_throttled";
  const auto text = host.read(file);
  if (!text) return;
  auto report = read_machine_report("throttled=0x" + *text, "/" + file);
  if (report) add_observations(view.observed, std::move(report->observed));
}

}  // namespace

SystemView read_machine(const HostRoot& host) {
  SystemView view;
  view.machine = read_facts(host);
  view.observed = read_machine_checks(host);
  add_machine_config(host, view.machine->kernel_release, view);
  if (const auto text = host.read("proc/cmdline")) {
    if (auto cmdline = parse_kernel_cmdline(*text)) {
      view.cmdline = std::move(cmdline).value();
      view.cmdline_source = "/proc/cmdline";
    }
  }
  if (auto log = read_kernel_log(host)) {
    view.log = std::move(log).value();
    view.log_source = "dmesg";
  }
  add_throttling(host, view);
  return view;
}

Result<CheckedFiles> read_check_files(const CheckInputs& inputs) {
  CheckedFiles files;
  RTSWEEP_CHECK_OK(add_config(inputs, files.view));
  RTSWEEP_CHECK_OK(add_cmdline(inputs, files.view));
  RTSWEEP_CHECK_OK(add_log(inputs, files.view));
  if (inputs.kernel_config) files.subject.push_back("Kernel config " + *inputs.kernel_config);
  if (inputs.cmdline) files.subject.push_back("Command line " + *inputs.cmdline);
  if (inputs.dmesg) files.subject.push_back("Kernel log " + *inputs.dmesg);
  for (const std::string& file : inputs.reports) {
    RTSWEEP_TRY(const std::string text, read_input(file));
    RTSWEEP_TRY(MachineReport report, in_file(read_machine_report(text, file), file));
    files.subject.push_back(fmt::format("Report {} ({})", file, join(report.kinds, ", ")));
    add_observations(files.view.observed, std::move(report.observed));
  }
  return files;
}

}  // namespace rtsweep
