// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/kernel_source_arch.h"

#include <array>

namespace rtsweep {
namespace {

constexpr std::array<KernelSourceArch, 4> kArchitectures = {{
    {.name = "amd64",
     .kernel = "x86_64",
     .directory = "x86",
     .cross = "x86_64-linux-gnu-",
     .compiler_package = "gcc",
     .library_package = "libc6-dev",
     .objtool = true},
    {.name = "i386",
     .kernel = "i386",
     .directory = "x86",
     .cross = "i686-linux-gnu-",
     .compiler_package = "gcc-i686-linux-gnu",
     .library_package = "libc6-dev-i386-cross"},
    {.name = "arm64",
     .kernel = "arm64",
     .directory = "arm64",
     .cross = "aarch64-linux-gnu-",
     .compiler_package = "gcc-aarch64-linux-gnu",
     .library_package = "libc6-dev-arm64-cross"},
    {.name = "armhf",
     .kernel = "arm",
     .directory = "arm",
     .cross = "arm-linux-gnueabihf-",
     .compiler_package = "gcc-arm-linux-gnueabihf",
     .library_package = "libc6-dev-armhf-cross"},
}};

}  // namespace

Result<KernelSourceArch> kernel_source_arch(std::string_view name) {
  for (const KernelSourceArch& arch : kArchitectures) {
    if (arch.name == name) return arch;
  }
  return Error(Errc::kNotSupported, "no kernel can be built in '" + std::string(name) + "' guests");
}

std::vector<NeededProgram> programs_to_prepare(const KernelSourceArch& arch) {
  return {{std::string(arch.cross) + "gcc", std::string(arch.compiler_package)},
          {"gcc", "gcc"},
          {"make", "make"},
          {"flex", "flex"},
          {"bison", "bison"},
          {"bc", "bc"},
          {"tar", "tar"},
          {"xz", "xz-utils"},
          {"cmp", "diffutils"},
          {"find", "findutils"},
          {"awk", "mawk"}};
}

// KERNELRELEASE and PAHOLE_FLAGS are recursive variables with a $(shell ...) that make
// runs again for each command's environment: 60 processes at each start.
std::vector<std::string> make_variables(const KernelSourceArch& arch,
                                        std::string_view compiler_version) {
  return {"ARCH=" + std::string(arch.kernel),
          "CROSS_COMPILE=" + std::string(arch.cross),
          "CC_VERSION_TEXT=" + std::string(compiler_version),
          "KBUILD_BUILD_TIMESTAMP=@0",
          "KBUILD_BUILD_USER=rtsweep",
          "KBUILD_BUILD_HOST=rtsweep",
          "PAHOLE_FLAGS="};
}

}  // namespace rtsweep
