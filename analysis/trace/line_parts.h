// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>

namespace rtsweep {

// A line without what others put in front of it: the quotation marks of a mail, printk's
// time and level, syslog's "Oct  6 13:44:53 host kernel:". Sets `from_log` when printk's
// time was there.
std::string_view without_prefixes(std::string_view line, bool& from_log);

// Mail programs put no-break spaces (U+00A0) where several blanks stood.
std::string with_plain_blanks(std::string_view text);

bool is_cut(std::string_view line);   // "[...]": somebody left something out
bool is_rule(std::string_view line);  // "-----------"

// What the kernel says in its log when it notices that something was late.
bool is_complaint(std::string_view line);

}  // namespace rtsweep
