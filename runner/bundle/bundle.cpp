// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/report/cells.h"
#include "analysis/report/mail.h"
#include "analysis/report/pictures.h"
#include "analysis/report/render.h"
#include "analysis/trace/explain.h"
#include "analysis/trace/explanation_json.h"
#include "analysis/trace/explanation_text.h"
#include "analysis/trace/timeline_picture.h"
#include "analysis/trace/trace_excerpt.h"
#include "rtsweep_version.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/bundle/bundle_parts.h"
#include "runner/bundle/choose_trial.h"
#include "runner/bundle/known_names.h"
#include "runner/bundle/raw_parts.h"
#include "runner/bundle/temporary_directory.h"
#include "runner/run/evaluate.h"
#include "runner/run/outlier_causes.h"

namespace rtsweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kSchema = 1;

std::string text_at(const fs::path& file) {
  std::error_code ec;
  if (!fs::exists(file, ec)) return "";
  auto text = read_file(file);
  return text ? *std::move(text) : "";
}

// The bundle while it is made. The run directory is first staged, free of secrets, in a
// directory of its own; everything else is made from what stands there.
class BundleMaker {
 public:
  BundleMaker(const RunDirectory& run, const BundleRequest& request, const BundleWorld& world)
      : run_(run), request_(request), world_(world) {}

  Result<Bundle> make() {
    RTSWEEP_TRY(report_, load_report(run_));
    RTSWEEP_TRY(const TrialResult* chosen, choose_trial(report_, request_.trial));
    RTSWEEP_TRY(outlier_, choose_outlier(*chosen, request_.outlier));
    const PlannedTrial& planned = run_.trial(chosen->id);
    RTSWEEP_TRY(raw_, read_raw_parts(run_, planned, world_.host, request_.redact));
    bundle_.left_out = raw_.left_out;
    redact();
    RTSWEEP_TRY(const TemporaryDirectory stage, TemporaryDirectory::make());
    RTSWEEP_CHECK_OK(stage_run(stage.path(), planned));
    RTSWEEP_CHECK_OK(look_at_trial(chosen->id));
    RTSWEEP_CHECK_OK(derive());
    RTSWEEP_CHECK_OK(fit());
    return std::move(bundle_);
  }

 private:
  std::string clean(std::string_view text) {
    return request_.redact ? redactor_.text(text) : std::string(text);
  }

  void redact() {
    if (!request_.redact) return;
    know_this_machine(redactor_, world_.host);
    for (const auto* files : {&raw_.run, &raw_.trial}) {
      for (const BundleFile& file : *files) redactor_.learn(file.content);
    }
    redactor_.learn(render_json(report_));
    for (auto* files : {&raw_.run, &raw_.trial}) {
      for (BundleFile& file : *files) {
        file.content =
            is_binary(file.content) ? redactor_.binary(file.content) : redactor_.text(file.content);
      }
    }
    raw_.kernel_config = redactor_.text(raw_.kernel_config);
    for (std::string& one : raw_.left_out) one = redactor_.text(one);
    redact_report();
  }

  // The other trials are shown in the mail only.
  void redact_report() {
    for (std::string* text : {&report_.name, &report_.run, &report_.host, &report_.emulator}) {
      *text = redactor_.text(*text);
    }
    for (TrialResult& trial : report_.trials) {
      for (auto& [factor, value] : trial.cell) value = redactor_.text(value);
    }
    for (KernelResult& kernel : report_.kernels) {
      kernel.name = redactor_.text(kernel.name);
      kernel.package = redactor_.text(kernel.package);
    }
  }

  // A level that held a secret has another name now, and its trial's directory too.
  Result<void> stage_run(const fs::path& stage, const PlannedTrial& planned) {
    for (const BundleFile& file : raw_.run) {
      RTSWEEP_CHECK_OK(write_file_durably(stage / file.name, file.content));
    }
    auto staged = RunDirectory::open(stage);
    if (!staged) return std::move(staged).error().with_context("the redacted run");
    staged_ = std::move(staged).value();
    trial_name_ = staged_->trial_name(staged_->trial(planned.id));
    trial_directory_ = stage / trial_name_;
    RTSWEEP_CHECK_OK(make_directories(trial_directory_));
    for (const BundleFile& file : raw_.trial) {
      RTSWEEP_CHECK_OK(write_file_durably(trial_directory_ / file.name, file.content));
    }
    return {};
  }

  // The trial as anybody will see it who evaluates the bundle.
  Result<void> look_at_trial(int id) {
    trial_ = evaluate_trial(*staged_, staged_->trial(id));
    const auto original = std::ranges::find(report_.trials, id, &TrialResult::id);
    trial_.started = original->started;
    trial_.ended = original->ended;
    original->facts = trial_.facts;
    if (outlier_ < trial_.outliers.size()) trace_name_ = trial_.outliers[outlier_].trace;
    if (auto saved = parse_explanations(text_at(trial_directory_ / kExplanationsFile))) {
      explanations_ = *std::move(saved);
    }
    read_trace();
    return {};
  }

  // What the trace itself says, where it has not been explained yet.
  void read_trace() {
    if (trace_name_.empty()) return;
    auto traces = world_.read_traces(trial_directory_ / trace_name_);
    if (!traces || traces->empty()) {
      bundle_.left_out.push_back("trace excerpt and timeline: " +
                                 (traces ? "the trace is empty" : traces.error().message()));
      return;
    }
    trace_ = std::move(traces->front());
    if (outlier_ < explanations_.size()) return;
    explanations_.resize(outlier_ + 1);
    explanations_[outlier_] = explain(trace_);
    explanations_[outlier_].source = trace_name_;
    if (trial_.outliers[outlier_].cause.empty()) {
      trial_.outliers[outlier_].cause = explanations_[outlier_].headline;
    }
  }

  void add(std::string name, std::string content, std::string what, int drop_order) {
    if (content.empty()) return;
    parts_.push_back({std::move(name), std::move(content), std::move(what), drop_order});
  }

  Result<void> derive() {
    parts_ = run_parts(raw_, trial_name_, trace_name_);
    add_cause();
    add_pictures();
    add("kernel.config", raw_.kernel_config, "the kernel's configuration", 30);
    if (trial_.facts) add("cmdline.txt", trial_.facts->cmdline + "\n", "", 0);
    const auto at = outlier_time_s(trial_directory_, outlier_);
    add("dmesg-window.txt", dmesg_window(text_at(trial_directory_ / "dmesg.txt"), at),
        "kernel messages around it", 25);
    add_report();
    return {};
  }

  void add_cause() {
    std::string text;
    for (const Explanation& one : explanations_) {
      if (one.headline.empty()) continue;
      text += (text.empty() ? "" : "\n\n") + explanation_text(one, {.width = 100, .verbose = true});
    }
    add("cause.txt", text, "the cause, with all the evidence", 0);
    if (outlier_ >= explanations_.size()) return;
    const Explanation& one = explanations_[outlier_];
    const auto lines =
        trace_excerpt(trace_, one, {.width = 0, .most_lines = 2000, .all_cpus = true});
    add("trace-excerpt.txt", lines.empty() ? "" : join(lines, "\n") + "\n",
        "the trace around it, as text", 10);
  }

  void add_pictures() {
    const ReportCells cells(report_);
    const std::string title = fmt::format(
        "{} beside {}", trial_.facts ? trial_.facts->kernel_release : cells.name_of(trial_.cell),
        cells.name_of(trial_.cell));
    add_picture("histogram", histogram_svg(trial_, title), "the latencies");
    if (outlier_ >= explanations_.size()) return;
    const auto picture = timeline_picture(trace_, explanations_[outlier_]);
    if (picture) add_picture("timeline", timeline_svg(*picture, title), "the CPUs around it");
  }

  void add_picture(const std::string& name, std::string svg, const std::string& what) {
    if (svg.empty()) return;
    svg = clean(svg);
    const fs::path file = trial_directory_.parent_path() / (name + ".svg");
    const fs::path png = trial_directory_.parent_path() / (name + ".png");
    add(name + ".svg", svg, what, 15);
    if (!write_file_durably(file, svg)) return;
    const auto made =
        world_.commands.run({"rsvg-convert", "--output", png.string(), file.string()});
    if (made) {
      add(name + ".png", text_at(png), "", 100);
    } else {
      bundle_.left_out.push_back(name + ".png: " +
                                 (made.error().code() == Errc::kNotSupported
                                      ? "needs Debian's package librsvg2-bin"
                                      : made.error().message()));
    }
  }

  // The numbers of all trials, so that kernels can be compared.
  void add_report() {
    add("report.json", clean(render_json(report_)), "all trials of the run", 90);
  }

  MailContent mail_content(std::span<const BundlePart> parts) {
    MailContent content{
        .report = report_, .trial = trial_, .explanations = explanations_, .outlier = outlier_};
    if (outlier_ < explanations_.size()) {
      content.excerpt = trace_excerpt(trace_, explanations_[outlier_]);
    }
    content.probe_command = probe_command(trial_directory_);
    content.load_commands = load_commands(trial_directory_, world_.host);
    content.bundle_file = bundle_.file_name;
    for (size_t i = parts.size(); i-- > 0;) {  // the most useful first
      const std::string name = parts[i].name.substr(parts[i].name.rfind('/') + 1);
      if (!parts[i].what.empty()) content.files.emplace_back(name, parts[i].what);
    }
    content.dropped = bundle_.dropped;
    content.redacted = request_.redact;
    if (request_.redact && !redactor_.counts().empty()) {
      content.removed = redaction_lines(redactor_.counts());
    }
    return content;
  }

  std::string contents_json(std::span<const BundlePart> parts) const {
    json files = json::array();
    for (const BundlePart& part : parts) {
      files.push_back({{"name", part.name}, {"bytes", part.content.size()}, {"what", part.what}});
    }
    json removed = json::object();
    for (const auto& [kind, count] : redactor_.counts()) {
      removed[std::string(secret_kind_name(kind))] = {{"different", count.different},
                                                      {"places", count.replaced}};
    }
    const json contents = {{"schema", kSchema},
                           {"rtsweep", kVersion},
                           {"trial", trial_.id},
                           {"outlier", outlier_ + 1},
                           {"run", "run"},
                           {"redacted", request_.redact},
                           {"removed", removed},
                           {"dropped", bundle_.dropped},
                           {"left_out", raw_.left_out},
                           {"files", std::move(files)}};
    return contents.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  }

  std::string removed_text() const {
    if (!request_.redact) return "Nothing was redacted: --no-redact was given.\n";
    return "Replaced by pseudonyms, the same one everywhere for the same secret:\n  " +
           join(redaction_lines(redactor_.counts()), "\n  ") + "\n";
  }

  Result<std::string> pack(std::span<const BundlePart> parts) {
    bundle_.mail = clean(render_mail(mail_content(parts)));
    std::vector<BundleFile> files = {
        {"mail.txt", bundle_.mail},
        {"removed.txt", removed_text()},
        {"contents.json", clean(contents_json(parts))},
    };
    for (const BundlePart& part : parts) files.push_back({part.name, part.content});
    for (BundleFile& file : files) {
      if (request_.redact && redactor_.holds_secret(file.content)) {
        return Error(Errc::kBadData, file.name + " would still hold a secret: not written");
      }
      file.name = std::string(kBundleFolder) + "/" + file.name;
    }
    return pack_bundle(std::move(files));
  }

  // Drops parts in their order, as few as will do.
  Result<void> fit() {
    bundle_.file_name = request_.file_name.empty()
                            ? fmt::format("rtsweep-trial-{:03}.tar.zst", trial_.id)
                            : clean(request_.file_name);
    std::ranges::stable_sort(parts_, std::ranges::greater(), &BundlePart::drop_order);
    const auto first_kept = std::ranges::find(parts_, 0, &BundlePart::drop_order);
    const auto droppable = static_cast<size_t>(first_kept - parts_.begin());
    size_t low = 0;
    size_t high = request_.limit ? droppable : 0;
    RTSWEEP_TRY(std::string best, pack_without(high));
    if (request_.limit && best.size() > *request_.limit) {
      return Error(
          Errc::kInvalidPlan,
          fmt::format("the bundle takes {} bytes without all that can be left out; --limit "
                      "{} is too little",
                      best.size(), *request_.limit));
    }
    while (low < high) {
      const size_t middle = (low + high) / 2;
      RTSWEEP_TRY(std::string packed, pack_without(middle));
      if (packed.size() <= *request_.limit) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    RTSWEEP_TRY(bundle_.archive, pack_without(high));
    bundle_.removed = redactor_.counts();
    return {};
  }

  Result<std::string> pack_without(size_t dropped) {
    const std::span<const BundlePart> all = parts_;
    bundle_.dropped.clear();
    for (const BundlePart& part : all.first(dropped)) {
      bundle_.dropped.push_back(fmt::format("{} ({} bytes)", part.name, part.content.size()));
    }
    return pack(all.subspan(dropped));
  }

  const RunDirectory& run_;
  const BundleRequest& request_;
  const BundleWorld& world_;
  Redactor redactor_;
  RunReport report_;  // of the whole run
  TrialResult trial_;
  size_t outlier_ = 0;
  RawParts raw_;
  std::optional<RunDirectory> staged_;
  std::string trial_name_;    // in the run directory: "trials/003_..."
  fs::path trial_directory_;  // where it is staged
  std::string trace_name_;    // of the outlier; empty: it has none
  Trace trace_;
  std::vector<Explanation> explanations_;
  std::vector<BundlePart> parts_;
  Bundle bundle_;
};

}  // namespace

Result<Bundle> make_bundle(const RunDirectory& run, const BundleRequest& request,
                           const BundleWorld& world) {
  return BundleMaker(run, request, world).make();
}

}  // namespace rtsweep
