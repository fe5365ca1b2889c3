// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/module_index.h"

#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using testing::IsOkAnd;
using testing::TemporaryDirectory;

// Lines of the files that depmod 30 wrote for Debian's 6.1.0-50-rt-arm64.
class ModuleIndexTest : public ::testing::Test {
 protected:
  ModuleIndexTest() {
    directory_.file("modules.dep",
                    "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko kernel/lib/crc16.ko "
                    "kernel/fs/mbcache.ko\n"
                    "kernel/fs/jbd2/jbd2.ko:\n"
                    "kernel/fs/mbcache.ko:\n"
                    "kernel/lib/crc16.ko:\n"
                    "kernel/crypto/crc32c_generic.ko:\n"
                    "kernel/arch/x86/crypto/crc32c-intel.ko:\n"
                    "kernel/drivers/mmc/host/sdhci-pci.ko.xz: kernel/drivers/mmc/host/cqhci.ko.xz "
                    "kernel/drivers/mmc/host/sdhci.ko.xz\n"
                    "kernel/drivers/mmc/host/cqhci.ko.xz:\n"
                    "kernel/drivers/mmc/host/sdhci.ko.xz:\n");
    directory_.file("modules.softdep",
                    "# Soft dependencies extracted from modules themselves.\n"
                    "softdep jbd2 pre: crc32c\n"
                    "softdep ext4 pre: crc32c post: sdhci\n");
    directory_.file("modules.alias",
                    "# Aliases extracted from modules themselves.\n"
                    "alias pci:v*d*sv*sd*bc08sc05i* sdhci_pci\n"
                    "alias crc32c crc32c_intel\n"
                    "alias crc32c crc32c_generic\n");
    directory_.file("modules.builtin", "kernel/drivers/mmc/core/mmc_block.ko\n");
  }

  Result<std::vector<std::string>> order(std::vector<std::string> names) {
    RTSWEEP_TRY(const ModuleIndex index, ModuleIndex::open(directory_.path()));
    return index.insertion_order(names);
  }

  TemporaryDirectory directory_;
};

TEST_F(ModuleIndexTest, PutsWhatAModuleNeedsBeforeIt) {
  EXPECT_THAT(order({"sdhci_pci"}),
              IsOkAnd(ElementsAre("kernel/drivers/mmc/host/cqhci.ko.xz",
                                  "kernel/drivers/mmc/host/sdhci.ko.xz",
                                  "kernel/drivers/mmc/host/sdhci-pci.ko.xz")));
}

TEST_F(ModuleIndexTest, TakesTheGenericModuleForAnAliasOfASoftDependency) {
  EXPECT_THAT(order({"ext4"}),
              IsOkAnd(ElementsAre("kernel/crypto/crc32c_generic.ko", "kernel/fs/jbd2/jbd2.ko",
                                  "kernel/lib/crc16.ko", "kernel/fs/mbcache.ko",
                                  "kernel/fs/ext4/ext4.ko")));
}

TEST_F(ModuleIndexTest, NamesEachModuleOnce) {
  EXPECT_THAT(order({"crc16", "crc16", "mbcache"}),
              IsOkAnd(ElementsAre("kernel/lib/crc16.ko", "kernel/fs/mbcache.ko")));
}

TEST_F(ModuleIndexTest, DoesNotTellADashFromAnUnderscore) {
  EXPECT_THAT(order({"crc32c-generic"}), IsOkAnd(ElementsAre("kernel/crypto/crc32c_generic.ko")));
}

TEST_F(ModuleIndexTest, PassesOverWhatIsBuiltIn) {
  EXPECT_THAT(order({"mmc_block"}), IsOkAnd(IsEmpty()));
}

TEST_F(ModuleIndexTest, SaysWhichModuleIsMeantWhenThereIsNone) {
  EXPECT_THAT(order({"sdhci_pic"}),
              FailsWith(Errc::kNotSupported, "no module 'sdhci_pic'; there is 'sdhci_pci'"));
}

TEST(ModuleIndex, NeedsModulesDep) {
  const TemporaryDirectory directory;

  EXPECT_THAT(ModuleIndex::open(directory.path()), FailsWith(Errc::kIo, "modules.dep"));
}

}  // namespace
}  // namespace rtsweep
