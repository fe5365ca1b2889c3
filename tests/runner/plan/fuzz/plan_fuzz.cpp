// SPDX-License-Identifier: GPL-2.0-or-later

#include <cstdlib>

#include "runner/plan/kernel_names.h"
#include "runner/plan/plan.h"

// Whatever the bytes: a plan with trials, or an error that says where.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rtsweep;
  const auto plan = parse_plan({reinterpret_cast<const char*>(data), size}, "p.toml");
  if (!plan) {
    if (!plan.error().message().starts_with("p.toml:")) std::abort();
    return 0;
  }
  if (order_trials(*plan).empty()) std::abort();
  (void)check_kernels(*plan, {});
  return 0;
}
