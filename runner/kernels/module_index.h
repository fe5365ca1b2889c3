// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace rtsweep {

// What depmod(8) wrote about a kernel's modules. In a module's name, '-' and '_'
// are the same.
class ModuleIndex {
 public:
  // Reads modules.dep, .softdep, .alias and .builtin of a lib/modules/RELEASE; only
  // the first must be there.
  static Result<ModuleIndex> open(const std::filesystem::path& directory);

  bool contains(std::string_view name) const;  // as a loadable module
  bool is_built_in(std::string_view name) const;

  // Paths below the directory ("kernel/fs/ext4/ext4.ko.xz") of the modules and of all
  // that must be inserted before them, in the order to insert them, each once.
  // "softdep ... pre:" counts; where that names an alias that several modules have
  // ("crc32c"), the generic one is taken, which works on every CPU. Built-in ones are
  // passed over. kNotSupported for a name that this kernel does not have.
  Result<std::vector<std::string>> insertion_order(std::span<const std::string> names) const;

 private:
  void read_dependencies(std::string_view text);
  void read_softdeps(std::string_view text);
  void read_aliases(std::string_view text);
  void read_built_in(std::string_view text);

  std::string resolve_alias(const std::string& name) const;
  void visit(const std::string& name, std::set<std::string>& seen,
             std::vector<std::string>& order) const;

  struct Module {
    std::string path;
    std::vector<std::string> needs;  // names
  };

  std::map<std::string, Module, std::less<>> modules_;
  std::map<std::string, std::vector<std::string>, std::less<>> pre_;      // of softdeps
  std::map<std::string, std::vector<std::string>, std::less<>> aliases_;  // without patterns
  std::set<std::string, std::less<>> built_in_;
};

// "kernel/fs/ext4/ext4.ko.xz" is "ext4"; "crc32-pclmul" is "crc32_pclmul".
std::string module_name(std::string_view path_or_name);

}  // namespace rtsweep
