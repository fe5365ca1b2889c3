// SPDX-License-Identifier: GPL-2.0-or-later

// Redaction of a real trace.dat, which trace-cmd must open as before.

#include <gmock/gmock.h>

#include "analysis/redaction.h"
#include "runner/base/command.h"
#include "runner/base/files.h"
#include "runner/kernels/unpack.h"
#include "tests/support/fake_host.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

using testing::FakeHost;
using ::testing::HasSubstr;
using testing::IsOk;
using ::testing::Not;

size_t count_of(const std::string& text, std::string_view word) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++count;
  return count;
}

// Its 525 events are of idle tasks, of kworker/6:2 and of ActivityManager.
TEST(TraceDatRedaction, LeavesAFileThatTraceCmdOpens) {
  const std::filesystem::path file = std::filesystem::path(RTSWEEP_CORPUS_DIR) /
                                     "C16-binary-trace-dat-v6-no-sched-events/trace.dat.xz";
  if (!std::filesystem::exists(file)) {
    GTEST_SKIP() << "needs the corpus of real inputs: " << file.string();
  }
  SystemCommands commands;
  if (!commands.run({"sh", "-c", "command -v trace-cmd"})) GTEST_SKIP() << "needs trace-cmd";
  const auto packed = read_file(file);
  ASSERT_THAT(packed, IsOk());
  const auto data = unpack(*packed, size_t{64} << 20);
  ASSERT_THAT(data, IsOk());
  Redactor redactor;
  redactor.know(SecretKind::kUser, "kworker");
  redactor.know(SecretKind::kHost, "ActivityManager");
  redactor.learn(*data);

  const std::string clean = redactor.binary(*data);

  EXPECT_EQ(clean.size(), data->size());
  EXPECT_EQ(clean.find("kworker"), std::string::npos);
  FakeHost host;
  host.file("before.dat", *data).file("after.dat", clean);
  const auto report = [&](const char* name) {
    return commands.run({"trace-cmd", "report", "-i", host.root().path(name).string()});
  };
  const auto before = report("before.dat");
  const auto after = report("after.dat");
  ASSERT_THAT(before, IsOk());
  ASSERT_THAT(after, IsOk());
  EXPECT_EQ(count_of(*after, "\n"), count_of(*before, "\n"));
  EXPECT_EQ(count_of(*after, "user1xx/6:2-1633"), count_of(*before, "kworker/6:2-1633"));
  EXPECT_THAT(*after, Not(HasSubstr("ActivityManager")));
}

}  // namespace
}  // namespace rtsweep
