// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/kernels/archive.h"
#include "runner/kernels/sha256.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// Part of the module's key: to be raised when the same input gives another module.
constexpr int kFormat = 1;

// What Debian's own build of a foreign architecture would set.
struct CrossBuild {
  std::string_view arch;
  std::string_view gnu_type;
};
constexpr CrossBuild kCrossBuilds[] = {{"amd64", "x86_64-linux-gnu"},
                                       {"i386", "i686-linux-gnu"},
                                       {"arm64", "aarch64-linux-gnu"},
                                       {"armhf", "arm-linux-gnueabihf"}};

std::string_view gnu_type(std::string_view arch) {
  return std::ranges::find(kCrossBuilds, arch, &CrossBuild::arch)->gnu_type;
}

// A compiler for amd64 makes code for i386 too: the kernel's makefiles ask it to (-m32).
bool needs_cross_compiler(std::string_view arch) {
  const std::string_view host = host_architecture();
  return arch != host && !(arch == "i386" && host == "amd64");
}

std::string compiler(std::string_view arch) {
  return needs_cross_compiler(arch) ? std::string(gnu_type(arch)) + "-gcc" : "gcc";
}

// "linux-image-6.1.0-50-rt-amd64 6.1.176-1" -> "6.1.176-1"
std::string version_of(const Kernel& kernel) {
  const size_t space = kernel.package.rfind(' ');
  return space == std::string::npos ? "" : kernel.package.substr(space + 1);
}

Result<std::string> source_hash(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(directory, ec)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  if (ec || files.empty()) {
    return Error(Errc::kNotSupported, "no source of a module in " + directory.string());
  }
  std::ranges::sort(files);
  std::string all;
  for (const fs::path& file : files) {
    RTSWEEP_TRY(const std::string text, read_file(file));
    all += file.filename().string() + "\n" + sha256(text) + "\n";
  }
  return sha256(all);
}

// The headers of an architecture and those that all share come from that architecture's
// archive; the programs that build with them must run here.
class HeaderTree {
 public:
  HeaderTree(const Cache& cache, CommandRunner& commands, const KernelEntry& entry,
             const Kernel& kernel, fs::path root)
      : archive_(cache, commands),
        commands_(commands),
        entry_(entry),
        kernel_(kernel),
        root_(std::move(root)) {}

  Result<void> unpack() {
    const std::string headers = "linux-headers-" + kernel_.release;
    RTSWEEP_TRY(const std::vector<PackageId> all,
                archive_.resolve({entry_.suite, entry_.arch, {headers}, true, {}}));
    std::vector<PackageId> wanted;
    std::string tools;
    for (const PackageId& id : all) {
      if (id.name == headers || id.name.ends_with("-common-rt") || id.name.ends_with("-common")) {
        wanted.push_back(id);
      }
      if (id.name.starts_with("linux-kbuild-")) tools = id.name;
    }
    RTSWEEP_CHECK_OK(check_version(wanted, headers));
    RTSWEEP_TRY(std::vector<Deb> debs, archive_.download(entry_.suite, entry_.arch, wanted));
    const std::string host(host_architecture());
    RTSWEEP_TRY(const std::vector<Deb> of_host,
                archive_.fetch({entry_.suite, host, {tools, "libc6"}, false, {}}));
    debs.insert(debs.end(), of_host.begin(), of_host.end());
    for (const Deb& deb : debs) {
      auto done = commands_.run({"dpkg-deb", "-x", deb.file.string(), root_.string()});
      if (!done) return std::move(done).error();
    }
    RTSWEEP_CHECK_OK(move_in());
    return use_own_libc();
  }

  fs::path directory() const { return root_ / "usr/src" / ("linux-headers-" + kernel_.release); }

 private:
  Result<void> check_version(const std::vector<PackageId>& found, const std::string& headers) {
    const std::string version = version_of(kernel_);
    const auto own = std::ranges::find(found, headers, &PackageId::name);
    if (own != found.end() && own->version == version) return {};
    return Error(Errc::kNotSupported,
                 fmt::format("Debian's archive has no {} {} any more: fetch the newest kernel "
                             "(rtsweep kernel fetch {} --update)",
                             headers, version, entry_.name));
  }

  // Their makefile names the place where a package would be installed.
  Result<void> move_in() {
    const fs::path makefile = directory() / "Makefile";
    RTSWEEP_TRY(std::string text, read_file(makefile));
    constexpr std::string_view kInstalled = "include /usr/src/";
    const size_t at = text.find(kInstalled);
    if (at == std::string::npos) {
      return Error(Errc::kBadData, makefile.string() + " does not include " +
                                       std::string(kInstalled.substr(8)) + "... any more");
    }
    text.replace(at, kInstalled.size(), "include " + (root_ / "usr/src/").string());
    return write_file_durably(makefile, text);
  }

  // modpost and objtool of a newer release need its C library.
  Result<void> use_own_libc() {
    std::error_code ec;
    fs::path loader;
    fs::path library;
    for (const auto& file : fs::recursive_directory_iterator(root_, ec)) {
      const std::string name = file.path().filename().string();
      if (name.starts_with("ld-linux") && file.is_regular_file(ec)) loader = file.path();
      if (name == "libc.so.6") library = file.path();
    }
    if (loader.empty() || library.empty()) {
      return Error(Errc::kBadData, "no C library in the libc6 of " + entry_.suite);
    }
    std::vector<fs::path> programs;
    for (const auto& file : fs::recursive_directory_iterator(root_ / "usr/lib", ec)) {
      const bool real = file.path().filename().string().find(".real-") != std::string::npos;
      if (real && file.is_regular_file(ec)) programs.push_back(file.path());
    }
    for (const fs::path& program : programs) {
      RTSWEEP_CHECK_OK(wrap(program, loader.string(), library.parent_path().string()));
    }
    return {};
  }

  static Result<void> wrap(const fs::path& program, const std::string& loader,
                           const std::string& libraries) {
    const fs::path moved = program.string() + ".bin";
    std::error_code ec;
    fs::rename(program, moved, ec);
    if (ec) return Error(Errc::kIo, "rename " + program.string() + ": " + ec.message());
    RTSWEEP_CHECK_OK(write_file_durably(
        program, fmt::format("#!/bin/sh\nexec '{}' --library-path '{}' '{}' \"$@\"\n", loader,
                             libraries, moved.string())));
    fs::permissions(program, fs::perms::owner_all, ec);
    if (ec) return Error(Errc::kIo, program.string() + ": " + ec.message());
    return {};
  }

  Archive archive_;
  CommandRunner& commands_;
  const KernelEntry& entry_;
  const Kernel& kernel_;
  fs::path root_;
};

// Options of the kernel's configuration that only its own compiler knows, or that need
// programs of their own (pahole), are left out; the module needs none of them.
std::vector<std::string> make_command(const HeaderTree& headers, const std::string& arch,
                                      const fs::path& work) {
  std::vector<std::string> argv = {"make",
                                   "-C",
                                   headers.directory().string(),
                                   "M=" + work.string(),
                                   "CC=" + compiler(arch),
                                   "CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=",
                                   "CONFIG_DEBUG_INFO=",
                                   "CONFIG_DEBUG_INFO_BTF_MODULES="};
  if (needs_cross_compiler(arch)) {
    argv.push_back(fmt::format("DEB_BUILD_ARCH={}", host_architecture()));
    argv.push_back("DEB_HOST_ARCH=" + arch);
    argv.push_back(fmt::format("DEB_HOST_GNU_TYPE={}", gnu_type(arch)));
  }
  argv.emplace_back("modules");
  return argv;
}

Result<void> expect_compiler(CommandRunner& commands, const std::string& arch) {
  if (commands.run({compiler(arch), "--version"})) return {};
  return Error(Errc::kNotSupported, "no " + compiler(arch) +
                                        " to build a kernel module with: install it "
                                        "(scripts/install-packages)");
}

Result<void> build_in(const fs::path& directory, const Cache& cache, CommandRunner& commands,
                      const KernelEntry& entry, const Kernel& kernel, const ModuleSource& source) {
  RTSWEEP_CHECK_OK(expect_compiler(commands, entry.arch));
  const fs::path root = directory / "headers";
  const fs::path work = directory / "work";
  std::error_code ec;
  RTSWEEP_CHECK_OK(make_directories(root));
  fs::copy(source.directory, work, fs::copy_options::recursive, ec);
  if (ec) return Error(Errc::kIo, "copy " + source.directory.string() + ": " + ec.message());
  HeaderTree headers(cache, commands, entry, kernel, root);
  RTSWEEP_CHECK_OK(headers.unpack());
  auto built = commands.run(make_command(headers, entry.arch, work));
  if (!built) return std::move(built).error();
  fs::rename(work / (source.name + ".ko"), directory / (source.name + ".ko"), ec);
  if (ec) return Error(Errc::kBadData, "the build left no " + source.name + ".ko");
  fs::remove_all(root, ec);
  fs::remove_all(work, ec);
  return {};
}

}  // namespace

Result<fs::path> build_module(const Cache& cache, CommandRunner& commands, const KernelEntry& entry,
                              const Kernel& kernel, const ModuleSource& source) {
  RTSWEEP_TRY(const std::string hash, source_hash(source.directory));
  const std::string key = sha256(fmt::format("{}\n{}\n{}\n", kFormat, hash, kernel.package));
  auto directory = cache.directory(
      fmt::format("modules/{}/{}_{}", entry.arch, kernel.release, key.substr(0, 16)),
      [&](const fs::path& made) { return build_in(made, cache, commands, entry, kernel, source); });
  if (!directory) {
    return std::move(directory).error().with_context(
        fmt::format("module {} for {}", source.name, kernel.release));
  }
  return *directory / (source.name + ".ko");
}

}  // namespace rtsweep
