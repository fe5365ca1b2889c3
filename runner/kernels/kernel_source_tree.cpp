// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_source_tree.h"

#include <algorithm>
#include <array>

#include "runner/base/files.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// Only `make prepare` runs what is in these, and the guest's make does not.
constexpr std::array<std::string_view, 6> kUnusedScripts = {
    "scripts/kconfig/", "scripts/dtc/",        "scripts/gcc-plugins/",
    "scripts/gdb/",     "scripts/coccinelle/", "scripts/clang-tools/"};

// Large trees whose scripts are not for builds.
constexpr std::array<std::string_view, 5> kWithoutScripts = {"drivers/", "sound/", "tools/",
                                                             "samples/", "Documentation/"};

// objtool and its library: with a build system of their own, and made for the guest at
// once (only for amd64, by a machine of that architecture).
constexpr std::string_view kTools = "tools/";

bool is_below_any(std::string_view path, std::span<const std::string_view> directories) {
  return std::ranges::any_of(directories,
                             [&](std::string_view start) { return path.starts_with(start); });
}

std::string directory_of(const std::string& path) { return fs::path(path).parent_path().string(); }

// ".main.o.cmd" is about "main.o"; "" for other names.
std::string saved_about(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  constexpr std::string_view kEnd = ".cmd";
  if (!name.starts_with('.') || !name.ends_with(kEnd) || name.size() < 6) return "";
  return name.substr(1, name.size() - 1 - kEnd.size());
}

bool is_makefile(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.starts_with("Makefile") || name == "Kbuild";
}

// Run by a makefile beside it (arch/x86/entry/vdso/checkundef.sh).
bool is_script(std::string_view path) {
  return path.ends_with(".sh") || path.ends_with(".awk") || path.ends_with(".pl");
}

bool is_object(std::string_view name) {
  return name.ends_with(".o") || name.ends_with(".a") || name.ends_with(".ko");
}

// Chooses among the files of one tree.
class Choice {
 public:
  Choice(const KernelTree& tree, const KernelSourceArch& arch,
         const std::vector<SavedCommand>& saved)
      : tree_(tree), arch_directory_("arch/" + std::string(arch.directory) + "/") {
    for (const SavedCommand& command : saved) {
      if (is_below_any(command.target, kUnusedScripts)) continue;
      visited_.insert(directory_of(command.target));
      for (const std::string& source : command.sources) {
        used_.insert(fs::path(source).lexically_normal().string());
      }
    }
  }

  bool wants(const std::string& path) const {
    if (tree_.published.contains(path)) return used_.contains(path) || wants_unused(path);
    if (is_below_any(path, kUnusedScripts)) return false;
    const std::string about = saved_about(path);
    const std::string name = about.empty() ? fs::path(path).filename().string() : about;
    if (is_object(name) && path.starts_with("scripts/") && !path.starts_with("scripts/mod/empty")) {
      return false;  // of programs that are there as a whole
    }
    if (tree_.prepared.contains(path)) return !path.starts_with(kTools) || is_program(path);
    return !is_object(name) && !is_product(path);
  }

 private:
  // Published, and compiled or included by nothing.
  bool wants_unused(const std::string& path) const {
    if (is_below_any(path, kUnusedScripts)) return false;
    if (path.starts_with("scripts/")) return true;
    if (path.starts_with("arch/") && !path.starts_with(arch_directory_)) return false;
    if (is_below_any(path, kWithoutScripts)) return visited(path) && is_makefile(path);
    // Makefiles of lib/ are included from elsewhere (lib/vdso/Makefile).
    const bool near = visited(path) || path.starts_with("lib/");
    return (near && is_makefile(path)) || is_script(path);
  }

  // In a directory where something was made, or where the build begins.
  bool visited(const std::string& path) const {
    const std::string directory = directory_of(path);
    return directory.empty() || directory + "/" == arch_directory_ || visited_.contains(directory);
  }

  bool is_program(const std::string& path) const {
    std::error_code ec;
    const auto permissions = fs::status(tree_.directory / path, ec).permissions();
    return !ec && (permissions & fs::perms::owner_exec) != fs::perms::none;
  }

  // What the last steps make at the top: vmlinux.symvers, .vmlinux.export.c, ...
  static bool is_product(const std::string& path) { return path.find('/') == std::string::npos; }

  const KernelTree& tree_;
  std::string arch_directory_;
  std::set<std::string> visited_;
  std::set<std::string> used_;
};

}  // namespace

Result<FileSet> files_below(const fs::path& directory) {
  FileSet files;
  std::error_code ec;
  for (auto it = fs::recursive_directory_iterator(directory, ec);
       !ec && it != fs::recursive_directory_iterator(); it.increment(ec)) {
    if (it->is_symlink(ec) || !it->is_regular_file(ec)) continue;
    files.insert(it->path().lexically_relative(directory).string());
  }
  if (ec) return Error(Errc::kIo, "read " + directory.string() + ": " + ec.message());
  return files;
}

Result<std::vector<SavedCommand>> read_saved_commands(const KernelTree& tree) {
  std::vector<SavedCommand> saved;
  for (const std::string& path : tree.all) {
    if (saved_about(path).empty() || tree.published.contains(path)) continue;
    RTSWEEP_TRY(const std::string text, read_file(tree.directory / path));
    auto command = parse_saved_command(text);
    if (command) saved.push_back(*std::move(command));
  }
  return saved;
}

std::vector<std::string> files_for_guest(const KernelTree& tree, const KernelSourceArch& arch,
                                         const std::vector<SavedCommand>& saved) {
  const Choice choice(tree, arch, saved);
  std::vector<std::string> files;
  std::ranges::copy_if(tree.all, std::back_inserter(files),
                       [&](const std::string& path) { return choice.wants(path); });
  return files;
}

std::vector<SavedCommand> programs_for_guest(const std::vector<SavedCommand>& saved) {
  std::vector<SavedCommand> programs;
  std::ranges::copy_if(saved, std::back_inserter(programs), [](const SavedCommand& command) {
    const bool of_tools = command.target.starts_with('/') || command.target.starts_with(kTools);
    return builds_host_program(command) && !of_tools &&
           !is_below_any(command.target, kUnusedScripts);
  });
  std::ranges::stable_partition(
      programs, [](const SavedCommand& command) { return command.target.ends_with(".o"); });
  return programs;
}

}  // namespace rtsweep
