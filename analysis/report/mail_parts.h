// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

#include "analysis/report/mail.h"
#include "analysis/report/text_page.h"

namespace rtsweep {

// The parts of the mail that are lists and tables.

// The trial's level of a factor; empty when it has none.
std::string level(const TrialResult& trial, const std::string& factor);

// Same cell, same clock, another kernel.
bool same_but_kernel(const TrialResult& a, const TrialResult& b);

// A text of several lines, each broken where it is too long.
void write_lines(TextPage& page, std::string_view text);

void write_numbers(TextPage& page, const MailContent& content);
void write_reproduction(TextPage& page, const MailContent& content);
void write_machine(TextPage& page, const MailContent& content);
void write_attachment(TextPage& page, const MailContent& content);

}  // namespace rtsweep
