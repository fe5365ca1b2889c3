// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_cpufreq.h"

#include <gmock/gmock.h>
#include <libfdt.h>

#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FailsWith;

// The parts of QEMU's virt machine that matter: phandle 0x8000 is the clock's.
std::string small_tree(bool with_clock) {
  std::string bytes(4096, '\0');
  void* tree = bytes.data();
  fdt_create(tree, static_cast<int>(bytes.size()));
  fdt_finish_reservemap(tree);
  fdt_begin_node(tree, "");
  if (with_clock) {
    fdt_begin_node(tree, "apb-pclk");
    fdt_property_u32(tree, "phandle", 0x8000);
    fdt_end_node(tree);
  }
  fdt_begin_node(tree, "cpus");
  fdt_begin_node(tree, "cpu@0");
  fdt_end_node(tree);
  fdt_end_node(tree);
  fdt_end_node(tree);
  fdt_finish(tree);
  return bytes;
}

uint32_t number(const void* tree, const char* path, const char* name) {
  const int node = fdt_path_offset(tree, path);
  const void* value = fdt_getprop(tree, node, name, nullptr);
  return value == nullptr ? 0 : fdt32_to_cpu(*static_cast<const fdt32_t*>(value));
}

// Documentation/devicetree/bindings/opp/opp-v2.yaml
TEST(WithCpufreq, GivesTheCpuAnOperatingPointOnTheFixedClock) {
  const auto changed = with_cpufreq(small_tree(true));

  ASSERT_TRUE(changed) << changed.error().message();
  const void* tree = changed->data();
  EXPECT_EQ(number(tree, "/cpus/cpu@0", "clocks"), 0x8000U);
  const uint32_t table = number(tree, "/cpus/cpu@0", "operating-points-v2");
  EXPECT_NE(table, 0U);
  EXPECT_EQ(number(tree, "/opp-table", "phandle"), table);
  EXPECT_STREQ(static_cast<const char*>(
                   fdt_getprop(tree, fdt_path_offset(tree, "/opp-table"), "compatible", nullptr)),
               "operating-points-v2");
}

TEST(WithCpufreq, RefusesATreeThatIsNotOfThatMachine) {
  EXPECT_THAT(with_cpufreq(small_tree(false)), FailsWith(Errc::kBadData, "FDT_ERR_NOTFOUND"));
  EXPECT_THAT(with_cpufreq("no tree at all, but long enough for a header of one, surely it is"),
              FailsWith(Errc::kBadData, "FDT_ERR_BADMAGIC"));
}

}  // namespace
}  // namespace rtsweep
