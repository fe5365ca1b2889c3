// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernels.h"

#include <algorithm>
#include <array>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/base/toml.h"
#include "runner/kernels/cache.h"
#include "runner/kernels/data_file.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 4> kArchitectures = {"amd64", "arm64", "armhf", "i386"};

bool is_architecture(std::string_view word) {
  return std::ranges::find(kArchitectures, word) != kArchitectures.end();
}

// Makes errors that say where in the file they are.
class Place {
 public:
  explicit Place(const fs::path& file) : file_(file) {}

  Error error(const toml::source_region& source, const std::string& message) const {
    return Error(Errc::kInvalidPlan, file_.string() + ":" + std::to_string(source.begin.line) +
                                         ":" + std::to_string(source.begin.column) + ": " +
                                         message);
  }

 private:
  const fs::path& file_;
};

Error unknown_key(const Place& place, const toml::key& key) {
  std::vector<std::string> known(kArchitectures.begin(), kArchitectures.end());
  known.insert(known.end(), {"suite", "rt"});
  std::string message = "unknown key '" + std::string(key.str()) + "'";
  const auto near = nearest_word(key.str(), known);
  message += near ? ", did you mean '" + *near + "'?" : "; there are " + join(known, ", ");
  return place.error(key.source(), message);
}

Result<std::string> text_of(const Place& place, const toml::key& key, const toml::node& node) {
  const auto text = node.value_exact<std::string>();
  if (!text || text->empty()) {
    return place.error(node.source(), "'" + std::string(key.str()) + "' must be a text");
  }
  // It becomes an argument of apt-get.
  if (text->find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") != std::string::npos ||
      text->front() == '-') {
    return place.error(node.source(), "'" + *text + "' is not the name of a package or release");
  }
  return *text;
}

Result<bool> bool_of(const Place& place, const toml::node& node) {
  const auto value = node.value_exact<bool>();
  if (!value) return place.error(node.source(), "'rt' must be true or false");
  return *value;
}

// One ["NAME"] table: what all architectures share, and their packages.
Result<std::vector<KernelEntry>> parse_table(const Place& place, const toml::key& name,
                                             const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    return place.error(node.source(), "'" + std::string(name.str()) + "' must be a table");
  }
  KernelEntry common{.name = std::string(name.str())};
  bool has_rt = false;
  std::vector<KernelEntry> entries;
  for (auto&& [key, value] : *table) {
    if (key.str() == "rt") {
      RTSWEEP_TRY(common.rt, bool_of(place, value));
      has_rt = true;
      continue;
    }
    if (key.str() != "suite" && !is_architecture(key.str())) return unknown_key(place, key);
    RTSWEEP_TRY(const std::string text, text_of(place, key, value));
    if (key.str() == "suite") {
      common.suite = text;
    } else {
      entries.push_back({.arch = std::string(key.str()), .package = text});
    }
  }
  const std::string what = "kernel '" + common.name + "' has no ";
  if (common.suite.empty()) return place.error(name.source(), what + "'suite'");
  if (!has_rt) return place.error(name.source(), what + "'rt'");
  if (entries.empty()) return place.error(name.source(), what + "package for any architecture");
  for (KernelEntry& entry : entries) {
    entry.name = common.name;
    entry.suite = common.suite;
    entry.rt = common.rt;
  }
  return entries;
}

// toml++ sorts keys; readers expect the order of the file.
std::vector<const toml::key*> in_file_order(const toml::table& document) {
  std::vector<const toml::key*> keys;
  for (auto&& [key, value] : document) keys.push_back(&key);
  std::ranges::sort(keys, {}, [](const toml::key* key) { return key->source().begin.line; });
  return keys;
}

}  // namespace

std::span<const std::string> known_architectures() { return kArchitectures; }

std::string_view host_architecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__i386__)
  return "i386";
#elif defined(__aarch64__)
  return "arm64";
#else
  return "armhf";
#endif
}

int kernel_bits(std::string_view arch) { return arch.ends_with("64") ? 64 : 32; }

Result<std::vector<KernelEntry>> parse_kernels(std::string_view text, const fs::path& file) {
  const Place place(file);
  toml::table document;
  try {
    document = toml::parse(text, file.string());
  } catch (const toml::parse_error& error) {
    return place.error(error.source(), std::string(error.description()));
  }
  std::vector<KernelEntry> entries;
  for (const toml::key* key : in_file_order(document)) {
    RTSWEEP_TRY(auto of_table, parse_table(place, *key, *document.get(key->str())));
    std::ranges::move(of_table, std::back_inserter(entries));
  }
  if (entries.empty()) return Error(Errc::kInvalidPlan, file.string() + ": names no kernel");
  return entries;
}

Result<fs::path> find_kernels_file() { return find_data_file("kernels.toml", "RTSWEEP_KERNELS"); }

Result<std::vector<KernelEntry>> read_kernels() {
  RTSWEEP_TRY(const fs::path file, find_kernels_file());
  RTSWEEP_TRY(const std::string text, read_file(file));
  return parse_kernels(text, file);
}

Result<KernelEntry> find_kernel(std::span<const KernelEntry> entries, std::string_view name,
                                std::string_view arch) {
  std::vector<std::string> names;
  std::vector<std::string> architectures;
  for (const KernelEntry& entry : entries) {
    if (entry.name == name && entry.arch == arch) return entry;
    if (entry.name == name) architectures.push_back(entry.arch);
    names.push_back(entry.name);
  }
  std::string message = "no kernel '" + std::string(name) + "'";
  if (!architectures.empty()) {
    return Error(Errc::kInvalidPlan, message + " for " + std::string(arch) + "; it exists for " +
                                         join(architectures, ", "));
  }
  if (const auto near = nearest_word(name, names)) message += ", did you mean '" + *near + "'?";
  return Error(Errc::kInvalidPlan, message);
}

}  // namespace rtsweep
