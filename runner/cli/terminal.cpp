// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace rtsweep {
namespace {

constexpr size_t kWithoutTerminal = 100;
constexpr long kNarrowest = 20;  // below it nothing could be laid out

}  // namespace

size_t output_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= kNarrowest) {
    return size.ws_col;
  }
  const char* columns = std::getenv("COLUMNS");
  const long wanted = columns == nullptr ? 0 : std::strtol(columns, nullptr, 10);
  return wanted >= kNarrowest ? static_cast<size_t>(wanted) : kWithoutTerminal;
}

}  // namespace rtsweep
