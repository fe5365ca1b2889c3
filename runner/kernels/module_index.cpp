// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/module_index.h"

#include <algorithm>

#include "runner/base/files.h"
#include "runner/base/text.h"

namespace rtsweep {

namespace fs = std::filesystem;

std::string module_name(std::string_view path_or_name) {
  if (const size_t slash = path_or_name.rfind('/'); slash != std::string_view::npos) {
    path_or_name.remove_prefix(slash + 1);
  }
  std::string name(path_or_name.substr(0, path_or_name.find(".ko")));
  std::ranges::replace(name, '-', '_');
  return name;
}

Result<ModuleIndex> ModuleIndex::open(const fs::path& directory) {
  RTSWEEP_TRY(const std::string dependencies, read_file(directory / "modules.dep"));
  const auto optional = [&](const char* name) {
    auto text = read_file(directory / name);
    return text ? *std::move(text) : std::string();
  };
  ModuleIndex index;
  index.read_dependencies(dependencies);
  index.read_softdeps(optional("modules.softdep"));
  index.read_aliases(optional("modules.alias"));
  index.read_built_in(optional("modules.builtin"));
  return index;
}

// "kernel/fs/ext4/ext4.ko: kernel/fs/mbcache.ko kernel/fs/jbd2/jbd2.ko"
void ModuleIndex::read_dependencies(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    Module module{.path = line.substr(0, colon)};
    for (const std::string& path : words(std::string_view(line).substr(colon + 1))) {
      module.needs.push_back(module_name(path));
    }
    modules_.insert_or_assign(module_name(module.path), std::move(module));
  }
}

// "softdep ext4 pre: crc32c post: something"
void ModuleIndex::read_softdeps(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> parts = words(line);
    if (parts.size() < 3 || parts[0] != "softdep") continue;
    bool is_pre = false;
    for (size_t i = 2; i < parts.size(); ++i) {
      if (parts[i].ends_with(':')) {
        is_pre = parts[i] == "pre:";
      } else if (is_pre) {
        pre_[module_name(parts[1])].push_back(module_name(parts[i]));
      }
    }
  }
}

// "alias crc32c crc32c_generic". Most aliases are patterns for devices; a softdep
// names one without wildcards.
void ModuleIndex::read_aliases(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.starts_with("alias ") || line.find_first_of("*?[") != std::string::npos) continue;
    const std::vector<std::string> parts = words(line);
    if (parts.size() == 3) aliases_[module_name(parts[1])].push_back(module_name(parts[2]));
  }
}

void ModuleIndex::read_built_in(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    if (!line.empty()) built_in_.insert(module_name(line));
  }
}

bool ModuleIndex::contains(std::string_view name) const {
  return modules_.contains(module_name(name));
}

bool ModuleIndex::is_built_in(std::string_view name) const {
  return built_in_.contains(module_name(name));
}

std::string ModuleIndex::resolve_alias(const std::string& name) const {
  if (modules_.contains(name)) return name;
  const auto it = aliases_.find(name);
  if (it == aliases_.end()) return name;
  const auto generic = std::ranges::find_if(
      it->second, [](const std::string& module) { return module.ends_with("_generic"); });
  return generic != it->second.end() ? *generic : it->second.front();
}

// Depth first: whatever a module needs comes before it.
void ModuleIndex::visit(const std::string& name, std::set<std::string>& seen,
                        std::vector<std::string>& order) const {
  const auto it = modules_.find(name);
  if (it == modules_.end() || !seen.insert(name).second) return;
  if (const auto pre = pre_.find(name); pre != pre_.end()) {
    for (const std::string& before : pre->second) visit(resolve_alias(before), seen, order);
  }
  for (const std::string& needed : it->second.needs) visit(needed, seen, order);
  order.push_back(it->second.path);
}

Result<std::vector<std::string>> ModuleIndex::insertion_order(
    std::span<const std::string> names) const {
  std::set<std::string> seen;
  std::vector<std::string> order;
  for (const std::string& given : names) {
    const std::string name = module_name(given);
    if (!modules_.contains(name) && !built_in_.contains(name)) {
      std::vector<std::string> known;
      for (const auto& [module, info] : modules_) known.push_back(module);
      const auto near = nearest_word(name, known);
      return Error(Errc::kNotSupported, "the kernel has no module '" + given + "'" +
                                            (near ? "; there is '" + *near + "'" : ""));
    }
    visit(name, seen, order);
  }
  return order;
}

}  // namespace rtsweep
