// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/host/host_root.h"

namespace rtsweep {

// Parses the kernel's cpu list format: "0-2,5" is {0, 1, 2, 5}, "" is {}.
Result<std::vector<int>> parse_cpu_list(std::string_view text);

// As bitmap_parse() of the kernel reads it: hexadecimal words of 32 CPUs, the highest first.
// {0, 33} is "2,00000001"; {} is "0".
std::string cpu_mask(const std::vector<int>& cpus);

Result<std::vector<int>> online_cpus(const HostRoot& host);

// CPUs that isolcpus= keeps the scheduler away from: where cyclictest measures.
Result<std::vector<int>> isolated_cpus(const HostRoot& host);

}  // namespace rtsweep
