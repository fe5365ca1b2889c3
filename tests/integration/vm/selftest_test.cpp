// SPDX-License-Identifier: GPL-2.0-or-later

// Faults that really happen in VMs, and causes that are made there, as a user has them proved.

#include "tests/integration/vm/vm_run.h"

namespace rtsweep {
namespace {

using testing::VmRun;

TEST_F(VmRun, CatchesEveryFaultThatReallyHappens) {
  ChildProcess child = start({"selftest", "--faults", "--json"});
  const int code = child.wait().value()->code;

  const auto table = nlohmann::json::parse(log());
  int real = 0;
  for (const auto& fault : table.at("faults")) {
    EXPECT_TRUE(fault.at("caught")) << fault.dump(1);
    EXPECT_TRUE(fault.at("control_pass")) << fault.dump(1);
    if (fault.at("real")) ++real;
  }
  EXPECT_GE(table.at("faults").size(), 40U);
  EXPECT_GE(real, 12);
  EXPECT_EQ(code, 0);
}

// One kind of the eleven: it needs the module and has no event of its own in the trace.
TEST_F(VmRun, NamesWhoHadInterruptsOff) {
  ChildProcess child = start({"selftest", "--causes", "--only", "irqs-off", "--json"});
  std::ignore = child.wait().value();

  const auto table = nlohmann::json::parse(log());
  size_t right = 0;
  for (const auto& one : table.at("injected")) {
    if (one.at("right")) ++right;
    EXPECT_TRUE(one.at("sum_right")) << one.dump(1);
  }
  EXPECT_GE(table.at("injected").size(), 20U) << table.at("vms").dump(1);
  EXPECT_GE(right * 100, table.at("injected").size() * 90) << table.dump(1);
}

}  // namespace
}  // namespace rtsweep
