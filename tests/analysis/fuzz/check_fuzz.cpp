// SPDX-License-Identifier: GPL-2.0-or-later

#include <cstdlib>
#include <string>

#include "analysis/kernel_log_facts.h"
#include "analysis/machine_report.h"
#include "analysis/rule_condition.h"

// Whatever the bytes: the first one chooses which reader of `rtsweep check` has the rest.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rtsweep;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  SystemView view;
  switch (data[0] % 5) {
    case 0:
      if (auto config = parse_kernel_config(text)) view.config = std::move(config).value();
      break;
    case 1:
      if (auto cmdline = parse_kernel_cmdline(text)) view.cmdline = std::move(cmdline).value();
      break;
    case 2:
      view.log = text;
      break;
    case 3: {
      const auto report = read_machine_report(text, "report");
      if (report && report->kinds.empty()) std::abort();
      break;
    }
    default:
      if (const auto condition = Condition::parse(text)) condition->judge(view, {});
  }
  completed(std::move(view));
  return 0;
}
