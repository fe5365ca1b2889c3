// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <vector>

#include "analysis/report/mail.h"
#include "runner/bundle/bundle.h"
#include "runner/bundle/raw_parts.h"

namespace rtsweep {

// A file that will be in the bundle, below its folder.
struct BundlePart {
  std::string name;
  std::string content;
  std::string what;    // for the mail; empty: not worth a line there
  int drop_order = 0;  // the limit drops the greatest first; 0: never
};

// The files of a staged run directory as parts, those of the trial with the order in which
// the limit may drop them. `outlier_trace` names the trace that the mail is about.
std::vector<BundlePart> run_parts(const RawParts& raw, const std::string& trial_name,
                                  const std::string& outlier_trace);

// The kernel's messages within two seconds of a moment of CLOCK_MONOTONIC, which printk's
// clock follows; the last hundred where the moment is not known.
std::string dmesg_window(std::string_view dmesg, std::optional<double> at_s);

// The words of the probe's command line, from probe.json; those of the loads, from
// trial.json and what the loads would be started with on a machine like this one.
std::vector<std::string> probe_command(const std::filesystem::path& trial);
std::vector<std::vector<std::string>> load_commands(const std::filesystem::path& trial,
                                                    const HostRoot& host);

// When the outlier was, by capture.json; empty where that is not known.
std::optional<double> outlier_time_s(const std::filesystem::path& trial, size_t outlier);

}  // namespace rtsweep
