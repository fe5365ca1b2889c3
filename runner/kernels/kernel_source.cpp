// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_source.h"

#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/kernels/guest_tree.h"
#include "runner/kernels/kernel_source_arch.h"
#include "runner/kernels/kernel_source_scripts.h"
#include "runner/kernels/kernel_source_tree.h"
#include "runner/kernels/sha256.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

// Part of the layer's key: to be raised when the same input gives another layer.
constexpr int kFormat = 6;

// The guest's gcc is Debian 12's. The configuration knows what its compiler can do, so
// ours must be of the same major version.
constexpr std::string_view kGuestCompilerMajor = "12";

// Trees that tinyconfig builds nothing of. Their Kconfig files are read all the same.
constexpr std::array<std::string_view, 12> kNotExtracted = {"*/Documentation/?*/*",
                                                            "*/drivers/gpu/*.[ch]",
                                                            "*/drivers/net/*.[ch]",
                                                            "*/drivers/media/*.[ch]",
                                                            "*/drivers/staging/*.[ch]",
                                                            "*/drivers/scsi/*.[ch]",
                                                            "*/drivers/infiniband/*.[ch]",
                                                            "*/sound/*.[ch]",
                                                            "*/tools/testing/*",
                                                            "*/tools/perf/*",
                                                            "*.dts",
                                                            "*.dtsi"};

// objtool is made for this machine, by a build system of its own; amd64 guests run it
// too, but have no libelf.
constexpr std::string_view kLinkObjtool =
    "gcc -static -s -o tools/objtool/objtool tools/objtool/objtool-in.o "
    "tools/objtool/libsubcmd.a -lelf -lz";

// The first line of its --version, and the program itself.
struct Compiler {
  std::string version;
  fs::path path;
};

Result<std::string> run_shell(CommandRunner& commands, const std::string& script) {
  return commands.run({"sh", "-c", script});
}

Result<fs::path> find_program(CommandRunner& commands, const NeededProgram& needed) {
  auto found = run_shell(commands, "command -v " + needed.program);
  if (!found) {
    return Error(Errc::kNotSupported,
                 needed.program + " is not installed (Debian package " + needed.package + ")");
  }
  return fs::path(trim(*found));
}

// "aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0" is of version 12.
std::string major_version(std::string_view compiler) {
  const auto parts = words(compiler);
  return parts.empty() ? "" : split(parts.back(), '.').front();
}

Result<Compiler> find_compiler(CommandRunner& commands, const KernelSourceArch& arch) {
  const std::string name = std::string(arch.cross) + "gcc";
  RTSWEEP_TRY(const fs::path path,
              find_program(commands, {name, std::string(arch.compiler_package)}));
  RTSWEEP_TRY(const std::string text, commands.run({"env", "LC_ALL=C", name, "--version"}));
  const std::string version = split(text, '\n').front();
  if (major_version(version) != kGuestCompilerMajor) {
    return Error(Errc::kNotSupported, name + " is version " + major_version(version) +
                                          ", but must be " + std::string(kGuestCompilerMajor) +
                                          " as the guest's: " + version);
  }
  return Compiler{.version = version, .path = path};
}

// A program for the guest, to see that there are the compiler and a static C library.
Result<void> try_compiler(CommandRunner& commands, const KernelSourceArch& arch) {
  auto built = run_shell(commands, "echo 'int main(void) { return 0; }' | " +
                                       std::string(arch.cross) + "gcc -static -x c -o /dev/null -");
  if (built) return {};
  return Error(Errc::kNotSupported,
               std::string(arch.cross) + "gcc cannot link a static program (Debian package " +
                   std::string(arch.library_package) + "): " + built.error().message());
}

// A machine of the guest's architecture, and the libraries of objtool.
Result<void> try_objtool(CommandRunner& commands, const KernelSourceArch& arch) {
  if (!arch.objtool) return {};
  auto built = run_shell(commands, "test \"$(gcc -dumpmachine)-\" = " + std::string(arch.cross) +
                                       " && echo 'int main(void) { return 0; }' | "
                                       "gcc -static -x c -o /dev/null - -lelf -lz");
  if (built) return {};
  return Error(Errc::kNotSupported,
               "objtool cannot be built: that takes a machine of the guest's architecture and "
               "the Debian packages libelf-dev and zlib1g-dev: " +
                   built.error().message());
}

Result<void> check_host(CommandRunner& commands, const KernelSourceArch& arch) {
  for (const NeededProgram& needed : programs_to_prepare(arch)) {
    RTSWEEP_TRY(const fs::path path, find_program(commands, needed));
  }
  RTSWEEP_CHECK_OK(try_compiler(commands, arch));
  return try_objtool(commands, arch);
}

// The preparation of one tree, step by step.
class Preparation {
 public:
  Preparation(CommandRunner& commands, const KernelSourceArch& arch, Compiler compiler,
              const fs::path& directory)
      : commands_(commands),
        arch_(arch),
        compiler_(std::move(compiler)),
        directory_(directory),
        variables_(make_variables(arch, compiler_.version)) {
    tree_.directory = directory / "linux";
  }

  // The package is a .tar.xz in a .deb.
  Result<void> extract(const fs::path& package) {
    const fs::path unpacked = directory_ / "package";
    RTSWEEP_CHECK_OK(make_directories(tree_.directory));
    RTSWEEP_CHECK_OK(run({"dpkg-deb", "-x", package.string(), unpacked.string()}));
    const fs::path archive = unpacked / "usr/src" / (std::string(kKernelSourcePackage) + ".tar.xz");
    std::vector<std::string> tar = {"tar",
                                    "--extract",
                                    "--file",
                                    archive.string(),
                                    "--use-compress-program=xz -T0",
                                    "--strip-components=1",
                                    "--directory",
                                    tree_.directory.string()};
    for (const std::string_view pattern : kNotExtracted) {
      tar.push_back("--exclude=" + std::string(pattern));
    }
    RTSWEEP_CHECK_OK(run(tar));
    std::error_code ec;
    fs::remove_all(unpacked, ec);
    RTSWEEP_TRY(tree_.published, files_below(tree_.directory));
    return append("scripts/Makefile.compiler", compiler_probes());
  }

  Result<void> configure() {
    RTSWEEP_CHECK_OK(make({"tinyconfig"}));
    RTSWEEP_CHECK_OK(make({"prepare"}));
    RTSWEEP_TRY(tree_.prepared, files_below(tree_.directory));
    RTSWEEP_TRY(const std::string release,
                read_file(tree_.directory / "include/config/kernel.release"));
    variables_.push_back("KERNELRELEASE=" + std::string(trim(release)));
    return {};
  }

  // A build of vmlinux with a compiler that only reads. The last step, the link, must
  // fail, since the objects are empty; before it, all of them are in vmlinux.a.
  Result<void> visit() {
    const fs::path programs = directory_ / "reading";
    const fs::path compiler = programs / (std::string(arch_.cross) + "gcc");
    RTSWEEP_CHECK_OK(make_directories(programs));
    RTSWEEP_CHECK_OK(write_file_durably(
        compiler, reading_compiler(compiler_.path, tree_.directory / "scripts/mod/empty.o")));
    RTSWEEP_CHECK_OK(run({"chmod", "+x", compiler.string()}));
    const Result<void> built = make({"vmlinux"}, programs);
    std::error_code ec;
    if (!fs::exists(tree_.directory / "vmlinux.a", ec)) {
      if (!built) return built.error();
      return Error(Errc::kBadData, "make vmlinux made no vmlinux.a");
    }
    RTSWEEP_TRY(tree_.all, files_below(tree_.directory));
    RTSWEEP_TRY(saved_, read_saved_commands(tree_));
    return {};
  }

  Result<void> build_programs() {
    for (const SavedCommand& program : programs_for_guest(saved_)) {
      RTSWEEP_CHECK_OK(run_in_tree(command_for_guest(program, arch_.cross)));
    }
    return arch_.objtool ? run_in_tree(std::string(kLinkObjtool)) : Result<void>();
  }

  Result<GuestTree> guest_tree() const {
    GuestTree guest;
    for (const std::string& path : files_for_guest(tree_, arch_, saved_)) {
      RTSWEEP_CHECK_OK(add(path, guest));
    }
    // The configuration is final: nothing is to be compared with the Kconfig files.
    guest.add_content(in_guest("include/config/auto.conf.cmd"), "", 0644);
    guest.add_content(in_guest("rtsweep-build"), build_script(arch_, variables_), 0755);
    return guest;
  }

 private:
  Result<void> run(const std::vector<std::string>& argv) {
    auto done = commands_.run(argv);
    if (!done) return std::move(done).error();
    return {};
  }

  Result<void> run_in_tree(const std::string& script) {
    return run({"env", "-C", tree_.directory.string(), "sh", "-c", script});
  }

  Result<void> make(const std::vector<std::string>& goals, const fs::path& first_in_path = {}) {
    const unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::string> argv = {"env", "--unset=MAKEFLAGS", "LC_ALL=C"};
    if (!first_in_path.empty()) {
      argv.insert(argv.end(),
                  {"sh", "-c", "PATH=\"$0:$PATH\" exec \"$@\"", first_in_path.string()});
    }
    argv.insert(argv.end(), {"make", "--silent", "--jobs=" + std::to_string(jobs), "--directory",
                             tree_.directory.string()});
    argv.insert(argv.end(), variables_.begin(), variables_.end());
    argv.insert(argv.end(), goals.begin(), goals.end());
    return run(argv);
  }

  Result<void> append(const std::string& file, const std::string& content) const {
    RTSWEEP_TRY(const std::string before, read_file(tree_.directory / file));
    return write_file_durably(tree_.directory / file, before + content);
  }

  static std::string in_guest(const std::string& path) {
    return std::string(kKernelSourceDirectory) + "/" + path;
  }

  Result<void> add(const std::string& path, GuestTree& guest) const {
    const fs::path file = tree_.directory / path;
    if (path == kProbesFile) {
      RTSWEEP_TRY(const std::string text, read_file(file));
      guest.add_content(in_guest(path), sorted_probes(text), 0644);
      return {};
    }
    if (path.ends_with(".cmd") && !tree_.published.contains(path)) {
      const TreeMove move = {tree_.directory.string(), std::string(kKernelSourceDirectory)};
      RTSWEEP_TRY(const std::string text, read_file(file));
      guest.add_content(in_guest(path), saved_text_for_guest(text, arch_.cross, move), 0644);
      return {};
    }
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return Error::from_errno("read " + path, errno);
    guest.add_file(in_guest(path), file, (status.st_mode & S_IXUSR) != 0 ? 0755 : 0644);
    return {};
  }

  CommandRunner& commands_;
  KernelSourceArch arch_;
  Compiler compiler_;
  fs::path directory_;
  std::vector<std::string> variables_;
  KernelTree tree_;
  std::vector<SavedCommand> saved_;
};

Result<void> make_layer(CommandRunner& commands, const KernelSourceArch& arch,
                        const Compiler& compiler, const fs::path& package,
                        const fs::path& directory) {
  RTSWEEP_CHECK_OK(check_host(commands, arch));
  const fs::path work = directory / "work";
  Preparation preparation(commands, arch, compiler, work);
  RTSWEEP_CHECK_OK(preparation.extract(package));
  RTSWEEP_CHECK_OK(preparation.configure());
  RTSWEEP_CHECK_OK(preparation.visit());
  RTSWEEP_CHECK_OK(preparation.build_programs());
  RTSWEEP_TRY(const GuestTree tree, preparation.guest_tree());
  RTSWEEP_TRY(const std::string hash, write_cpio(tree, directory / "layer.cpio"));
  RTSWEEP_CHECK_OK(write_file_durably(directory / "layer.sha256", hash + "\n"));
  std::error_code ec;
  fs::remove_all(work, ec);
  return {};
}

}  // namespace

Result<GuestLayer> kernel_source_layer(const Cache& cache, CommandRunner& commands,
                                       const std::string& arch_name, const Deb& source) {
  RTSWEEP_TRY(const KernelSourceArch arch, kernel_source_arch(arch_name));
  RTSWEEP_TRY(const Compiler compiler, find_compiler(commands, arch));
  const nlohmann::json made_from = {kFormat, "kernel source", arch.name, source.sha256,
                                    compiler.version};
  const std::string name = "layers/" + sha256(made_from.dump()).substr(0, 32);
  auto directory = cache.directory(name, [&](const fs::path& part) {
    return make_layer(commands, arch, compiler, source.file, part);
  });
  if (!directory) {
    return std::move(directory).error().with_context("kernel source for " + arch_name + " guests");
  }
  RTSWEEP_TRY(const std::string hash, read_file(*directory / "layer.sha256"));
  return GuestLayer{.file = *directory / "layer.cpio", .sha256 = std::string(trim(hash))};
}

}  // namespace rtsweep
