// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/guest_layers.h"

#include <fcntl.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/base/files.h"
#include "runner/kernels/guest_tree.h"
#include "runner/kernels/mapped_file.h"
#include "runner/kernels/module_index.h"
#include "runner/kernels/sha256.h"
#include "runner/kernels/unpack.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// Part of every layer's key: to be raised when the same input gives another layer.
constexpr int kFormat = 2;

// Decompressed modules are below this.
constexpr size_t kMostModule = 256U << 20U;

std::string layer_directory(const nlohmann::json& made_from) {
  return "layers/" + sha256(made_from.dump()).substr(0, 32);
}

// Writes DIRECTORY/layer.cpio and, as the proof that it is complete, its hash.
Result<void> write_layer(const GuestTree& tree, const fs::path& directory) {
  RTSWEEP_TRY(const std::string hash, write_cpio(tree, directory / "layer.cpio"));
  return write_file_durably(directory / "layer.sha256", hash + "\n");
}

Result<GuestLayer> read_layer(const fs::path& directory) {
  RTSWEEP_TRY(std::string hash, read_file(directory / "layer.sha256"));
  while (hash.ends_with('\n')) hash.pop_back();
  return GuestLayer{.file = directory / "layer.cpio", .sha256 = hash};
}

// What maintainer scripts would have linked: the first of the targets that is there.
struct Alternative {
  const char* path;
  std::vector<const char*> targets;
};

const std::vector<Alternative>& alternatives() {
  static const std::vector<Alternative> table = {
      {"usr/bin/sh", {"dash", "bash", "busybox"}},
      {"usr/bin/awk", {"mawk", "gawk", "original-awk"}},
      {"usr/bin/cc", {"gcc"}},
      {"usr/bin/c++", {"g++"}},
      {"usr/bin/which", {"which.debianutils"}},
      {"usr/bin/yacc", {"bison.yacc"}},
  };
  return table;
}

void add_alternatives(GuestTree& tree) {
  for (const Alternative& alternative : alternatives()) {
    for (const char* target : alternative.targets) {
      const fs::path beside = fs::path(alternative.path).parent_path() / target;
      if (tree.contains(alternative.path) || !tree.contains(beside.string())) continue;
      tree.add_link(alternative.path, target);
    }
  }
}

void add_base(GuestTree& tree) {
  for (const char* mount_point : {"dev", "proc", "sys", "run", "mnt", "etc"}) {
    tree.add_directory(mount_point);
  }
  tree.add_directory("root", 0700);
  tree.add_directory("tmp", 01777);
  tree.add_directory("usr/bin");
  tree.add_directory("usr/sbin");
  tree.add_directory("usr/lib");
  tree.add_content("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n", 0644);
  tree.add_content("etc/group", "root:x:0:\n", 0644);
}

Result<void> make_package_layer(Archive& archive, CommandRunner& commands,
                                const PackageLayerRequest& request,
                                const std::vector<PackageId>& packages, const fs::path& directory) {
  RTSWEEP_TRY(const auto debs, archive.download(request.suite, request.arch, packages));
  GuestTree tree;
  std::vector<fs::path> asked_for;
  for (const Deb& deb : debs) {
    const fs::path root = directory / "unpacked" / deb.package.name;
    RTSWEEP_CHECK_OK(make_directories(root));
    auto done = commands.run({"dpkg-deb", "-x", deb.file.string(), root.string()});
    if (!done) return std::move(done).error();
    RTSWEEP_CHECK_OK(tree.add_tree(root));
    const bool named =
        std::ranges::find(request.packages, deb.package.name) != request.packages.end();
    if (named) asked_for.push_back(root);
  }
  RTSWEEP_CHECK_OK(trim(tree, request.trim));
  link_nested_libraries(tree);
  RTSWEEP_CHECK_OK(check_libraries(tree, asked_for));
  add_base(tree);
  add_alternatives(tree);
  tree.add_merged_links();
  RTSWEEP_CHECK_OK(write_layer(tree, directory));
  std::error_code ec;
  fs::remove_all(directory / "unpacked", ec);
  return {};
}

Result<void> make_module_layer(const fs::path& modules, const std::string& guest_directory,
                               const std::vector<std::string>& paths, const fs::path& directory) {
  GuestTree tree;
  for (const std::string& path : paths) {
    RTSWEEP_TRY(const MappedFile packed, MappedFile::open(modules / path));
    auto module = unpack(packed.content(), kMostModule);
    if (!module) return std::move(module).error().with_context((modules / path).string());
    const std::string plain = path.substr(0, path.rfind(".ko") + 3);
    tree.add_content(guest_directory + plain, *std::move(module), 0644);
  }
  return write_layer(tree, directory);
}

}  // namespace

Result<PackageLayer> package_layer(const Cache& cache, CommandRunner& commands,
                                   const PackageLayerRequest& request) {
  Archive archive(cache, commands);
  RTSWEEP_TRY(const auto packages, archive.resolve({.suite = request.suite,
                                                    .arch = request.arch,
                                                    .packages = request.packages,
                                                    .leave_out = request.trim.packages}));
  nlohmann::json made_from = {kFormat, request.arch, request.trim.paths, request.trim.libraries};
  for (const PackageId& id : packages) made_from.push_back({id.name, id.version, id.arch});
  auto directory = cache.directory(layer_directory(made_from), [&](const fs::path& part) {
    return make_package_layer(archive, commands, request, packages, part);
  });
  if (!directory) {
    return std::move(directory).error().with_context("userland of " + request.arch + " guests");
  }
  RTSWEEP_TRY(const GuestLayer layer, read_layer(*directory));
  return PackageLayer{.layer = layer, .packages = packages};
}

Result<ModuleLayer> module_layer(const Cache& cache, const Kernel& kernel,
                                 std::span<const std::string> names) {
  std::vector<std::string> paths;
  if (!names.empty()) {
    RTSWEEP_TRY(const ModuleIndex index, ModuleIndex::open(kernel.modules));
    auto order = index.insertion_order(names);
    if (!order) return std::move(order).error().with_context("kernel '" + kernel.name + "'");
    paths = *std::move(order);
  }
  const std::string guest_directory = "usr/lib/modules/" + kernel.release + "/";
  const nlohmann::json made_from = {kFormat, kernel.modules.string(), kernel.release, paths};
  RTSWEEP_TRY(const fs::path directory,
              cache.directory(layer_directory(made_from), [&](const fs::path& part) {
                return make_module_layer(kernel.modules, guest_directory, paths, part);
              }));
  ModuleLayer made;
  RTSWEEP_TRY(made.layer, read_layer(directory));
  for (const std::string& path : paths) {
    made.modules.push_back("/" + guest_directory + path.substr(0, path.rfind(".ko") + 3));
  }
  return made;
}

Result<GuestLayer> file_layer(std::span<const GuestFile> files, const fs::path& file) {
  GuestTree tree;
  for (const GuestFile& entry : files) {
    if (entry.from.empty()) {
      tree.add_content(entry.path, entry.content, entry.mode);
    } else {
      tree.add_file(entry.path, entry.from, entry.mode);
    }
  }
  RTSWEEP_TRY(const std::string hash, write_cpio(tree, file));
  return GuestLayer{.file = file, .sha256 = hash};
}

// write_cpio() pads each to 512 bytes; the kernel skips zeros between archives.
Result<GuestLayer> concatenate_layers(std::span<const GuestLayer> layers, const fs::path& file) {
  const UniqueFd out(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!out) return Error::from_errno("create " + file.string(), errno);
  for (const GuestLayer& layer : layers) {
    RTSWEEP_TRY(const MappedFile content, MappedFile::open(layer.file));
    RTSWEEP_CHECK_OK(write_all(out.get(), content.content(), file.string()));
  }
  RTSWEEP_TRY(const std::string hash, sha256_of_file(file));
  return GuestLayer{.file = file, .sha256 = hash};
}

std::string layers_key(std::span<const GuestLayer> layers) {
  std::string all;
  for (const GuestLayer& layer : layers) all += layer.sha256 + "\n";
  return sha256(all);
}

Result<std::string> sha256_in_layer(const GuestLayer& layer, std::string_view guest_path) {
  RTSWEEP_TRY(const std::string content, read_from_cpio(layer.file, merged_path(guest_path)));
  return sha256(content);
}

}  // namespace rtsweep
