// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/boot/vm_cpufreq.h"

#include <fmt/format.h>
#include <libfdt.h>

#include "runner/base/files.h"

namespace rtsweep {
namespace {

constexpr size_t kRoom = 4096;
constexpr uint64_t kClockHz = 24'000'000;

// The changes to one tree; the first error of libfdt stays.
class Tree {
 public:
  explicit Tree(std::string_view bytes) : bytes_(bytes.size() + kRoom, '\0') {
    error_ = ::fdt_open_into(bytes.data(), fdt(), static_cast<int>(bytes_.size()));
  }

  int node(const char* path) { return keep(::fdt_path_offset(fdt(), path)); }
  int add_node(int parent, const char* name) {
    return keep(::fdt_add_subnode(fdt(), parent, name));
  }
  void set(int node, const char* name, const char* text) {
    if (good()) keep(::fdt_setprop_string(fdt(), node, name, text));
  }
  void set(int node, const char* name, uint32_t value) {
    if (good()) keep(::fdt_setprop_u32(fdt(), node, name, value));
  }
  void set(int node, const char* name, uint64_t value) {
    if (good()) keep(::fdt_setprop_u64(fdt(), node, name, value));
  }
  uint32_t phandle(int node) { return good() ? ::fdt_get_phandle(fdt(), node) : 0; }
  uint32_t new_phandle() {
    uint32_t phandle = 0;
    if (good()) keep(::fdt_generate_phandle(fdt(), &phandle));
    return phandle;
  }

  bool good() const { return error_ == 0; }
  std::string problem() const { return ::fdt_strerror(error_); }

  std::string packed() {  // fdt_totalsize() is a macro
    ::fdt_pack(fdt());
    return bytes_.substr(0, fdt_totalsize(fdt()));
  }

 private:
  void* fdt() { return bytes_.data(); }

  int keep(int result) {
    if (result < 0 && good()) error_ = result;
    return result;
  }

  std::string bytes_;
  int error_ = 0;
};

}  // namespace

Result<std::string> with_cpufreq(std::string_view device_tree) {
  Tree tree(device_tree);
  const uint32_t clock = tree.phandle(tree.node("/apb-pclk"));
  const uint32_t table_phandle = tree.new_phandle();
  const int table = tree.add_node(tree.node("/"), "opp-table");
  tree.set(table, "compatible", "operating-points-v2");
  tree.set(table, "phandle", table_phandle);
  const int point = tree.add_node(table, "opp-24000000");
  tree.set(point, "opp-hz", kClockHz);
  // After the additions: they move what comes behind them.
  const int cpu = tree.node("/cpus/cpu@0");
  tree.set(cpu, "clocks", clock);
  tree.set(cpu, "operating-points-v2", table_phandle);
  if (!tree.good()) return Error(Errc::kBadData, "device tree of the VM: " + tree.problem());
  return tree.packed();
}

Result<void> write_device_tree_with_cpufreq(const VmConfig& config, CommandRunner& commands,
                                            const std::filesystem::path& file) {
  const VmModel& model = config.model;
  if (!model.machine.starts_with("virt")) {
    return Error(Errc::kNotSupported,
                 fmt::format("a VM of {} has no device tree to add a frequency to", model.arch));
  }
  RTSWEEP_CHECK_OK(commands.run(
      {std::string(model.program), "-nodefaults", "-no-user-config", "-display", "none",  //
       "-machine", fmt::format("{},dumpdtb={}", model.machine, file.string()),            //
       "-cpu", std::string(model.cpu), "-smp", std::to_string(config.cpus),               //
       "-m", std::to_string(config.memory_mib), "-seed", std::to_string(config.seed)}));
  RTSWEEP_TRY(const std::string tree, read_file(file));
  RTSWEEP_TRY(const std::string changed, with_cpufreq(tree));
  return write_file_durably(file, changed);
}

}  // namespace rtsweep
