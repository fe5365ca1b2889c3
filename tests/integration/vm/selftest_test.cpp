// SPDX-License-Identifier: GPL-2.0-or-later

// Faults that really happen in VMs, as a user has them proved.

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

}  // namespace
}  // namespace rtsweep
