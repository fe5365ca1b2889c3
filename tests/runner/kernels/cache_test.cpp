// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/kernels/cache.h"

#include <atomic>
#include <thread>
#include <vector>

#include "runner/base/files.h"
#include "tests/runner/kernels/temporary_directory.h"
#include "tests/support/result_matchers.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using testing::FailsWith;
using testing::IsOk;
using testing::IsOkAnd;
using ::testing::StrEq;
using testing::TemporaryDirectory;

// Sets a variable for one test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    const char* old = std::getenv(name);
    if (old != nullptr) old_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~ScopedVariable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

TEST(Cache, IsWhereTheUserSaysItIs) {
  const TemporaryDirectory directory;
  const ScopedVariable own("RTSWEEP_CACHE", (directory.path() / "own").c_str());
  const ScopedVariable xdg("XDG_CACHE_HOME", directory.path().c_str());

  EXPECT_EQ(Cache::open()->path("x"), directory.path() / "own/x");
}

TEST(Cache, IsInTheUsersCacheDirectoryOtherwise) {
  const TemporaryDirectory directory;
  const ScopedVariable own("RTSWEEP_CACHE", nullptr);
  const ScopedVariable home("HOME", directory.path().c_str());
  {
    const ScopedVariable xdg("XDG_CACHE_HOME", (directory.path() / "xdg").c_str());
    EXPECT_EQ(Cache::open()->path("x"), directory.path() / "xdg/rtsweep/x");
  }
  const ScopedVariable xdg("XDG_CACHE_HOME", "");
  EXPECT_EQ(Cache::open()->path("x"), directory.path() / ".cache/rtsweep/x");
}

TEST(CacheDirectory, IsMadeOnce) {
  const TemporaryDirectory directory;
  const Cache cache = *Cache::open_at(directory.path());
  int made = 0;
  const auto make = [&](const fs::path& part) {
    ++made;
    return write_file_durably(part / "content", "complete");
  };

  for (int i = 0; i < 2; ++i) {
    const auto path = cache.directory("kernels/arm64/6.1", make);
    ASSERT_THAT(path, IsOk());
    EXPECT_THAT(read_file(*path / "content"), IsOkAnd(StrEq("complete")));
  }

  EXPECT_EQ(made, 1);
}

TEST(CacheDirectory, DoesNotExistWhenMakingItFailed) {
  const TemporaryDirectory directory;
  const Cache cache = *Cache::open_at(directory.path());

  const auto path = cache.directory("x", [](const fs::path& part) -> Result<void> {
    RTSWEEP_CHECK_OK(write_file_durably(part / "content", "half"));
    return Error(Errc::kIo, "disk full");
  });

  EXPECT_THAT(path, FailsWith(Errc::kIo, "disk full"));
  EXPECT_FALSE(fs::exists(directory.path() / "x"));
  EXPECT_TRUE(fs::is_empty(directory.path() / "parts"));
}

TEST(CacheDirectory, HasNothingOfAnEarlierTryThatWasKilled) {
  const TemporaryDirectory directory;
  directory.file("parts/x/leftover", "half");
  const Cache cache = *Cache::open_at(directory.path());

  const auto path = cache.directory(
      "x", [](const fs::path& part) { return write_file_durably(part / "content", "complete"); });

  ASSERT_THAT(path, IsOk());
  EXPECT_TRUE(fs::exists(*path / "content"));
  EXPECT_FALSE(fs::exists(*path / "leftover"));
}

TEST(CacheDirectory, IsMadeByOneOfManyAtTheSameTime) {
  const TemporaryDirectory directory;
  const Cache cache = *Cache::open_at(directory.path());
  std::atomic<int> made = 0;
  std::atomic<int> seen = 0;
  const auto want = [&] {
    const auto path = cache.directory("x", [&](const fs::path& part) {
      ++made;
      return write_file_durably(part / "content", "complete");
    });
    if (path && fs::exists(*path / "content")) ++seen;
  };

  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back(want);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(made, 1);
  EXPECT_EQ(seen, 8);
}

}  // namespace
}  // namespace rtsweep
