// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

#include "analysis/run_report.h"
#include "analysis/trace/timeline_picture.h"

namespace rtsweep {

// Pictures for mails, as SVG: values in, text out. Each says what it shows, in which unit
// and clock, and of how many samples; readable on any ground, with colours that colour-blind
// readers can tell apart (Okabe and Ito, 2008) and lines that differ in their dashes too.

// The latencies of one trial: how many samples (logarithmic) at each latency (us), one line for
// each CPU; with the limit, and with samples past the histogram's end named. Empty without
// samples.
std::string histogram_svg(const TrialResult& trial, std::string_view title);

// What the CPUs did around an outlier, one row for each: tasks, softirqs and interrupts as
// blocks, the latency marked, and below it what the latency was made of.
std::string timeline_svg(const TimelinePicture& picture, std::string_view title);

}  // namespace rtsweep
