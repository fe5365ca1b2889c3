// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/mail_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/report/text_table.h"
#include "analysis/report/wording.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

constexpr size_t kMostOptions = 24;
constexpr size_t kWidestKernel = 20;

std::vector<std::string> number_row(const std::string& name, const Numbers& numbers) {
  return {name,
          grouped(numbers.samples),
          us_text(numbers.min_us),
          avg_text(numbers.avg_us),
          us_text(numbers.quantile_us(999'000)),
          us_text(numbers.max_us),
          grouped(numbers.histogram.overflows())};
}

std::string kernel_name(const TrialResult& trial) {
  const std::string name = level(trial, "kernel");
  return name.empty() && trial.facts ? trial.facts->kernel_release : name;
}

// The same measurement with the run's other kernels, where there are any.
void write_other_kernels(TextPage& page, const MailContent& content) {
  TextTable table({"kernel", "repetition", "verdict", "samples", "p99.9", "max"}, 3);
  bool others = false;
  for (const TrialResult& trial : content.report.trials) {
    if (!same_but_kernel(trial, content.trial) && trial.id != content.trial.id) continue;
    others = others || trial.id != content.trial.id;
    const Numbers numbers = numbers_of(trial);
    table.add({clip(printable(kernel_name(trial)), kWidestKernel), std::to_string(trial.repetition),
               std::string(verdict_name(trial.verdict)), grouped(numbers.samples),
               us_text(numbers.quantile_us(999'000)), us_text(numbers.max_us)});
  }
  if (!others) return;
  page.line("The same with the other kernels of the run (us):");
  page.line();
  page.lines(table.lines(TextPage::kWidth, 2));
  page.line();
}

// A command line that a shell reads back, its lines ended by backslashes.
void write_command(TextPage& page, const std::vector<std::string>& argv) {
  std::string line = "  ";
  for (const std::string& argument : argv) {
    const std::string word = printable(shell_quote(std::vector<std::string>{argument}));
    if (line.size() + word.size() + 3 > TextPage::kWidth && line.size() > 6) {
      page.line(line + " \\");
      line = "     ";
    }
    line += (line.ends_with(' ') ? "" : " ") + word;
  }
  page.line(clip(line, TextPage::kWidth));
}

std::string list_of(const std::map<int, std::string>& by_cpu) {
  std::vector<std::string> different;
  for (const auto& [cpu, value] : by_cpu) {
    if (std::ranges::find(different, value) == different.end()) different.push_back(value);
  }
  return join(different, ", ");
}

std::string options_text(const std::map<std::string, std::string>& options) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : options) {
    if (texts.size() == kMostOptions) break;
    texts.push_back(value == "n" ? "# " + name + " is not set" : name + "=" + value);
  }
  return join(texts, ", ");
}

std::string kernel_package(const MailContent& content) {
  for (const KernelResult& kernel : content.report.kernels) {
    if (kernel.name == level(content.trial, "kernel")) return kernel.package;
  }
  return "";
}

}  // namespace

std::string level(const TrialResult& trial, const std::string& factor) {
  const auto found = trial.cell.find(factor);
  return found == trial.cell.end() ? "" : found->second;
}

bool same_but_kernel(const TrialResult& a, const TrialResult& b) {
  Cell left = a.cell;
  Cell right = b.cell;
  left.erase("kernel");
  right.erase("kernel");
  return left == right && a.virtual_clock == b.virtual_clock;
}

void write_lines(TextPage& page, std::string_view text) {
  for (const std::string& line : printable_lines(text)) {
    if (columns_of(line) <= TextPage::kWidth) {
      page.line(line);
    } else {
      const size_t indent = std::min<size_t>(line.find_first_not_of(' '), 33);
      page.wrapped(line, indent + 2, std::string(indent, ' '));
    }
  }
}

void write_numbers(TextPage& page, const MailContent& content) {
  const TrialResult& trial = content.trial;
  if (trial.cpus.empty()) return;
  page.heading("Numbers (us)", '-');
  TextTable table({"CPU", "samples", "min", "avg", "p99.9", "max", "overflows"}, 1);
  if (trial.cpus.size() > 1) table.add(number_row("all", numbers_of(trial)));
  for (const CpuResult& cpu : trial.cpus) {
    table.add(number_row(std::to_string(cpu.cpu), numbers_of(cpu)));
  }
  page.lines(table.lines(TextPage::kWidth, 2));
  page.line();
  write_other_kernels(page, content);
}

void write_reproduction(TextPage& page, const MailContent& content) {
  page.heading("How to reproduce", '-');
  page.wrapped(
      fmt::format("With rtsweep {} and the plan in the bundle:", content.report.rtsweep_version));
  page.line();
  write_command(page, {"rtsweep", "run", content.plan_file});
  page.line();
  if (content.probe_command.empty()) return;
  if (!content.load_commands.empty()) {
    page.line("Or by hand. The load:");
    page.line();
    for (const auto& command : content.load_commands) write_command(page, command);
    page.line();
  }
  page.line(content.load_commands.empty() ? "Or by hand:" : "beside which was measured with:");
  page.line();
  write_command(page, content.probe_command);
  page.line();
}

void write_machine(TextPage& page, const MailContent& content) {
  page.heading("Where", '-');
  const TrialResult& trial = content.trial;
  page.field("Kernel", trial.facts ? trial.facts->kernel_release + " " + trial.facts->kernel_version
                                   : level(trial, "kernel"));
  page.field("Package", kernel_package(content));
  if (trial.facts) {
    const MachineFacts& facts = *trial.facts;
    page.field("Machine", facts.machine + (facts.board ? ", " + facts.board->model : ""));
    page.field("CPU",
               facts.cpu_model +
                   (facts.online_cpus.empty() ? "" : ", CPUs " + number_ranges(facts.online_cpus)));
    page.field("Cmdline", facts.cmdline);
    page.field("Clock", facts.clocksource);
    page.field("Governor", list_of(facts.governors));
    page.field("Config", options_text(facts.kernel_config));
  }
  page.field("Emulator", content.report.emulator);
  page.field("Host", content.report.host);
  page.field("Probe", trial.probe + " " + trial.probe_version);
  page.line();
}

void write_attachment(TextPage& page, const MailContent& content) {
  page.heading("Attached", '-');
  page.wrapped(content.bundle_file + " holds, under rtsweep-bundle/:");
  for (const auto& [name, what] : content.files)
    page.wrapped(what, 28, fmt::format("  {:<25} ", name));
  if (!content.dropped.empty()) {
    page.line();
    page.line("Left out, to stay below the size that was asked for:");
    for (const std::string& one : content.dropped) page.wrapped(one, 4, "  - ");
  }
  page.line();
  if (!content.redacted) {
    page.line("Nothing was redacted.");
  } else {
    page.wrapped("Names and addresses were replaced by pseudonyms: " + join(content.removed, "; ") +
                 (content.removed.empty() ? "none found." : "."));
  }
  page.line();
}

}  // namespace rtsweep
