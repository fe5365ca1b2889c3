// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/run_report.h"
#include "analysis/trace/explanation.h"

namespace rtsweep {

// What a mail to the kernel lists is made of. Everything in it is free of secrets
// already: the mail is pasted as it is.
struct MailContent {
  const RunReport& report;  // the whole run: its other kernels are what this one is held against
  const TrialResult& trial;
  std::vector<Explanation> explanations;   // of the trial's outliers, in their order
  size_t outlier = 0;                      // the one that the mail is about
  std::vector<std::string> excerpt;        // of its trace, at most 72 columns
  std::vector<std::string> probe_command;  // the words of its command line
  std::vector<std::vector<std::string>> load_commands;
  std::string plan_file = "plan.toml";
  std::string bundle_file;                                 // as it is attached
  std::vector<std::pair<std::string, std::string>> files;  // in the bundle: name, what it is
  std::vector<std::string> dropped;                        // what the size limit left out, and why
  std::vector<std::string> removed;                        // what redaction replaced, counted
  bool redacted = true;
};

// A report as maintainers want it: what happened and how bad, the cause, how to
// reproduce it, the numbers, where, the trace, what is attached. Plain text of at most 72
// columns, the subject line first. When an older kernel of the same run kept the limit
// that this one exceeded, it is a regression, and the mail has the line that the kernel's
// regression tracker reads (Documentation/admin-guide/reporting-regressions.rst).
std::string render_mail(const MailContent& content);

// The kernels of the run between which a regression came: "v6.1.176" and "v6.12.117". Empty
// unless the trial failed its limit where an older kernel, in a cell that is the same but
// for the kernel, passed in every repetition.
std::optional<std::pair<std::string, std::string>> regression_range(const RunReport& report,
                                                                    const TrialResult& trial);

}  // namespace rtsweep
