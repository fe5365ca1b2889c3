// SPDX-License-Identifier: GPL-2.0-or-later

// rtsweep bundle DIR: one archive of a trial for the mailing list, with the mail.

#include "runner/bundle/bundle.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "analysis/trace/trace_text.h"
#include "runner/base/files.h"
#include "runner/capture/trace_dat/trace_dat_file.h"
#include "runner/cli/commands.h"

namespace rtsweep {
namespace {

struct BundleCommand {
  std::string run;
  int trial = 0;    // 0: the worst
  int outlier = 0;  // from 1; 0: the worst
  std::string output;
  std::string limit;
  bool no_redact = false;
  bool json = false;
  std::string list;
  std::string extract;
  std::string out;
};

// "100KiB", "2 MiB", "64000".
Result<uint64_t> parse_size(const std::string& text) {
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  std::erase(unit, ' ');
  const std::map<std::string, double> units = {{"", 1},       {"B", 1},    {"kB", 1e3},
                                               {"KiB", 1024}, {"MB", 1e6}, {"MiB", 1024.0 * 1024}};
  const auto factor = units.find(unit);
  const double bytes = factor == units.end() ? 0 : number * factor->second;
  if (failed != std::errc() || !(bytes >= 1) || bytes > 1e12) {
    return Error(Errc::kInvalidPlan,
                 "--limit " + text + ": a size such as 100KiB, 2MiB or 64000 is wanted");
  }
  return static_cast<uint64_t>(bytes);
}

Result<std::vector<Trace>> traces_in(const std::filesystem::path& file) {
  return read_trace_dat_apart(file, ExplainOptions());
}

Result<BundleRequest> request_of(const BundleCommand& command) {
  BundleRequest request{.redact = !command.no_redact};
  if (command.trial > 0) request.trial = command.trial;
  if (command.outlier > 0) request.outlier = static_cast<size_t>(command.outlier - 1);
  if (!command.limit.empty()) {
    RTSWEEP_TRY(request.limit, parse_size(command.limit));
  }
  request.file_name = std::filesystem::path(command.output).filename().string();
  return request;
}

void print_json(const Bundle& bundle, const std::string& file) {
  nlohmann::json removed = nlohmann::json::object();
  for (const auto& [kind, count] : bundle.removed) {
    removed[std::string(secret_kind_name(kind))] = {{"different", count.different},
                                                    {"places", count.replaced}};
  }
  const nlohmann::json json = {{"schema", 1},
                               {"file", file},
                               {"bytes", bundle.archive.size()},
                               {"removed", removed},
                               {"dropped", bundle.dropped},
                               {"left_out", bundle.left_out}};
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_list(std::string_view heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  fmt::print("{}\n", heading);
  for (const std::string& line : lines) fmt::print("  {}\n", line);
}

void print_text(const Bundle& bundle, const std::string& file, bool redacted) {
  fmt::print("{}: {} bytes; the mail is in it: rtsweep-bundle/mail.txt\n", file,
             bundle.archive.size());
  if (redacted) {
    print_list("Replaced by pseudonyms:", redaction_lines(bundle.removed));
  } else {
    fmt::print("Nothing was redacted: host and user names, addresses and paths are in it.\n");
  }
  print_list("Left out, to stay below the limit:", bundle.dropped);
  print_list("Not in it:", bundle.left_out);
}

Result<void> write_bundle(const BundleCommand& command) {
  RTSWEEP_TRY(const RunDirectory run, RunDirectory::open(command.run));
  RTSWEEP_TRY(const BundleRequest request, request_of(command));
  SystemCommands commands;
  const HostRoot host;
  RTSWEEP_TRY(
      const Bundle bundle,
      make_bundle(run, request, {.commands = commands, .host = host, .read_traces = traces_in}));
  const std::string file = command.output.empty() ? bundle.file_name : command.output;
  RTSWEEP_CHECK_OK(write_file_durably(file, bundle.archive));
  if (command.json) {
    print_json(bundle, file);
  } else {
    print_text(bundle, file, request.redact);
  }
  return {};
}

Result<void> list_bundle(const BundleCommand& command) {
  RTSWEEP_TRY(const std::string data, read_file(command.list));
  RTSWEEP_TRY(const auto files, unpack_bundle(data, command.list));
  nlohmann::json json = nlohmann::json::array();
  for (const BundleFile& file : files) {
    json.push_back({{"name", file.name}, {"bytes", file.content.size()}});
    if (!command.json) fmt::print("{:>10}  {}\n", file.content.size(), file.name);
  }
  if (command.json) fmt::print("{}\n", json.dump(2));
  return {};
}

Result<void> extract_bundle(const BundleCommand& command) {
  if (command.out.empty()) {
    return Error(Errc::kInvalidPlan, "--extract needs --out DIR: a new directory");
  }
  RTSWEEP_TRY(const std::string data, read_file(command.extract));
  RTSWEEP_TRY(const auto files, unpack_bundle(data, command.extract));
  RTSWEEP_CHECK_OK(write_bundle_files(files, command.out));
  if (!command.json) fmt::print("{}: {} files\n", command.out, files.size());
  return {};
}

Result<void> run_command(const BundleCommand& command) {
  if (!command.list.empty()) return list_bundle(command);
  if (!command.extract.empty()) return extract_bundle(command);
  if (command.run.empty()) {
    return Error(Errc::kInvalidPlan, "name a run directory, or --list or --extract a bundle");
  }
  return write_bundle(command);
}

}  // namespace

void add_bundle_command(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("bundle", "One archive of a trial for the mailing list, with the mail");
  const auto options = std::make_shared<BundleCommand>();
  command->add_option("dir", options->run, "Run directory");
  command->add_option("--trial", options->trial, "Default: the one with the worst outlier")
      ->check(CLI::PositiveNumber);
  command->add_option("--outlier", options->outlier, "From 1; default: the trial's worst")
      ->check(CLI::PositiveNumber);
  command->add_option("-o,--output", options->output,
                      "File to write (default: rtsweep-trial-NNN.tar.zst)");
  command->add_option("--limit", options->limit,
                      "At most this large, as 100KiB: what is least useful is left out");
  command->add_flag("--no-redact", options->no_redact,
                    "Keep host and user names, addresses, serial numbers, paths");
  command->add_option("--list", options->list, "Print what a bundle holds");
  command->add_option("--extract", options->extract, "Unpack a bundle, whoever made it");
  command->add_option("--out", options->out, "New directory for --extract");
  command->add_flag("--json", options->json, "For programs");
  command->callback([options, &exit_code] {
    const auto done = run_command(*options);
    exit_code = done ? kWithinLimits : fail(done.error());
  });
}

}  // namespace rtsweep
