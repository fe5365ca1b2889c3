// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtsweep {

// What Kbuild keeps about a file that it made, in `.FILE.cmd` beside it: the command,
// and the files that went into it. It makes the file again when either has changed.
struct SavedCommand {
  std::string target;                // "scripts/basic/fixdep"
  std::string command;               // as a shell takes it
  std::vector<std::string> sources;  // within the tree; those outside are left out
};

// Nothing when the text is not such a file.
std::optional<SavedCommand> parse_saved_command(std::string_view text);

// A command of the compiler for this machine ("gcc ..."): one that builds a program
// which the build itself runs.
bool builds_host_program(const SavedCommand& saved);

// The same command for the guest: with its compiler and, when it links, statically and
// without symbols, so that the program runs in any guest. Without the list of included files.
std::string command_for_guest(const SavedCommand& saved, std::string_view cross);

// Where a tree is while it is prepared, and where in the guest.
struct TreeMove {
  std::string from;
  std::string to;
};

// The file's text as it would be had the guest built the program itself: the compiler
// by the guest's name, paths of the tree as the guest has them, no other files outside.
std::string saved_text_for_guest(std::string_view text, std::string_view cross,
                                 const TreeMove& move);

}  // namespace rtsweep
