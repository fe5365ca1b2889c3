// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_source_saved.h"

#include <algorithm>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr std::string_view kAssign = " := ";
constexpr std::string_view kHostCompiler = "gcc ";
constexpr std::string_view kContinued = " \\";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Kbuild writes '#' and '$' so that make reads them back.
std::string unescaped(std::string_view saved) {
  std::string command(saved);
  replace_all(command, "$(pound)", "#");
  replace_all(command, "$$", "$");
  return command;
}

// "    include/linux/kernel.h \" is include/linux/kernel.h. A $(wildcard ...), which
// stands for a symbol of the configuration, is none.
std::optional<std::string_view> listed_file(std::string_view line) {
  if (!line.starts_with("  ")) return std::nullopt;
  if (line.ends_with(kContinued)) line.remove_suffix(kContinued.size());
  line = trim(line);
  if (line.empty() || line.find_first_of(" $") != std::string_view::npos) return std::nullopt;
  return line;
}

bool is_outside(std::string_view file) { return file.starts_with('/'); }

void read_source(std::string_view line, SavedCommand& saved) {
  std::optional<std::string_view> file = listed_file(line);
  if (line.starts_with("source_")) {
    const size_t assign = line.find(kAssign);
    if (assign != std::string_view::npos) file = trim(line.substr(assign + kAssign.size()));
  }
  if (file && !file->empty() && !is_outside(*file)) saved.sources.emplace_back(*file);
}

}  // namespace

std::optional<SavedCommand> parse_saved_command(std::string_view text) {
  constexpr std::string_view kStart = "cmd_";
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view first = text.substr(0, end);
  const size_t assign = first.find(kAssign);
  if (!first.starts_with(kStart) || assign == std::string_view::npos) return std::nullopt;
  SavedCommand saved;
  saved.target = first.substr(kStart.size(), assign - kStart.size());
  saved.command = unescaped(trim(first.substr(assign + kAssign.size())));
  for (const std::string& line : split(text.substr(end), '\n')) read_source(line, saved);
  return saved;
}

bool builds_host_program(const SavedCommand& saved) {
  return saved.command.starts_with(kHostCompiler);
}

std::string command_for_guest(const SavedCommand& saved, std::string_view cross) {
  std::string command = std::string(cross) + saved.command;
  constexpr std::string_view kListFiles = " -Wp,-MMD,";
  if (const size_t at = command.find(kListFiles); at != std::string::npos) {
    command.erase(at, command.find(' ', at + kListFiles.size()) - at);
  }
  if (!saved.target.ends_with(".o")) command += " -static -s";
  return command;
}

std::string saved_text_for_guest(std::string_view text, std::string_view cross,
                                 const TreeMove& move) {
  std::string moved(text);
  replace_all(moved, move.from + "/", move.to + "/");
  std::vector<std::string> lines = split(moved, '\n');
  std::erase_if(lines, [&](const std::string& line) {
    const auto file = listed_file(line);
    return file && is_outside(*file) && !file->starts_with(move.to + "/");
  });
  std::string& command = lines.front();
  const std::string wanted = std::string(kAssign) + std::string(kHostCompiler);
  const size_t at = command.find(kAssign);
  if (at != std::string::npos && at == command.find(wanted)) {
    command.insert(at + kAssign.size(), cross);
  }
  return join(lines, "\n");
}

}  // namespace rtsweep
