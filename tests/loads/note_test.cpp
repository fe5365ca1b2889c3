// SPDX-License-Identifier: GPL-2.0-or-later

// What the loads say of themselves, read from output of stress-ng 0.15.06 and fio 3.33
// as they printed it when they were asked to end.

#include <gtest/gtest.h>

#include "loads/load.h"

namespace rtsweep {
namespace {

std::optional<std::string> note(std::string_view load, std::string_view log) {
  return builtin_loads().find(load)->note(log);
}

constexpr char kCpuLog[] =
    R"(stress-ng: info:  [13665] setting to a 0 second run per stressor
stress-ng: info:  [13665] dispatching hogs: 1 cpu
stress-ng: metrc: [13665] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s CPU used per       RSS Max
stress-ng: metrc: [13665]                           (secs)    (secs)    (secs)   (real time) (usr+sys time) instance (%)          (KB)
stress-ng: metrc: [13665] cpu                1119      1.21      1.09      0.00       921.11        1025.94        89.78          3156
stress-ng: info:  [13665] successful run completed in 1.22s
)";

constexpr char kStreamLog[] =
    R"(stress-ng: info:  [15453] setting to a 0 second run per stressor
stress-ng: info:  [15453] dispatching hogs: 2 stream
stress-ng: info:  [15455] stream: stressor loosely based on a variant of the STREAM benchmark code
stress-ng: info:  [15455] stream: do NOT submit any of these results to the STREAM benchmark results
stress-ng: info:  [15455] stream: Using CPU cache size of 4096K
stress-ng: info:  [15455] stream: memory rate: 4173.52 MB read/sec, 2782.34 MB write/sec, 364.69 Mflop/sec (instance 0)
stress-ng: info:  [15456] stream: memory rate: 4111.67 MB read/sec, 2741.11 MB write/sec, 359.28 Mflop/sec (instance 1)
stress-ng: metrc: [15453] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s CPU used per       RSS Max
stress-ng: metrc: [15453]                           (secs)    (secs)    (secs)   (real time) (usr+sys time) instance (%)          (KB)
stress-ng: metrc: [15453] stream             1204      7.03      7.08      0.03       171.39         169.35        50.60         27124
stress-ng: metrc: [15453] miscellaneous metrics:
stress-ng: metrc: [15453] stream              4142.48 memory read rate (MB per sec) (geometic mean of 2 instances)
stress-ng: metrc: [15453] stream              2761.65 memory write rate (MB per sec) (geometic mean of 2 instances)
stress-ng: metrc: [15453] stream               361.98 memory rate (Mflop per sec) (geometic mean of 2 instances)
stress-ng: info:  [15453] successful run completed in 7.03s
)";

constexpr char kFioLog[] =
    R"(sd-write: (g=0): rw=randwrite, bs=(R) 16.0KiB-16.0KiB, (W) 16.0KiB-16.0KiB, (T) 16.0KiB-16.0KiB, ioengine=psync, iodepth=1
fio-3.33
Starting 1 thread

fio: terminating on signal 15

sd-write: (groupid=0, jobs=1): err= 0: pid=14502: Mon Nov 30 18:37:33 2026
  write: IOPS=12.6k, BW=198MiB/s (207MB/s)(360MiB/1822msec); 0 zone resets
    clat (usec): min=24, max=4051, avg=35.11, stdev=65.87

Run status group 0 (all jobs):
  WRITE: bw=198MiB/s (207MB/s), 198MiB/s-198MiB/s (207MB/s-207MB/s), io=360MiB (378MB), run=1822-1822msec
)";

TEST(LoadNote, OfCpuTellsItsBogoOps) {
  EXPECT_EQ(note("cpu", kCpuLog), "1119 bogo ops, 921 a second");
}

TEST(LoadNote, OfMemoryTellsItsBandwidth) {
  EXPECT_EQ(note("memory", kStreamLog),
            "1204 bogo ops, 171 a second; read 4142 MB/s, write 2761 MB/s per worker");
}

TEST(LoadNote, OfSdWriteTellsWhatWasWritten) {
  EXPECT_EQ(note("sd-write", kFioLog), "360MiB written, 198MiB/s");
}

TEST(LoadNote, IsEmptyWhenTheLoadWasKilledBeforeItCouldTell) {
  EXPECT_EQ(note("cpu", "stress-ng: info:  [1] dispatching hogs: 1 cpu\n"), std::nullopt);
  EXPECT_EQ(note("sd-write", "fio-3.33\nStarting 1 thread\n"), std::nullopt);
  EXPECT_EQ(note("memory", ""), std::nullopt);
}

TEST(LoadNote, PassesOnThatStressNgWasNotContent) {
  std::string log = kCpuLog;
  log.replace(log.find("successful run"), 14, "unsuccessful run");

  EXPECT_EQ(note("cpu", log),
            "1119 bogo ops, 921 a second; stress-ng says that its run was not successful");
}

TEST(LoadNote, SurvivesALineThatIsCutOffAnywhere) {
  const std::string log = kStreamLog;
  for (size_t length = 0; length < log.size(); ++length) {
    note("memory", std::string_view(log).substr(0, length));
  }
}

}  // namespace
}  // namespace rtsweep
