// SPDX-License-Identifier: GPL-2.0-or-later

// A kernel tree prepared for guests, and built as the guest does it. i386 because this
// machine can run its programs; whatever its own architecture, a compiler for it is
// another one than the machine's.

#include "runner/kernels/kernel_source.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "runner/base/child_process.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Not;
using testing::TemporaryDirectory;

// The source is fetched to the user's cache: 140 MB that other tests want, too.
Result<GuestLayer> layer_for_i386(CommandRunner& commands, const Cache& made_in) {
  RTSWEEP_TRY(const Cache cache, Cache::open());
  Archive archive(cache, commands);
  RTSWEEP_TRY(const auto source, archive.fetch({.suite = "bookworm",
                                                .arch = "i386",
                                                .packages = {std::string(kKernelSourcePackage)},
                                                .with_dependencies = false}));
  return kernel_source_layer(made_in, commands, "i386", source.front());
}

// A machine without a cross compiler or without network cannot run this test.
bool is_this_machines_lack(const Error& error) {
  return error.code() == Errc::kNotSupported ||
         error.message().find("resolv") != std::string::npos ||
         error.message().find("connect") != std::string::npos;
}

// Until make has told of its tenth object, or has failed.
std::string output_of_ten_objects(ChildProcess& build, const std::filesystem::path& log) {
  std::string output;
  for (int look = 0; look < 600 && build.running(); ++look) {
    std::this_thread::sleep_for(500ms);
    output = read_file(log).value();
    if (std::ranges::count(output, '\n') >= 10) break;
  }
  return output;
}

TEST(KernelSource, PreparedForAGuestIsBuiltFromItsFirstObject) {
  const TemporaryDirectory directory;
  SystemCommands commands;
  const auto layer = layer_for_i386(commands, *Cache::open_at(directory.path() / "cache"));
  if (!layer && is_this_machines_lack(layer.error())) GTEST_SKIP() << layer.error().message();
  ASSERT_THAT(layer, IsOk());
  EXPECT_LT(std::filesystem::file_size(layer->file), 60'000'000U);

  const auto root = directory.path() / "root";
  ASSERT_THAT(make_directories(root), IsOk());
  ASSERT_THAT(commands.run({"bsdtar", "-xf", layer->file.string(), "-C", root.string()}), IsOk());
  const auto log = directory.path() / "load.log";
  const auto script = root / "usr/src/linux/rtsweep-build";
  auto build = ChildProcess::start({"sh", script.string(), "2"}, {.output = log});
  ASSERT_THAT(build, IsOk());

  const std::string output = output_of_ten_objects(*build, log);
  EXPECT_THAT(output,
              AllOf(HasSubstr("  CC      lib/math/gcd.o"), HasSubstr("  AS      arch/x86/lib/"),
                    Not(HasSubstr("Error")), Not(HasSubstr("HOSTCC")), Not(HasSubstr("SYNC"))));
  EXPECT_TRUE(build->running()) << output;
}

}  // namespace
}  // namespace rtsweep
