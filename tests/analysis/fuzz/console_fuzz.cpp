// SPDX-License-Identifier: GPL-2.0-or-later

#include <cstdlib>

#include "analysis/console_log.h"

// Whatever the bytes: findings with the fatal ones first.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rtsweep;
  bool fatal = true;
  for (const ConsoleFinding& finding :
       scan_console(std::string_view(reinterpret_cast<const char*>(data), size))) {
    if (finding.fatal && !fatal) std::abort();
    if (finding.text.empty() || finding.line == 0) std::abort();
    fatal = finding.fatal;
  }
  return 0;
}
