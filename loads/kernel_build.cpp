// SPDX-License-Identifier: GPL-2.0-or-later

// kernel-build: make -jN of a Linux kernel, what the people who measure real-time
// kernels run beside cyclictest. Short processes, page faults, small files, pipes
// between make and its children, and gcc, which computes and never sleeps.

#include <algorithm>
#include <string>

#include "loads/group_work.h"
#include "loads/options.h"
#include "runner/base/files.h"

namespace rtsweep {
namespace {

// What guests and, where it is installed, other machines have.
constexpr std::string_view kUsualTree = "/usr/src/linux";

// In a tree that was prepared for this load: builds it again and again.
constexpr std::string_view kBuildScript = "rtsweep-build";

// The same for any other tree, in a directory beside it. --output-sync makes make say
// what it did when it is done, not before.
constexpr std::string_view kBuildElsewhere = R"(set -e
tree=$1 out=$2 jobs=$3
phase() { read -r now rest </proc/uptime; echo "$now $1" >>"${RTSWEEP_PHASES:-/dev/null}"; }
phase configure
make --silent -C "$tree" O="$out" tinyconfig
while :; do
  phase compile
  make -C "$tree" O="$out" --output-sync=target --jobs="$jobs" vmlinux
  phase clean
  find "$out" -path "$out/scripts" -prune -o '(' -name '*.o' -o -name '*.a' ')' -exec rm -f '{}' +
done)";

bool has_file(const LoadContext& context, const std::string& file) {
  std::error_code ec;
  return std::filesystem::is_regular_file(context.host.path(file), ec);
}

// Relative to the root of the machine.
std::string file_in(const std::string& tree, std::string_view name) {
  return std::filesystem::path(tree).relative_path().string() + "/" + std::string(name);
}

Result<std::vector<std::string>> arguments(const LoadContext& context) {
  const auto cpus = static_cast<int64_t>(context.cpus.size());
  RTSWEEP_TRY(const int64_t number, option_number(context, "jobs", 1, 4096, cpus + 1));
  const std::string jobs = std::to_string(number);
  const std::string wanted = option_text(context, "tree");
  const std::string tree = wanted.empty() ? std::string(kUsualTree) : wanted;
  if (!std::filesystem::path(tree).is_absolute()) {
    return Error(Errc::kInvalidPlan, "option 'tree' is '" + tree + "', but must be a full path");
  }
  if (has_file(context, file_in(tree, kBuildScript))) {
    return std::vector<std::string>{"sh", tree + "/" + std::string(kBuildScript), jobs};
  }
  if (!has_file(context, file_in(tree, "Kbuild"))) {
    return Error(Errc::kNotSupported,
                 "no Linux source in " + tree +
                     ": unpack one (Debian package linux-source) and name it by option 'tree'");
  }
  return std::vector<std::string>{"sh",
                                  "-c",
                                  std::string(kBuildElsewhere),
                                  "kernel-build",
                                  tree,
                                  (context.scratch / "build").string(),
                                  jobs};
}

// "  CC      lib/bcd.o" or "  AS      arch/arm64/lib/memcpy.o", and nothing else: no
// archives, and no programs of the build's own (HOSTCC).
bool tells_of_object(std::string_view line) {
  return (line.starts_with("  CC ") || line.starts_with("  AS ")) && line.ends_with(".o");
}

// Objects finished since the load started, over all rounds: make prints an object's
// line when its commands have ended. Up to `jobs` more are half done.
Result<uint64_t> work(const RunningLoad& load) {
  RTSWEEP_CHECK_OK(cpu_ms_of(load));  // a build that has failed counts no more
  RTSWEEP_TRY(const std::string log, read_file(load.log));
  uint64_t objects = 0;
  std::string_view rest = log;
  for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    objects += tells_of_object(rest.substr(0, end)) ? 1 : 0;
    rest.remove_prefix(end + 1);
  }
  return objects;
}

// The floor: an average object of the kernel costs some 2,000 million instructions,
// which is 16 s of virtual time (125 million instructions a second), beside a probe and
// other loads more. The prepared tree begins with objects of a twentieth of that. One
// object in 50 s is a build that goes on; a stuck one finishes none.
const BuiltinLoad kKernelBuild({
    .name = "kernel-build",
    .exercises = "fork, exec and exit of short processes, page faults, small files, pipes",
    .programs = {"sh", "make", "gcc", "find"},
    .unit = "objects",
    .floor_per_s = 0.02,
    .options = {{"jobs", "", "make --jobs; one more than CPUs if not set"},
                {"tree", "",
                 "Linux source; /usr/src/linux if not set. One that is not prepared for this "
                 "load is built beside itself, as tinyconfig"}},
    .guest = {.packages = {"gcc", "make", "dash", "coreutils", "diffutils", "findutils", "grep",
                           "mawk", "sed"},
              .kernel_source = true},
    .arguments = arguments,
    .work = work,
});

}  // namespace
}  // namespace rtsweep
