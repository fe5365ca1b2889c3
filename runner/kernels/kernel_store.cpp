// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/kernels/kernel_image.h"
#include "runner/kernels/mapped_file.h"
#include "runner/kernels/sha256.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kImagePrefix = "linux-image-";

PackageRequest request_for(const KernelEntry& entry) {
  return {.suite = entry.suite, .arch = entry.arch, .packages = {entry.package}};
}

// The meta-package depends on the package with the image, whose name goes on with the
// kernel's release: "linux-image-6.1.0-50-rt-arm64".
bool holds_image(const PackageId& id) {
  return id.name.starts_with(kImagePrefix) && id.name.size() > kImagePrefix.size() &&
         std::isdigit(static_cast<unsigned char>(id.name[kImagePrefix.size()])) != 0;
}

Result<PackageId> image_package(Archive& archive, const KernelEntry& entry, Freshness freshness) {
  RTSWEEP_TRY(const auto packages, archive.resolve(request_for(entry), freshness));
  const auto found = std::ranges::find_if(packages, holds_image);
  if (found == packages.end()) {
    return Error(Errc::kBadData, entry.package + " of Debian " + entry.suite + " " + entry.arch +
                                     " brings no kernel image");
  }
  return *found;
}

std::string release_of(const PackageId& id) { return id.name.substr(kImagePrefix.size()); }

std::string cache_name(const KernelEntry& entry, const PackageId& id) {
  std::string version = id.version;
  std::ranges::replace(version, ':', '_');
  return "kernels/" + entry.arch + "/" + release_of(id) + "_" + version;
}

// Debian's package has no modules.dep (its maintainer script makes it), and since
// trixie its modules are in /usr/lib, where older depmods do not look.
Result<void> prepare_modules(CommandRunner& commands, const fs::path& directory,
                             const std::string& release) {
  std::error_code ec;
  if (fs::exists(directory / "usr/lib/modules", ec)) {
    RTSWEEP_CHECK_OK(make_directories(directory / "lib"));
    fs::rename(directory / "usr/lib/modules", directory / "lib/modules", ec);
    if (ec) return Error(Errc::kIo, "move the modules of " + release + ": " + ec.message());
  }
  const fs::path depmod = "/usr/sbin/depmod";  // not in a user's PATH
  auto made = commands.run(
      {fs::exists(depmod, ec) ? depmod.string() : "depmod", "-b", directory.string(), release});
  if (!made) return std::move(made).error();
  return {};
}

Result<Kernel> kernel_in(const fs::path& directory, const KernelEntry& entry, const PackageId& id) {
  const std::string release = release_of(id);
  Kernel kernel{.name = entry.name,
                .arch = entry.arch,
                .release = release,
                .package = id.name + " " + id.version,
                .image = directory / "boot" / ("vmlinuz-" + release),
                .modules = directory / "lib/modules" / release,
                .config = directory / "boot" / ("config-" + release),
                .system_map = directory / "boot" / ("System.map-" + release)};
  RTSWEEP_TRY(const std::string config, read_file(kernel.config));
  kernel.rt = config_is_rt(config);
  if (*kernel.rt != entry.rt) {
    return Error(Errc::kBadData,
                 "kernels.toml says rt = " + std::string(entry.rt ? "true" : "false") + " of '" +
                     entry.name + "', but the config of " + kernel.package + " says otherwise");
  }
  return kernel;
}

Result<void> write_description(const fs::path& directory, const Kernel& kernel,
                               const PackageId& id) {
  RTSWEEP_TRY(const std::string hash, sha256_of_file(kernel.image));
  const nlohmann::json description = {{"release", kernel.release}, {"arch", kernel.arch},
                                      {"package", id.name},        {"version", id.version},
                                      {"image_sha256", hash},      {"rt", *kernel.rt}};
  return write_file_durably(directory / "kernel.json", description.dump(1) + "\n");
}

// Makes the kernel's directory of the cache. The package file is not needed any more
// after that, and is as large as the rest of the cache.
Result<void> extract(Archive& archive, CommandRunner& commands, const KernelEntry& entry,
                     const PackageId& id, const fs::path& directory) {
  RTSWEEP_TRY(const auto debs, archive.download(entry.suite, entry.arch, std::span(&id, 1)));
  auto done = commands.run({"dpkg-deb", "-x", debs.front().file.string(), directory.string()});
  if (!done) return std::move(done).error();
  RTSWEEP_CHECK_OK(prepare_modules(commands, directory, release_of(id)));
  RTSWEEP_TRY(const Kernel kernel, kernel_in(directory, entry, id));
  RTSWEEP_CHECK_OK(write_description(directory, kernel, id));
  std::error_code ec;
  fs::remove(debs.front().file, ec);
  return {};
}

Result<void> expect_file(const std::string& what, const fs::path& path) {
  std::error_code ec;
  if (fs::exists(path, ec)) return {};
  return Error(Errc::kInvalidPlan, "no " + what + " '" + path.string() + "'");
}

Result<void> check_files(const KernelFiles& files) {
  const auto known = known_architectures();
  if (std::ranges::find(known, files.arch) == known.end()) {
    return Error(Errc::kInvalidPlan,
                 "unknown architecture '" + files.arch + "'; there are " + join(known, ", "));
  }
  RTSWEEP_CHECK_OK(expect_file("kernel image", files.image));
  if (!files.modules.empty()) {
    RTSWEEP_CHECK_OK(
        expect_file("modules.dep, which depmod makes,", files.modules / "modules.dep"));
  }
  if (!files.config.empty()) RTSWEEP_CHECK_OK(expect_file("kernel config", files.config));
  return {};
}

Result<std::string> find_release(const KernelFiles& files) {
  if (!files.modules.empty()) {
    const fs::path directory = files.modules.lexically_normal();
    return (directory.has_filename() ? directory : directory.parent_path()).filename().string();
  }
  RTSWEEP_TRY(const MappedFile image, MappedFile::open(files.image));
  auto release = release_of_image(image.content());
  if (!release) {
    return Error(Errc::kInvalidPlan,
                 "'" + files.image.string() + "' does not look like a Linux kernel");
  }
  return *release;
}

Result<Kernel> checked_kernel(const KernelFiles& files) {
  RTSWEEP_CHECK_OK(check_files(files));
  Kernel kernel{.name = files.name,
                .arch = files.arch,
                .image = files.image,
                .modules = files.modules,
                .config = files.config};
  RTSWEEP_TRY(kernel.release, find_release(files));
  if (!files.config.empty()) {
    RTSWEEP_TRY(const std::string config, read_file(files.config));
    kernel.rt = config_is_rt(config);
  }
  return kernel;
}

Result<Kernel> try_to_fetch(const Cache& cache, CommandRunner& commands, const KernelEntry& entry,
                            Freshness freshness) {
  Archive archive(cache, commands);
  const auto make = [&](const PackageId& id) {
    return cache.directory(cache_name(entry, id), [&](const fs::path& directory) {
      return extract(archive, commands, entry, id, directory);
    });
  };
  RTSWEEP_TRY(PackageId id, image_package(archive, entry, freshness));
  auto directory = make(id);
  if (!directory && freshness == Freshness::kPinned) {
    // What was remembered may have left the archive before it was fetched.
    const auto newest = image_package(archive, entry, Freshness::kNewest);
    if (newest && *newest != id) {
      id = *newest;
      directory = make(id);
    }
  }
  if (!directory) return std::move(directory).error();
  return kernel_in(*directory, entry, id);
}

}  // namespace

bool config_is_rt(std::string_view config) {
  const std::vector<std::string> lines = split(config, '\n');
  return std::ranges::find(lines, "CONFIG_PREEMPT_RT=y") != lines.end();
}

Result<Kernel> fetch_kernel(const Cache& cache, CommandRunner& commands, const KernelEntry& entry,
                            Freshness freshness) {
  auto kernel = try_to_fetch(cache, commands, entry, freshness);
  if (!kernel) return std::move(kernel).error().with_context("kernel '" + entry.name + "'");
  return kernel;
}

std::optional<Kernel> cached_kernel(const Cache& cache, CommandRunner& commands,
                                    const KernelEntry& entry) {
  const auto packages = Archive(cache, commands).resolved_before(request_for(entry));
  if (!packages) return std::nullopt;
  const auto id = std::ranges::find_if(*packages, holds_image);
  if (id == packages->end()) return std::nullopt;
  const auto kernel = kernel_in(cache.path(cache_name(entry, *id)), entry, *id);
  return kernel ? std::optional(*kernel) : std::nullopt;
}

Result<Kernel> kernel_by_path(const KernelFiles& files) {
  auto kernel = checked_kernel(files);
  if (!kernel) return std::move(kernel).error().with_context("kernel '" + files.name + "'");
  return kernel;
}

}  // namespace rtsweep
