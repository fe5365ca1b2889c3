// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/raw_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/boot/vm_results.h"
#include "runner/kernels/unpack.h"
#include "runner/measure/trial_sink.h"
#include "runner/run/journal.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kLargestFile = uint64_t{64} << 20;

constexpr std::string_view kTraceMagic("\x17\x08\x44tracing", 10);

// The stream that a VM sent is in the other files, unpacked.
bool is_wanted(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  return entry.is_regular_file() && !entry.is_symlink() && name != kResultsFile;
}

void add_file(const fs::path& path, const std::string& name, bool redact,
              std::vector<BundleFile>& files, std::vector<std::string>& left_out) {
  std::error_code ec;
  if (fs::file_size(path, ec) > kLargestFile || ec) {
    left_out.push_back(name + ": too large");
    return;
  }
  const auto raw = read_file(path);
  if (!raw) return;
  auto data = unpack(*raw, kLargestFile);
  if (!data) data = *raw;
  std::string plain_name = name;
  if (*data != *raw) plain_name = fs::path(name).replace_extension().string();
  const bool trace = data->starts_with(kTraceMagic);
  if (redact && trace && is_compressed_trace(*data)) {
    left_out.push_back(name + ": compressed inside, cannot be looked into for names");
  } else if (redact && !trace && is_binary(*data)) {
    left_out.push_back(name + ": not text, cannot be looked into for names");
  } else {
    files.push_back({plain_name, *std::move(data)});
  }
}

// The lines about this trial and those about the run.
std::string journal_of(const RunDirectory& run, int trial) {
  const auto text = read_file(run.journal_file());
  if (!text) return "";
  const auto entries = parse_journal(*text);
  if (!entries) return "";
  std::string kept;
  for (const JournalEntry& entry : *entries) {
    if (entry.trial == 0 || entry.trial == trial) kept += journal_line(entry);
    if (!kept.empty() && kept.back() != '\n') kept += '\n';
  }
  return kept;
}

// identity.json's command line of the emulator names the kernel; its configuration lies
// beside it, as Debian's packages and `make install` put it.
std::optional<fs::path> config_beside_kernel(std::span<const BundleFile> trial) {
  const auto identity = std::ranges::find(trial, std::string(kIdentityFile), &BundleFile::name);
  if (identity == trial.end()) return std::nullopt;
  const json parsed = json::parse(identity->content, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("argv")) return std::nullopt;
  const auto argv = parsed["argv"].get<std::vector<json>>();
  for (size_t i = 0; i + 1 < argv.size(); ++i) {
    if (argv[i] != "-kernel" || !argv[i + 1].is_string()) continue;
    const fs::path kernel(argv[i + 1].get<std::string>());
    std::string name = kernel.filename().string();
    const size_t dash = name.find('-');
    if (dash == std::string::npos) return std::nullopt;
    return kernel.parent_path() / ("config" + name.substr(dash));
  }
  return std::nullopt;
}

std::string text_of(const fs::path& path) {
  const auto raw = read_file(path);
  if (!raw) return "";
  const auto text = unpack(*raw, kLargestFile);
  return text && text->find("CONFIG_") != std::string::npos ? *text : "";
}

// Of the trial, of its VM's kernel, or of this machine where it runs the same kernel.
std::string find_config(std::span<const BundleFile> trial, const std::string& release,
                        const HostRoot& host) {
  for (const BundleFile& file : trial) {
    if (file.name == "kernel.config" || file.name == "config") return file.content;
  }
  if (const auto beside = config_beside_kernel(trial)) {
    if (std::string config = text_of(*beside); !config.empty()) return config;
  }
  const auto running = host.read("proc/sys/kernel/osrelease");
  if (!running || release.empty() || trim(*running) != release) return "";
  for (const std::string& file : {"boot/config-" + release, std::string("proc/config.gz")}) {
    if (std::string config = text_of(host.path(file)); !config.empty()) return config;
  }
  return "";
}

std::string release_of(std::span<const BundleFile> trial) {
  for (const BundleFile& file : trial) {
    if (file.name != trial_file::kFactsAfter && file.name != trial_file::kFactsBefore) continue;
    const json facts = json::parse(file.content, nullptr, false);
    if (facts.is_object()) return facts.value("kernel_release", "");
  }
  return "";
}

}  // namespace

bool is_binary(std::string_view data) {
  return data.substr(0, 65536).find('\0') != std::string_view::npos;
}

// Magic, version, byte order, size of a long, page size (4 bytes), then from version 7 on
// the name of the compression (trace-cmd's Documentation/trace-cmd/trace-cmd.dat.v7.5.txt).
bool is_compressed_trace(std::string_view data) {
  const size_t end = data.find('\0', kTraceMagic.size());
  if (!data.starts_with(kTraceMagic) || end == std::string_view::npos) return false;
  const std::string_view version = data.substr(kTraceMagic.size(), end - kTraceMagic.size());
  if (version.size() == 1 && version < "7") return false;
  const size_t name = end + 1 + 6;
  return name >= data.size() || !data.substr(name).starts_with(std::string_view("none\0", 5));
}

Result<RawParts> read_raw_parts(const RunDirectory& run, const PlannedTrial& trial,
                                const HostRoot& host, bool redact) {
  RawParts parts;
  for (const char* name : {"plan.toml", "run.json"}) {
    RTSWEEP_TRY(std::string content, read_file(run.path() / name));
    parts.run.push_back({name, std::move(content)});
  }
  if (auto kernels = read_file(run.path() / "kernels.json")) {
    parts.run.push_back({"kernels.json", *std::move(kernels)});
  }
  parts.run.push_back({"journal.jsonl", journal_of(run, trial.id)});
  std::error_code ec;
  const fs::path directory = run.trial_directory(trial);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(directory, ec)) {
    if (is_wanted(entry)) paths.push_back(entry.path());
  }
  if (ec) return Error(Errc::kIo, "read " + directory.string() + ": " + ec.message());
  std::ranges::sort(paths);
  for (const fs::path& path : paths) {
    add_file(path, path.filename().string(), redact, parts.trial, parts.left_out);
  }
  parts.kernel_config = find_config(parts.trial, release_of(parts.trial), host);
  return parts;
}

}  // namespace rtsweep
