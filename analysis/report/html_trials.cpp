// SPDX-License-Identifier: GPL-2.0-or-later

#include <fmt/format.h>

#include <iterator>

#include "analysis/report/html.h"
#include "analysis/report/html_facts.h"
#include "analysis/report/plain_text.h"
#include "analysis/report/wording.h"
#include "runner/base/text.h"

namespace rtsweep {
namespace {

std::string summary_html(const ReportCells& cells, const TrialResult& trial,
                         const Numbers& numbers) {
  std::string numbers_html;
  if (!trial.cpus.empty()) {
    numbers_html = fmt::format(
        "<span class=max>max <b>{}</b></span><span class=p999>p99.9 {}</span>"
        "<span class=n>n {}</span>",
        html_us(numbers.max_us), html_us(numbers.quantile_us(999'000)), grouped(numbers.samples));
  }
  return fmt::format(
      "<summary><span class=id>#{}</span>{}<span class=name>{}<span class=rep> repetition "
      "{}</span></span>{}</summary>\n",
      trial.id, html_verdict(trial), html_escaped(cells.name_of(trial.cell)), trial.repetition,
      numbers_html);
}

std::string reasons_html(const TrialResult& trial) {
  if (trial.reasons.empty()) return "";
  std::string html = "<ul class=reasons>";
  for (const Reason& reason : trial.reasons) {
    html += fmt::format("<li class={0}><b>{0}</b> <code>{1}</code> {2}</li>",
                        severity_name(reason.severity), html_escaped(reason.code),
                        html_escaped(reason.text));
  }
  return html + "</ul>\n";
}

// Of n samples, a quantile finer than 1/n is the maximum: set back, it adds nothing.
bool is_the_maximum(const Numbers& numbers, uint64_t ppm) {
  constexpr uint64_t kMillion = 1'000'000;
  return numbers.samples < kMillion / (kMillion - ppm);
}

std::string numbers_row(const std::string& label, const Numbers& numbers) {
  std::string html =
      fmt::format("<tr><th scope=row>{}</th><td>{}</td><td>{}</td><td>{}</td>", label,
                  grouped(numbers.samples), html_number(numbers.min_us),
                  numbers.avg_us ? avg_text(numbers.avg_us) : "<span class=unknown>unknown</span>");
  for (const uint64_t ppm : kReportQuantilesPpm) {
    html += fmt::format("<td{}>{}</td>", is_the_maximum(numbers, ppm) ? " class=coarse" : "",
                        html_number(numbers.quantile_us(ppm)));
  }
  return html + fmt::format("<td><b>{}</b></td><td>{}</td></tr>", html_number(numbers.max_us),
                            grouped(numbers.histogram.overflows()));
}

// With the kind of the samples, where a probe has several.
std::string cpu_name(const CpuResult& cpu) {
  const std::string number = std::to_string(cpu.cpu);
  return cpu.kind.empty() ? number : number + " " + html_escaped(cpu.kind);
}

std::string numbers_html(const TrialResult& trial, const Numbers& merged) {
  if (trial.cpus.empty()) return "";
  std::string html =
      "<table><caption>Latency in µs</caption><thead><tr><th scope=col>CPU</th>"
      "<th scope=col>samples</th><th scope=col>min</th><th scope=col>avg</th>";
  for (const uint64_t ppm : kReportQuantilesPpm) {
    html += "<th scope=col>" + quantile_name(ppm) + "</th>";
  }
  html += "<th scope=col>max</th><th scope=col>overflows</th></tr></thead><tbody>";
  if (trial.cpus.size() > 1) html += numbers_row("all", merged);
  for (const auto* cpus : {&trial.cpus, &trial.other_kinds}) {
    for (const CpuResult& cpu : *cpus) html += numbers_row(cpu_name(cpu), numbers_of(cpu));
  }
  const std::string interruptions = interruptions_text(trial);
  return html_scrolling(html + "</tbody></table>") +
         (interruptions.empty() ? "" : "<p>" + html_escaped(interruptions) + "</p>\n");
}

std::string amount_html(const std::optional<double>& value) {
  return value ? amount(*value) : "<span class=unknown>unknown</span>";
}

std::string load_row(const LoadResult& load) {
  std::string state = load.alive ? "running at the end" : "not running at the end";
  for (const std::string& more : {load.ended, load.note}) {
    if (!more.empty()) state += "; " + more;
  }
  return fmt::format(
      "<tr><th scope=row>{}</th><td>{}</td><td class=text>{}</td><td>{}</td><td>{}</td>"
      "<td class=text>{}</td></tr>",
      html_escaped(load.name), amount_html(load.work), html_escaped(load.unit),
      load.floor ? amount(*load.floor) : "none", amount_html(load.cpu_s), html_escaped(state));
}

std::string loads_html(const TrialResult& trial) {
  if (trial.loads.empty()) return "";
  std::string html =
      "<table><caption>Loads during the measurement</caption><thead><tr>"
      "<th scope=col>load</th><th scope=col>work</th>"
      "<th scope=col class=text>unit</th><th scope=col>floor</th>"
      "<th scope=col>CPU s</th><th scope=col class=text>state</th></tr></thead><tbody>";
  for (const LoadResult& load : trial.loads) html += load_row(load);
  return html_scrolling(html + "</tbody></table>");
}

std::string outliers_html(const TrialResult& trial) {
  if (trial.outliers.empty()) return "";
  std::string html =
      "<table><caption>Outliers</caption><thead><tr><th scope=col>latency</th>"
      "<th scope=col>CPU</th><th scope=col class=text>cause</th>"
      "<th scope=col class=text>trace</th></tr></thead><tbody>";
  for (const OutlierResult& outlier : trial.outliers) {
    html += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=text>{}</td><td class=text>{}</td></tr>",
        html_us(outlier.latency_us), outlier.cpu,
        outlier.cause.empty() ? "<span class=unknown>unknown</span>" : html_escaped(outlier.cause),
        outlier.trace.empty()
            ? "none"
            : "<code>" + html_escaped(trial.directory + "/" + outlier.trace) + "</code>");
  }
  return html_scrolling(html + "</tbody></table>");
}

std::string fact(std::string_view name, const std::string& value) {
  if (value.empty()) return "";
  return fmt::format("<dt>{}</dt><dd>{}</dd>", html_escaped(name), html_escaped(value));
}

std::string conditions_html(const TrialResult& trial) {
  std::string html = "<dl class=facts>";
  html +=
      fact("probe", trial.probe + (trial.probe_version.empty() ? "" : " ") + trial.probe_version);
  html += fact("probe_sha256", trial.probe_sha256);
  html += fact("clock", trial.virtual_clock ? "virtual" : "real");
  if (trial.ns_per_instruction) {
    html += fact("ns_per_instruction", fmt::format("{:g}", *trial.ns_per_instruction));
  }
  html += fact("duration", fmt::format("{:g} s planned, {:.1f} s on the host with boot",
                                       trial.duration_s, trial.wall_s));
  if (trial.limit_us) html += fact("limit", fmt::format("{} us", *trial.limit_us));
  html += fact("started", trial.started);
  html += fact("ended", trial.ended.empty() ? "never" : trial.ended);
  html += fact("raw data", trial.directory);
  return html + facts_html(trial) + "</dl>\n";
}

std::string console_html(const TrialResult& trial) {
  if (trial.console_tail.empty()) return "";
  std::string html = "<p class=label>End of the console</p><pre tabindex=0>";
  for (const std::string& line : printable_lines(trial.console_tail)) {
    html += html_escaped(line) + "\n";
  }
  return html + "</pre>\n";
}

std::string correlations_html(const TrialResult& trial) {
  if (trial.correlations.empty()) return "";
  std::string html = "<p class=label>What the hits have in common</p><ul class=reasons>";
  for (const Correlation& one : trial.correlations) {
    html += "<li>" + html_escaped(one.text) +
            fmt::format(" <small>{}, p = {:.1g}</small>", html_escaped(one.test), one.p_value);
    for (const std::string& hint : one.hints) html += "<br>" + html_escaped(hint);
    html += "</li>";
  }
  return html + "</ul>\n";
}

std::string trial_html(const ReportCells& cells, const TrialResult& trial,
                       const std::set<TimelineKey>& timelines) {
  const Numbers numbers = numbers_of(trial);
  return fmt::format(R"(<details class="trial {}" id=trial-{} data-id={}>)",
                     verdict_name(trial.verdict), trial.id, trial.id) +
         summary_html(cells, trial, numbers) + "<div class=body>" + reasons_html(trial) +
         numbers_html(trial, numbers) + loads_html(trial) + outliers_html(trial) +
         timelines_html(trial, timelines) + correlations_html(trial) + measurement_html(trial) +
         console_html(trial) + conditions_html(trial) + "</div></details>\n";
}

}  // namespace

std::string html_trials(const RunReport& report, const ReportCells& cells,
                        const std::set<TimelineKey>& timelines) {
  std::string html;
  for (const TrialResult& trial : report.trials) html += trial_html(cells, trial, timelines);
  return html;
}

}  // namespace rtsweep
