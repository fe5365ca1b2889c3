// SPDX-License-Identifier: GPL-2.0-or-later

// sd-write: small synchronous writes to an SD card, by fio. The mmc driver, its
// interrupt threads and the block layer run all the time; on small boards, where the
// system lives on such a card, this is the load that sets the maximum.
//
// In a VM it writes to an emulated card, behind sdhci, so that the kernel's own driver
// does the work. On hardware it writes to a file in a directory of the user's. It will
// not write to a real device: on a board that is the card with the system on it.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "loads/group_work.h"
#include "loads/options.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kGiB = 1 << 30;
constexpr std::string_view kCard = "mmcblk0";
constexpr std::string_view kFileName = "rtsweep-sd-write.data";  // ours, whoever left it

// The product name in the card's CID register, by which QEMU's can be told from any
// that was ever sold (hw/sd/sd.c).
constexpr std::string_view kEmulatedCardName = "QEMU!";

struct Target {
  std::string path;
  uint64_t bytes = 0;  // that may be overwritten
  bool ours = true;    // a file to be removed in the end
};

std::string under_root(const fs::path& absolute) { return absolute.relative_path().string(); }

bool exists(const HostRoot& host, const fs::path& absolute) {
  std::error_code ec;
  return fs::exists(host.path(under_root(absolute)), ec);
}

// The type of the file system that holds the path, as /proc/mounts has it: the mount
// whose directory is the longest that the path lies in, the last one of several.
std::string file_system_of(const HostRoot& host, const fs::path& absolute) {
  const auto mounts = host.read("proc/mounts");
  if (!mounts) return "";
  std::string type;
  size_t longest = 0;
  for (const std::string& line : split(*mounts, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 3) continue;
    const fs::path relative = absolute.lexically_relative(fields[1]);
    if (relative.empty() || *relative.begin() == ".." || fields[1].size() < longest) continue;
    longest = fields[1].size();
    type = fields[2];
  }
  return type;
}

// A card is found some time after its controller (mmc_rescan runs in a workqueue), and
// a guest has inserted the controller's driver just now. The device node comes last,
// when all that sysfs tells of the card is there. Where there is no controller, or a
// card already, this does not wait.
void wait_for_card(const HostRoot& host) {
  constexpr int tries = 40;
  for (int i = 0; i < tries; ++i) {
    if (!exists(host, "/sys/class/mmc_host/mmc0") || exists(host, "/dev/mmcblk0")) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

// The whole of an emulated card, if there is one and nothing is on it.
Result<Target> emulated_card(const HostRoot& host, uint64_t bytes) {
  const std::string card(kCard);
  const std::string device = "/dev/" + card;
  wait_for_card(host);
  const auto name = host.read("sys/block/" + card + "/device/name");
  if (!name) {
    return Error(Errc::kNotSupported,
                 "no emulated SD card (" + device +
                     ") here: set option 'file' to a directory on "
                     "the card to be written to, in which a file will be made");
  }
  const auto mounts = host.read("proc/mounts");
  const bool used = exists(host, "/sys/block/" + card + "/" + card + "p1") ||
                    (mounts && mounts->find(device) != std::string::npos);
  if (*name != kEmulatedCardName || used) {
    return Error(Errc::kNotSupported,
                 device +
                     " is not a blank card of a VM's, so it will not be overwritten: set "
                     "option 'file' to a directory on it, in which a file will be made");
  }
  RTSWEEP_TRY(const std::string sectors, host.read("sys/block/" + card + "/size"));
  const uint64_t capacity = std::strtoull(sectors.c_str(), nullptr, 10) * 512;
  return Target{.path = device, .bytes = std::min(bytes, capacity), .ours = false};
}

Result<void> check_room(const HostRoot& host, const fs::path& directory, uint64_t bytes) {
  const std::string type = file_system_of(host, directory);
  if (type == "tmpfs" || type == "ramfs") {
    return Error(Errc::kNotSupported,
                 directory.string() + " is on " + type + ": writing there reaches no device");
  }
  std::error_code ec;
  const fs::space_info space = fs::space(host.path(under_root(directory)), ec);
  if (ec) return Error(Errc::kIo, "free space of " + directory.string() + ": " + ec.message());
  if (space.available < bytes) {
    return Error(Errc::kNotSupported, directory.string() + " has " +
                                          std::to_string(space.available / kMiB) + "M free, but " +
                                          bytes_text(bytes) + " are to be written");
  }
  return {};
}

// A new file: `wanted` is the directory for it, or its path.
Result<Target> new_file(const HostRoot& host, fs::path wanted, uint64_t bytes) {
  std::error_code ec;
  const bool is_directory = fs::is_directory(host.path(under_root(wanted)), ec);
  if (is_directory) wanted /= kFileName;
  if (!exists(host, wanted.parent_path())) {
    return Error(Errc::kInvalidPlan,
                 "option 'file': there is no directory " + wanted.parent_path().string());
  }
  if (wanted.filename() != kFileName && exists(host, wanted)) {
    return Error(Errc::kInvalidPlan, "option 'file': " + wanted.string() +
                                         " exists and would be overwritten; name a directory, or "
                                         "a file that is not there");
  }
  RTSWEEP_CHECK_OK(check_room(host, wanted.parent_path(), bytes));
  return Target{.path = wanted.string(), .bytes = bytes};
}

Result<Target> find_target(const LoadContext& context, uint64_t bytes) {
  const fs::path file = fs::path(option_text(context, "file")).lexically_normal();
  if (file.empty() || file == fs::path("/dev") / kCard) return emulated_card(context.host, bytes);
  if (!file.is_absolute() || file.string().starts_with("/dev/")) {
    return Error(Errc::kInvalidPlan, "option 'file' is '" + file.string() +
                                         "', but must be the absolute path of a directory, or of "
                                         "a file to be made, and not of a device");
  }
  return new_file(context.host, file, bytes);
}

Result<std::vector<std::string>> arguments(const LoadContext& context) {
  RTSWEEP_TRY(const std::string mode,
              option_choice(context, "mode", {"both", "direct", "fdatasync"}));
  RTSWEEP_TRY(const uint64_t block, option_bytes(context, "block", 512, 4 * kMiB, 4096));
  RTSWEEP_TRY(const uint64_t size, option_bytes(context, "size", kMiB, 4 * kGiB, 32 * kMiB));
  RTSWEEP_TRY(const uint64_t total, option_bytes(context, "total", kMiB, 1024 * kGiB, 32 * kGiB));
  RTSWEEP_TRY(const Target target, find_target(context, size));
  // As a thread, the writer stays in fio's process group; as a process it would leave
  // it. The clock: fio would measure the TSC for some time before it begins.
  return std::vector<std::string>{"fio",
                                  "--name=sd-write",
                                  "--filename=" + target.path,
                                  "--size=" + std::to_string(target.bytes),
                                  "--io_size=" + std::to_string(total),
                                  "--bs=" + std::to_string(block),
                                  "--rw=randwrite",
                                  "--ioengine=psync",
                                  mode == "fdatasync" ? "--direct=0" : "--direct=1",
                                  mode == "direct" ? "--fdatasync=0" : "--fdatasync=1",
                                  target.ours ? "--unlink=1" : "--unlink=0",
                                  "--thread",
                                  "--randrepeat=1",
                                  "--randseed=1",
                                  "--clocksource=clock_gettime",
                                  "--eta=never"};
}

// From fio's own summary, printed when it is asked to end:
// "  WRITE: bw=198MiB/s (207MB/s), 198MiB/s-198MiB/s (...), io=360MiB (378MB), run=..."
std::optional<std::string> note(std::string_view log) {
  for (const std::string& line : split(log, '\n')) {
    const auto fields = words(line);
    if (fields.size() < 2 || fields[0] != "WRITE:" || !fields[1].starts_with("bw=")) continue;
    for (const std::string& field : fields) {
      if (field.starts_with("io=")) return field.substr(3) + " written, " + fields[1].substr(3);
    }
  }
  return std::nullopt;
}

// The kernel counts a direct write when the block layer takes it, a buffered one when
// its pages get dirty; each waits for the one before it, so a card that hangs stops
// the counter within one block.
//
// The floor is eight blocks of 4 KiB a second. A worn-out card that is cleaning up
// still writes tens a second with fdatasync; the emulated one writes 1,200 to 1,500 a
// second of virtual time, with an interrupt and more for each.
const BuiltinLoad kSdWrite({
    .name = "sd-write",
    .exercises = "block layer, mmc driver and its interrupt threads",
    .programs = {"fio"},
    .unit = "bytes",
    .floor_per_s = 32768,
    .options = {{"file", "", "directory on the card, or a file to be made; a VM has its own card"},
                {"mode", "both", "direct (O_DIRECT), fdatasync (after each write), or both"},
                {"block", "4K", "bytes in a write"},
                {"size", "32M", "bytes of the card or file that are overwritten again and again"},
                {"total", "32G", "bytes after which the load ends, to spare the card"}},
    .guest = {.packages = {"fio"}, .modules = {"sdhci_pci", "mmc_block"}, .sd_card = true},
    .arguments = arguments,
    .work = written_bytes_of,
    .note = note,
});

}  // namespace
}  // namespace rtsweep
