// SPDX-License-Identifier: GPL-2.0-or-later

// Preparing a kernel tree for guests: what Kbuild saved, what of the tree is needed,
// and the texts that go into it. The whole of it is done by an integration test.

#include "runner/kernels/kernel_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/kernels/kernel_source_arch.h"
#include "runner/kernels/kernel_source_saved.h"
#include "runner/kernels/kernel_source_scripts.h"
#include "runner/kernels/kernel_source_tree.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/fake_commands.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::IsSupersetOf;
using ::testing::Not;
using testing::TemporaryDirectory;

// lib/.gen_crc32table.cmd of Linux 6.1, shortened, with a header of the host as older
// versions of fixdep list it.
constexpr char kProgram[] =
    R"(cmd_lib/gen_crc32table := gcc -Wp,-MMD,lib/.gen_crc32table.d -Wall -O2 -std=gnu11       -o lib/gen_crc32table lib/gen_crc32table.c   

source_lib/gen_crc32table := lib/gen_crc32table.c

deps_lib/gen_crc32table := \
  /usr/include/stdio.h \
  lib/../include/linux/crc32poly.h \
    $(wildcard include/config/CRC32_SLICEBY8) \
  lib/crc32defs.h \

lib/gen_crc32table: $(deps_lib/gen_crc32table)

$(deps_lib/gen_crc32table):
)";

SavedCommand saved(std::string target, std::string command, std::vector<std::string> sources = {}) {
  return {
      .target = std::move(target), .command = std::move(command), .sources = std::move(sources)};
}

TEST(SavedCommand, IsReadWithTheFilesOfTheTree) {
  const auto program = parse_saved_command(kProgram);
  ASSERT_TRUE(program.has_value());
  EXPECT_EQ(program->target, "lib/gen_crc32table");
  EXPECT_THAT(program->command, AllOf(HasSubstr("gcc -Wp,-MMD,lib/.gen_crc32table.d"),
                                      HasSubstr("lib/gen_crc32table.c")));
  EXPECT_THAT(program->sources, ElementsAre("lib/gen_crc32table.c",
                                            "lib/../include/linux/crc32poly.h", "lib/crc32defs.h"));
}

TEST(SavedCommand, HasItsDollarsAndNumberSignsBack) {
  const auto command = parse_saved_command("cmd_a := sed 's/$$/$(pound)/' > a\n");
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->command, "sed 's/$/#/' > a");
}

TEST(SavedCommand, IsNotReadFromOtherFiles) {
  EXPECT_FALSE(parse_saved_command("").has_value());
  EXPECT_FALSE(parse_saved_command("deps_config := \\\n\tKconfig\n").has_value());
  EXPECT_FALSE(parse_saved_command("cmd_without_an_assignment\nx := y\n").has_value());
}

TEST(SavedCommand, BuildsAHostProgramWhenTheCompilerHasNoPrefix) {
  EXPECT_TRUE(builds_host_program(saved("scripts/sorttable", "gcc -o scripts/sorttable x.c")));
  EXPECT_FALSE(builds_host_program(saved("lib/bcd.o", "aarch64-linux-gnu-gcc -c -o lib/bcd.o")));
  EXPECT_FALSE(builds_host_program(saved("lib/lib.a", "rm -f lib/lib.a")));
}

TEST(SavedCommand, ForTheGuestUsesItsCompilerAndLinksStatically) {
  EXPECT_EQ(command_for_guest(saved("scripts/sorttable",
                                    "gcc -Wp,-MMD,scripts/.sorttable.d -O2 -o scripts/sorttable "
                                    "scripts/sorttable.c -lpthread"),
                              "arm-linux-gnueabihf-"),
            "arm-linux-gnueabihf-gcc -O2 -o scripts/sorttable scripts/sorttable.c -lpthread "
            "-static -s");
  EXPECT_EQ(command_for_guest(saved("a.o", "gcc -Wp,-MMD,.a.o.d -c -o a.o a.c"), "x-"),
            "x-gcc -c -o a.o a.c");
}

const TreeMove kMove = {.from = "/cache/work/linux", .to = "/usr/src/linux"};

TEST(SavedCommand, TextForTheGuestNamesItsCompilerAndNoFileOfTheHost) {
  const std::string text = saved_text_for_guest(kProgram, "aarch64-linux-gnu-", kMove);
  EXPECT_THAT(text, AllOf(::testing::StartsWith("cmd_lib/gen_crc32table := aarch64-linux-gnu-gcc "),
                          Not(HasSubstr("/usr/include")), HasSubstr("  lib/crc32defs.h \\\n"),
                          HasSubstr("\n$(deps_lib/gen_crc32table):\n")));
  constexpr char kObject[] = "cmd_a.o := arm-linux-gnueabihf-gcc -c -o a.o a.c\n";
  EXPECT_EQ(saved_text_for_guest(kObject, "arm-linux-gnueabihf-", kMove), kObject);
}

// As arch/arm64/kernel/vdso/vgettimeofday.o is compiled.
TEST(SavedCommand, TextForTheGuestHasThePathsThatTheGuestHas) {
  EXPECT_EQ(saved_text_for_guest("cmd_a.o := x-gcc -include /cache/work/linux/lib/vdso/get.c\n"
                                 "deps_a.o := \\\n"
                                 "  /cache/work/linux/lib/vdso/get.c \\\n",
                                 "x-", kMove),
            "cmd_a.o := x-gcc -include /usr/src/linux/lib/vdso/get.c\n"
            "deps_a.o := \\\n"
            "  /usr/src/linux/lib/vdso/get.c \\\n");
}

TEST(KernelSourceArch, IsOneOfDebiansFour) {
  const auto armhf = kernel_source_arch("armhf");
  ASSERT_THAT(armhf, IsOk());
  EXPECT_EQ(armhf->kernel, "arm");
  EXPECT_THAT(kernel_source_arch("riscv64"), FailsWith(Errc::kNotSupported, "riscv64"));
}

TEST(KernelSourceArch, GivesMakeTheSameVariablesHereAndInTheGuest) {
  EXPECT_THAT(make_variables(*kernel_source_arch("i386"), "i686-linux-gnu-gcc (Debian) 12.2.0"),
              IsSupersetOf({"ARCH=i386", "CROSS_COMPILE=i686-linux-gnu-",
                            "CC_VERSION_TEXT=i686-linux-gnu-gcc (Debian) 12.2.0"}));
}

class FilesForGuest : public ::testing::Test {
 protected:
  std::vector<std::string> files() {
    tree_.directory = directory_.path();
    tree_.prepared.insert(tree_.published.begin(), tree_.published.end());
    tree_.all.insert(tree_.prepared.begin(), tree_.prepared.end());
    return files_for_guest(tree_, *kernel_source_arch("arm64"), saved_);
  }

  TemporaryDirectory directory_;
  KernelTree tree_;
  std::vector<SavedCommand> saved_ = {saved("lib/bcd.o", "aarch64-linux-gnu-gcc -c -o lib/bcd.o",
                                            {"lib/bcd.c", "lib/../include/linux/bcd.h"})};
};

TEST_F(FilesForGuest, AreThePublishedOnesThatWentIntoAnObject) {
  tree_.published = {"lib/bcd.c", "include/linux/bcd.h", "lib/zstd/huf.c", "include/linux/zstd.h"};
  EXPECT_THAT(files(), ElementsAre("include/linux/bcd.h", "lib/bcd.c"));
}

TEST_F(FilesForGuest, AreNotTheSourcesOfProgramsThatOnlyThePreparationRuns) {
  saved_ = {saved("scripts/dtc/dtc.o", "gcc -c -o scripts/dtc/dtc.o", {"scripts/dtc/dtc.c"}),
            saved("lib/fdt.o", "aarch64-linux-gnu-gcc -c -o lib/fdt.o",
                  {"lib/fdt.c", "lib/../scripts/dtc/libfdt/fdt.c"})};
  tree_.published = {"scripts/dtc/dtc.c", "scripts/dtc/libfdt/fdt.c", "lib/fdt.c"};
  EXPECT_THAT(files(), ElementsAre("lib/fdt.c", "scripts/dtc/libfdt/fdt.c"));
}

TEST_F(FilesForGuest, AreTheMakefilesOfVisitedDirectories) {
  tree_.published = {"Makefile",         "Kbuild",      "arch/arm64/Makefile",
                     "lib/Makefile",     "lib/Kconfig", "arch/x86/Makefile_32.cpu",
                     "sound/Makefile",   "fs/Makefile", "scripts/Makefile.build",
                     "lib/vdso/Makefile"};
  EXPECT_THAT(files(), ElementsAre("Kbuild", "Makefile", "arch/arm64/Makefile", "lib/Makefile",
                                   "lib/vdso/Makefile", "scripts/Makefile.build"));
}

TEST_F(FilesForGuest, AreTheScriptsBesideMakefiles) {
  tree_.published = {"arch/arm64/kernel/vdso/gen_vdso_offsets.sh", "arch/x86/entry/vdso/check.sh",
                     "usr/gen_initramfs.sh", "tools/testing/run.sh", "scripts/link-vmlinux.sh"};
  EXPECT_THAT(files(), ElementsAre("arch/arm64/kernel/vdso/gen_vdso_offsets.sh",
                                   "scripts/link-vmlinux.sh", "usr/gen_initramfs.sh"));
}

TEST_F(FilesForGuest, AreWhatWasPreparedAndTheProgramsButNoObject) {
  tree_.prepared = {"include/generated/bounds.h", "arch/arm64/kernel/vdso/vdso.so",
                    "scripts/mod/modpost",        "scripts/mod/modpost.o",
                    "scripts/kconfig/conf",       "scripts/mod/empty.o"};
  tree_.all = {"lib/gen_crc32table", "lib/.gen_crc32table.cmd", "lib/crc32table.h",
               "lib/bcd.o",          "lib/.bcd.o.cmd",          "lib/built-in.a",
               "vmlinux.symvers",    ".vmlinux.export.c"};
  EXPECT_THAT(files(),
              ElementsAre("arch/arm64/kernel/vdso/vdso.so", "include/generated/bounds.h",
                          "lib/.gen_crc32table.cmd", "lib/crc32table.h", "lib/gen_crc32table",
                          "scripts/mod/empty.o", "scripts/mod/modpost"));
}

TEST(ProgramsForGuest, AreBuiltObjectsFirstAndWithoutThoseOfTheConfiguration) {
  std::vector<std::string> targets;
  for (const SavedCommand& program :
       programs_for_guest({saved("scripts/basic/fixdep", "gcc -o scripts/basic/fixdep"),
                           saved("scripts/kconfig/conf", "gcc -o scripts/kconfig/conf"),
                           saved("scripts/mod/modpost", "gcc -o scripts/mod/modpost"),
                           saved("scripts/mod/modpost.o", "gcc -c -o scripts/mod/modpost.o"),
                           saved("/src/tools/objtool/check.o", "gcc -c -o check.o"),
                           saved("lib/bcd.o", "aarch64-linux-gnu-gcc -c -o lib/bcd.o")})) {
    targets.push_back(program.target);
  }
  EXPECT_THAT(targets,
              ElementsAre("scripts/mod/modpost.o", "scripts/basic/fixdep", "scripts/mod/modpost"));
}

// Kbuild's own try-run and what it needs, as in scripts/Makefile.compiler of 6.1.
constexpr char kMakefile[] = R"mk(
empty :=
space := $(empty) $(empty)
pound := \#
srctree := .
KBUILD_CFLAGS := -Wall -O2
try-run = $(shell set -e; if ($(1)) >/dev/null 2>&1; then echo "$(2)"; else echo "$(3)"; fi)
)mk";
constexpr char kQuestions[] = R"mk(
known := $(call try-run,./asked -Werror $(KBUILD_CFLAGS) -fknown -o "$$TMP",-fknown,)
new := $(call try-run,./asked -Werror $(KBUILD_CFLAGS) -fnew=1 -o "$$TMP",-fnew=1,-fold)
all: ; @echo $(known) $(new)
)mk";

TEST(CompilerProbes, AreAskedOnceAndAnsweredTheSameAfterwards) {
  const TemporaryDirectory tree;
  const auto log = tree.file("log", "");
  tree.file("scripts/none", "");
  tree.file("asked", "#!/bin/sh\necho asked >> log\ncase \"$*\" in *-fnew*) exit 1;; esac\n");
  tree.file("Makefile", kMakefile + compiler_probes() + kQuestions);
  SystemCommands commands;
  const std::string run = "cd " + tree.path().string() + " && chmod +x asked && make -s";
  for (int start = 0; start < 2; ++start) {
    const auto answers = commands.run({"sh", "-c", run});
    ASSERT_THAT(answers, IsOk());
    EXPECT_EQ(*answers, "-fknown -fold\n");
    EXPECT_EQ(*read_file(log), "asked\nasked\n");
  }
}

TEST(CompilerProbes, AreTheSameFileInWhateverOrderTheyWereAsked) {
  EXPECT_EQ(sorted_probes("b := 2\na := 1\nb := 2\n"), "a := 1\nb := 2\n");
  EXPECT_EQ(sorted_probes(""), "");
}

TEST(ReadingCompiler, ListsIncludedFilesAndCopiesAnObject) {
  const TemporaryDirectory tree;
  tree.file("a.h", "int a;\n");
  tree.file("a.c", "#include \"a.h\"\nnot C, but it is not compiled\n");
  const auto object = tree.file("empty.o", "an object");
  const auto compiler = tree.file("reading-gcc", reading_compiler("gcc", object));
  SystemCommands commands;
  ASSERT_THAT(commands.run({"env", "-C", tree.path().string(), "sh", compiler.string(),
                            "-Wp,-MMD,a.d", "-c", "-o", "a.o", "a.c"}),
              IsOk());
  EXPECT_EQ(*read_file(tree.path() / "a.o"), "an object");
  EXPECT_THAT(*read_file(tree.path() / "a.d"), HasSubstr("a.h"));
}

TEST(ReadingCompiler, CompilesAssemblerAndPassesOnErrors) {
  const TemporaryDirectory tree;
  tree.file("a.S", "nop\n");
  tree.file("b.c", "#error no\n");
  const auto object = tree.file("empty.o", "an object");
  const auto compiler = tree.file("reading-gcc", reading_compiler("gcc", object));
  SystemCommands commands;
  const auto run = [&](const std::string& source) {
    return commands.run(
        {"env", "-C", tree.path().string(), "sh", compiler.string(), "-c", "-o", "out.o", source});
  };
  ASSERT_THAT(run("a.S"), IsOk());
  EXPECT_NE(*read_file(tree.path() / "out.o"), "an object");
  EXPECT_THAT(run("b.c"), FailsWith(Errc::kChildFailed, "#error no"));
}

// A make that writes down its goals and the objects it finds, leaves an object, and
// fails at the fifth call.
constexpr char kFakeMake[] = R"sh(#!/bin/sh
goals=
for word; do case $word in -*|*=*) ;; *) goals="$goals$word " ;; esac; done
echo "$goals| $(ls lib | tr '\n' ' ')" >> calls
touch lib/made.o
test "$(wc -l < calls)" -lt 5
)sh";

TEST(BuildScript, BuildsSmallDirectoriesFirstAndBeginsAgainUntilMakeFails) {
  const TemporaryDirectory tree;
  tree.file("lib/Makefile", "");
  tree.file("scripts/kept.o", "");
  tree.file("bin/make", kFakeMake);
  const auto script = tree.file(
      "rtsweep-build",
      build_script(*kernel_source_arch("armhf"), std::vector<std::string>{"CC_VERSION_TEXT=a b"}));
  SystemCommands commands;
  ASSERT_THAT(commands.run({"chmod", "+x", (tree.path() / "bin/make").string()}), IsOk());
  EXPECT_THAT(commands.run({"env", "PATH=" + (tree.path() / "bin").string() + ":/usr/bin:/bin",
                            "sh", script.string(), "2"}),
              FailsWith(Errc::kChildFailed, ""));
  EXPECT_EQ(*read_file(tree.path() / "calls"),
            "lib/math/ arch/arm/lib/ | Makefile \n"
            "lib/ | Makefile made.o \n"
            "vmlinux | Makefile made.o \n"
            "lib/math/ arch/arm/lib/ | Makefile \n"
            "lib/ | Makefile made.o \n");
  EXPECT_TRUE(std::filesystem::exists(tree.path() / "scripts/kept.o"));
}

TEST(BuildScript, TellsMakeThatTheTreeIsPrepared) {
  EXPECT_THAT(build_script(*kernel_source_arch("arm64"), std::vector<std::string>{"X=a b"}),
              AllOf(HasSubstr("--old-file=prepare"), HasSubstr("HOSTCC=aarch64-linux-gnu-gcc"),
                    HasSubstr("'X=a b'")));
}

class KernelSourceLayer : public ::testing::Test {
 protected:
  Result<GuestLayer> layer(CommandRunner& commands) {
    return kernel_source_layer(*Cache::open_at(directory_.path()), commands, "arm64",
                               {.package = {}, .file = "linux-source.deb", .sha256 = "12ab"});
  }

  // How many directories the cache has of layers.
  ptrdiff_t layers() const {
    std::error_code ec;
    const std::filesystem::directory_iterator begin(directory_.path() / "layers", ec);
    return ec ? 0 : std::distance(begin, std::filesystem::directory_iterator());
  }

  TemporaryDirectory directory_;
};

TEST_F(KernelSourceLayer, SaysWhichPackageHasAMissingCompiler) {
  testing::FakeCommands commands;
  commands.fails("sh", "exit code 127");
  EXPECT_THAT(layer(commands), FailsWith(Errc::kNotSupported, "gcc-aarch64-linux-gnu"));
}

// Every command succeeds; the compiler says what it is told to say.
class CompilerOf : public CommandRunner {
 public:
  explicit CompilerOf(std::string version) : version_(std::move(version)) {}

  Result<std::string> run(const std::vector<std::string>& argv) override {
    if (argv.front() == "dpkg-deb") return Error(Errc::kChildFailed, "not a Debian archive");
    return argv.back() == "--version" ? version_ + "\nmore\n" : "/usr/bin/program\n";
  }

 private:
  std::string version_;
};

TEST_F(KernelSourceLayer, RefusesACompilerThatIsNotTheGuests) {
  CompilerOf commands("aarch64-linux-gnu-gcc (Debian 14.2.0-19) 14.2.0");
  EXPECT_THAT(layer(commands), FailsWith(Errc::kNotSupported, "is version 14, but must be 12"));
}

TEST_F(KernelSourceLayer, LeavesNothingThatLooksCompleteWhenAStepFails) {
  CompilerOf commands("aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0");
  EXPECT_THAT(layer(commands), FailsWith(Errc::kChildFailed, "not a Debian archive"));
  EXPECT_EQ(layers(), 0);
}

}  // namespace
}  // namespace rtsweep
