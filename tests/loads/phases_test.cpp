// SPDX-License-Identifier: GPL-2.0-or-later

// What loads tell of their phases, with real processes.

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "runner/measure/load_runner.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

TEST(PhasesOfALoad, AreWhatTheLoadWroteAndSurviveTheJson) {
  testing::FakeHost scratch;
  const HostRoot host;
  const LoadSpec spec{.name = "command",
                      .options = {{"run",
                                   "echo '1.00 first' >> $RTSWEEP_PHASES; "
                                   "echo '2.50 second' >> $RTSWEEP_PHASES; exec sleep 60"},
                                  {"unit", "cpu-ms"}}};
  auto runner = LoadRunner::start(host, builtin_loads(), spec, {0}, scratch.root().path("load"));
  ASSERT_THAT(runner, testing::IsOk());
  for (int tries = 0; tries < 200; ++tries) {
    if (std::filesystem::exists(scratch.root().path("load/phases"))) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  runner->measurement_begins();
  runner->measurement_ends(1);
  const nlohmann::json stored = runner->stop();
  const auto result = stored.get<LoadResult>();

  ASSERT_EQ(result.phases.size(), 2U);
  EXPECT_EQ(result.phases[0], (LoadPhase{"first", 1'000'000, 2'500'000}));
  EXPECT_EQ(result.phases[1].name, "second");
  EXPECT_GT(result.phases[1].end_us, 2'500'000) << "until the load was stopped";
}

}  // namespace
}  // namespace rtsweep
