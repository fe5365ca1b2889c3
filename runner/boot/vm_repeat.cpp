// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_repeat.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "runner/base/files.h"
#include "runner/boot/vm_results.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 3;
constexpr off_t kSdCardBytes = off_t{256} << 20;  // a power of two, as SD cards must be

bool same_output(const fs::path& a, const fs::path& b) {
  for (const char* name : {kResultsFile, kConsoleFile}) {
    const auto one = read_file(a / name);
    const auto other = read_file(b / name);
    if (!one || !other || *one != *other) return false;
  }
  return true;
}

Result<void> adopt(const fs::path& attempt, const fs::path& directory) {
  for (const char* name : {kResultsFile, kConsoleFile}) {
    RTSWEEP_TRY(const std::string content, read_file(attempt / name));
    RTSWEEP_CHECK_OK(write_file_durably(directory / name, content));
  }
  return {};
}

class Attempts {
 public:
  explicit Attempts(const fs::path& directory) : directory_(directory) {}

  fs::path next() {
    made_.push_back(directory_ / fmt::format("attempt-{}", made_.size() + 1));
    return made_.back();
  }

  // Whether an attempt before the last one gave the same.
  bool confirmed() const {
    for (size_t i = 0; i + 1 < made_.size(); ++i) {
      if (same_output(made_[i], made_.back())) return true;
    }
    return false;
  }

  const fs::path& last() const { return made_.back(); }

 private:
  const fs::path& directory_;
  std::vector<fs::path> made_;
};

}  // namespace

Result<void> make_sd_card(const fs::path& file) {
  if (file.empty()) return {};
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd || ::ftruncate(fd.get(), kSdCardBytes) != 0) {
    return Error::from_errno("create " + file.string(), errno);
  }
  return {};
}

Result<TrialEnd> run_until_two_agree(VmConfig config, const VmTimeouts& timeouts,
                                     const fs::path& directory, const std::atomic<bool>& stop,
                                     const Listener& listener) {
  Attempts attempts(directory);
  double wall_s = 0;
  for (int i = 0; i < kAttempts; ++i) {
    const fs::path attempt = attempts.next();
    RTSWEEP_CHECK_OK(make_directories(attempt));
    RTSWEEP_CHECK_OK(make_sd_card(config.sd_card));
    config.console = attempt / kConsoleFile;
    config.results = attempt / kResultsFile;
    RTSWEEP_TRY(TrialEnd end, watch_vm(config, timeouts, attempt / "qemu.log", stop, listener));
    wall_s += end.wall_s;
    end.wall_s = wall_s;
    const bool last_word = end.kind != TrialEnd::Kind::kComplete || attempts.confirmed();
    if (!last_word && i + 1 < kAttempts) continue;
    RTSWEEP_CHECK_OK(adopt(attempt, directory));
    if (!last_word) end.kind = TrialEnd::Kind::kNotDeterministic;
    return end;
  }
  return Error(Errc::kBadData, "no attempt was made");
}

}  // namespace rtsweep
