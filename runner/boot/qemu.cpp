// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/qemu.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// earlycon: a kernel that dies before its console driver is up says why all the same.
// rdrand, trusted, makes -seed reach the guest's random numbers on x86; on ARM they
// come with the device tree.
constexpr std::array<VmModel, 4> kModels = {{
    {"amd64", "qemu-system-x86_64", "qemu-system-x86", "q35", "qemu64,+rdrand", "ttyS0",
     "earlycon=uart8250,io,0x3f8,115200n8 random.trust_cpu=on"},
    {"i386", "qemu-system-i386", "qemu-system-x86", "q35", "qemu32,+rdrand", "ttyS0",
     "earlycon=uart8250,io,0x3f8,115200n8 random.trust_cpu=on"},
    {"arm64", "qemu-system-aarch64", "qemu-system-arm", "virt,gic-version=3", "cortex-a72",
     "ttyAMA0", "earlycon"},
    {"armhf", "qemu-system-arm", "qemu-system-arm", "virt,highmem=off", "cortex-a15", "ttyAMA0",
     "earlycon"},
}};

void add(std::vector<std::string>& argv, std::initializer_list<std::string> words) {
  argv.insert(argv.end(), words);
}

// Commas separate options in QEMU's language; doubled, they are commas.
std::string qemu_path(const std::filesystem::path& path) {
  std::string text;
  for (const char c : path.string()) text += c == ',' ? std::string(",,") : std::string(1, c);
  return text;
}

void add_clock(std::vector<std::string>& argv, const VmConfig& config) {
  if (config.clock == VmClock::kReal) {
    add(argv, {"-accel", config.accelerator});
    return;
  }
  std::string icount = fmt::format("shift={},sleep=off", kIcountShift);
  if (config.record) icount += ",rr=record,rrfile=/dev/null";
  add(argv, {"-accel", "tcg", "-icount", icount, "-rtc", "base=2026-01-01,clock=vm"});
}

// Results leave over a PCI card's line: ARM's virt machine has one UART only, and the
// second one of a PC shares an edge-triggered interrupt that an RT kernel, with its
// threaded handlers, gives up as spurious after some 100,000 bytes.
void add_serial_lines(std::vector<std::string>& argv, const VmConfig& config) {
  add(argv, {"-chardev", "file,id=console,path=" + qemu_path(config.console),  //
             "-chardev", "file,id=results,path=" + qemu_path(config.results),  //
             "-serial", "chardev:console", "-device", "pci-serial,chardev=results"});
}

// QEMU's SD card reads and writes its image within the guest's instruction, so it is
// exactly repeatable; virtio-blk completes in the host's time and is not.
void add_sd_card(std::vector<std::string>& argv, const VmConfig& config) {
  if (config.sd_card.empty()) return;
  add(argv, {"-drive", "if=none,id=sd,format=raw,file=" + qemu_path(config.sd_card),  //
             "-device", "sdhci-pci", "-device", "sd-card,drive=sd"});
}

}  // namespace

Result<VmModel> vm_model(std::string_view arch) {
  for (const VmModel& model : kModels) {
    if (model.arch == arch) return model;
  }
  return Error(Errc::kNotSupported, "no virtual machine for the architecture '" +
                                        std::string(arch) + "': amd64, i386, arm64, armhf");
}

std::string vm_cmdline(const VmConfig& config) {
  // A kernel that panics ends the VM (panic=-1 and -no-reboot); an oops is a panic. The
  // self-tests of the ciphers run for 10 s and more beside whatever is measured, where there
  // are 125 million instructions a second (6.12).
  std::string line = fmt::format(
      "console={} panic=-1 oops=panic loglevel=6 nokaslr cryptomgr.notests", config.model.console);
  for (const std::string_view part : {config.model.cmdline, std::string_view(config.cmdline)}) {
    if (!part.empty()) line += " " + std::string(part);
  }
  return line;
}

std::vector<std::string> qemu_arguments(const VmConfig& config) {
  const VmModel& model = config.model;
  std::vector<std::string> argv = {std::string(model.program), "-nodefaults", "-no-user-config"};
  add(argv, {"-machine", std::string(model.machine), "-cpu",
             config.accelerator == "kvm" ? "host" : std::string(model.cpu)});
  add_clock(argv, config);
  add(argv, {"-seed", std::to_string(config.seed)});
  add(argv, {"-smp", std::to_string(config.cpus), "-m", std::to_string(config.memory_mib)});
  add(argv, {"-display", "none", "-vga", "none", "-monitor", "none", "-nic", "none", "-no-reboot"});
  add_serial_lines(argv, config);
  add_sd_card(argv, config);
  add(argv, {"-kernel", config.kernel.string(), "-initrd", config.initrd.string()});
  add(argv, {"-append", vm_cmdline(config)});
  if (!config.device_tree.empty()) add(argv, {"-dtb", config.device_tree.string()});
  if (!config.plugin.empty()) add(argv, {"-plugin", config.plugin});
  return argv;
}

bool record_works(std::string_view arch, std::string_view kernel_release) {
  if (arch != "armhf") return true;
  const std::vector<std::string> part = split(kernel_release, '.');
  if (part.size() < 2) return false;
  int major = 0;
  int minor = 0;
  std::from_chars(part[0].data(), part[0].data() + part[0].size(), major);
  std::from_chars(part[1].data(), part[1].data() + part[1].size(), minor);
  return major < 6 || (major == 6 && minor <= 1);
}

}  // namespace rtsweep
