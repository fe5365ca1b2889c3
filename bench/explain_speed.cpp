// SPDX-License-Identifier: GPL-2.0-or-later

// explain_speed RTSWEEP [MB [DIRECTORY]]: `rtsweep explain` against `trace-cmd report >
// /dev/null` on the same large trace.dat, in turns. Two files are made for it: one whose
// outlier is at the end and marked, as cyclictest --tracemark does, and one whose outlier is in
// the middle and not marked, so that it has to be looked for in all events.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/support/trace_dat_builder.h"

namespace rtsweep {
namespace {

using testing::TestTask;
using testing::TraceDatBuilder;

constexpr size_t kCpus = 4;
constexpr uint64_t kPeriod = 200'000;  // ns: cyclictest -i 200
constexpr uint64_t kBegin = 1'000'000'000'000;
constexpr int kRounds = 3;

// One CPU of a busy machine: cyclictest's wake-ups, and a thread that is woken in between.
class BusyCpu {
 public:
  BusyCpu(size_t cpu, TraceDatBuilder& file) : cpu_(cpu), file_(file) {}

  // One period; its timer's interrupt comes `late` ns after the programmed expiry.
  void period(uint64_t begin, uint64_t late) {
    const uint64_t expiry = begin + kPeriod / 2;
    file_.hrtimer_start(at(begin, thread_.pid, 1, 2), timer_, static_cast<int64_t>(expiry));
    file_.sched_switch(at(begin + 3'000, thread_.pid, 1, 2), thread_, 1, kShell);
    file_.sched_waking(at(begin + 20'000, kShell.pid, 1, 3), kWorker, static_cast<int32_t>(cpu_));
    file_.sched_switch(at(begin + 22'000, kShell.pid, 1, 2), kShell, 0, kWorker);
    file_.sched_switch(at(begin + 50'000, kWorker.pid, 1, 2), kWorker, 1, kShell);
    wake_up(expiry, expiry + late + 1'000);
  }

 private:
  static constexpr TestTask kShell{"sh", 91, 120};
  static constexpr TestTask kWorker{"kworker/u8:1", 57, 120};

  TraceDatBuilder::At at(uint64_t time, int32_t pid, uint8_t flags, uint8_t depth) const {
    return {cpu_, time, pid, flags, depth};
  }

  void wake_up(uint64_t expiry, uint64_t interrupt) {
    file_.local_timer_entry(at(interrupt, kShell.pid, 9, 0));
    file_.hrtimer_expire_entry(at(interrupt + 1'000, kShell.pid, 9, 1), timer_,
                               static_cast<int64_t>(std::max(expiry, interrupt)));
    file_.sched_waking(at(interrupt + 2'000, kShell.pid, 9, 2), thread_,
                       static_cast<int32_t>(cpu_));
    file_.hrtimer_expire_exit(at(interrupt + 3'000, kShell.pid, 13, 1), timer_);
    file_.local_timer_exit(at(interrupt + 4'000, kShell.pid, 13, 0));
    file_.sched_switch(at(interrupt + 6'000, kShell.pid, 1, 2), kShell, 0, thread_);
  }

  size_t cpu_;
  TraceDatBuilder& file_;
  TestTask thread_{"cyclictest", static_cast<int32_t>(1'000 + cpu_), 4};
  uint64_t timer_ = 0xffffc900005efb40 + cpu_ * 64;
};

// About `bytes` of pages; the outlier of 300 us on CPU 1, in the middle, or at the end with
// cyclictest's mark.
void write_trace(const std::filesystem::path& path, uint64_t bytes, bool marked) {
  TraceDatBuilder file(kCpus);
  file.comm(91, "sh");
  file.comm(1'001, "cyclictest");
  std::ofstream out(path, std::ios::binary);
  out << file.head(std::vector<uint64_t>(kCpus, 0));
  std::vector<uint64_t> sizes;
  size_t periods = SIZE_MAX;  // as many on each CPU as the first one has
  for (size_t cpu = 0; cpu < kCpus; ++cpu) {
    BusyCpu busy(cpu, file);
    uint64_t size = 0;
    size_t count = 0;
    const size_t outlier = cpu != 1 ? SIZE_MAX : marked ? periods - 1 : periods / 2;
    for (; count < periods && (cpu > 0 || size < bytes / kCpus); ++count) {
      // The period after a late one begins later: the thread has to catch up.
      const uint64_t begin = kBegin + count * 2 * kPeriod;
      busy.period(begin, count == outlier ? kPeriod * 3 / 2 : 0);
      if (count == outlier && marked) {
        file.print({cpu, begin + kPeriod * 2 + 15'000, 1'001, 0, 0},
                   "hit latency threshold (309 > 100)");
      }
      if (count % 1'000 == 999) {
        const std::string pages = file.take_pages(cpu);
        out << pages;
        size += pages.size();
      }
    }
    const std::string pages = file.take_pages(cpu);
    out << pages;
    sizes.push_back(size + pages.size());
    periods = count;
  }
  out.seekp(0);
  out << file.head(sizes);
}

struct Cost {
  double seconds = 0;
  double megabytes = 0;  // the most memory that it had
};

Cost run(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_WRONLY);
    ::dup2(nothing, STDOUT_FILENO);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage = {};
  ::wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 1) {
    fmt::print(stderr, "{} failed\n", command[0]);
    std::exit(1);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return {took.count(), static_cast<double>(usage.ru_maxrss) / 1024};
}

Cost median(std::vector<Cost> costs) {
  std::ranges::sort(costs, {}, &Cost::seconds);
  Cost middle = costs[costs.size() / 2];
  middle.megabytes = std::ranges::max(costs, {}, &Cost::megabytes).megabytes;
  return middle;
}

void compare(const std::string& rtsweep, const std::string& file, std::string_view what) {
  std::vector<Cost> ours;
  std::vector<Cost> theirs;
  run({"cat", file});  // the same page cache for both
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(run({rtsweep, "explain", file}));
    theirs.push_back(run({"trace-cmd", "report", file}));
  }
  const Cost explain = median(ours);
  const Cost report = median(theirs);
  fmt::print(
      "{:36} {:5.0f} MB  explain {:7.3f} s {:5.0f} MB   report {:7.2f} s {:5.0f} MB   1/{:.0f}\n",
      what, static_cast<double>(std::filesystem::file_size(file)) / 1e6, explain.seconds,
      explain.megabytes, report.seconds, report.megabytes, report.seconds / explain.seconds);
}

int measure(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "explain_speed RTSWEEP [MB [DIRECTORY]]\n");
    return 1;
  }
  const uint64_t bytes = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 500) * 1'000'000;
  const std::filesystem::path directory = argc > 3 ? argv[3] : "/var/tmp";
  for (const bool marked : {true, false}) {
    const auto file = directory / fmt::format("explain_speed-{}.dat", ::getpid());
    write_trace(file, bytes, marked);
    compare(argv[1], file.string(),
            marked ? "outlier marked, at the end" : "not marked, in the middle");
    std::filesystem::remove(file);
  }
  return 0;
}

}  // namespace
}  // namespace rtsweep

int main(int argc, char** argv) { return rtsweep::measure(argc, argv); }
