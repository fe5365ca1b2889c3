// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/host/tuning.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "runner/host/services.h"

namespace rtsweep {
namespace {

constexpr std::string_view kService = "service ";
constexpr char kDmaLatency[] = "dev/cpu_dma_latency";

TuningResult result_of(const TuningChange& change) {
  TuningResult result{.setting = change.setting,
                      .file = change.file.starts_with('/') ? change.file : "/" + change.file,
                      .wanted = change.value,
                      .error = change.problem};
  if (change.built_out) result.effective = change.value;
  return result;
}

// The CPU that an interrupt really went to, of those that it may go to; empty if unknown.
std::string effective_cpu(const HostRoot& host, const TuningChange& change) {
  if (!change.interrupt) return {};
  const std::string directory = change.file.substr(0, change.file.rfind('/'));
  auto cpu = host.read(directory + "/effective_affinity_list");
  return cpu ? *std::move(cpu) : std::string();
}

}  // namespace

Tuning::Tuning(Tuning&& other) noexcept
    : host_(other.host_),
      undo_(std::exchange(other.undo_, nullptr)),
      results_(std::move(other.results_)),
      dma_latency_(std::move(other.dma_latency_)) {}

Tuning::~Tuning() { std::ignore = restore(); }

Result<Tuning> Tuning::apply(const HostRoot& host, const TuningSpec& spec, UndoList& undo) {
  Tuning tuning(host, undo);
  RTSWEEP_CHECK_OK(tuning.stop_services(spec.stop_services));
  RTSWEEP_CHECK_OK(tuning.change_files(tuning_changes(host, spec)));
  if (spec.cpu_dma_latency_us) tuning.hold_dma_latency(*spec.cpu_dma_latency_us);
  return tuning;
}

Result<void> Tuning::stop_services(const std::vector<std::string>& units) {
  Services services(*host_, undo_->commands());
  for (const std::string& unit : units) {
    TuningResult& result = results_.emplace_back(TuningResult{.setting = "stop_services",
                                                              .file = std::string(kService) + unit,
                                                              .wanted = kServiceInactive});
    const auto state = services.state(unit);
    if (!state) {
      result.error = state.error().message();
      continue;
    }
    result.before = *state;
    if (*state != kServiceInactive) {
      RTSWEEP_CHECK_OK(undo_->remember({{.kind = UndoEntry::Kind::kService, .name = unit}}));
      const auto stopped = services.stop(unit);
      if (!stopped) result.error = stopped.error().message();
    }
    result.effective = read(result);
  }
  return {};
}

Result<void> Tuning::change_files(const std::vector<TuningChange>& changes) {
  std::vector<TuningResult> results;
  std::vector<UndoEntry> old;
  for (const TuningChange& change : changes) {
    TuningResult& result = results.emplace_back(result_of(change));
    if (!change.problem.empty() || change.built_out) continue;
    const auto before = host_->read(change.file);
    if (!before) {
      result.error = before.error().message() + "; what cannot be read could not be put back";
      continue;
    }
    result.before = settable_value(*before);
    if (same_setting(change.value, *before)) continue;
    old.push_back(
        {.name = change.file, .old = *result.before, .via = effective_cpu(*host_, change)});
  }
  RTSWEEP_CHECK_OK(undo_->remember(std::move(old)));
  for (size_t i = 0; i < changes.size(); ++i) write(changes[i], results[i]);
  std::ranges::move(results, std::back_inserter(results_));
  return {};
}

void Tuning::write(const TuningChange& change, TuningResult& result) const {
  if (!result.before) return;
  if (!same_setting(change.value, *result.before)) {
    const auto written = host_->write(change.file, change.value);
    if (!written) result.error = written.error().message();
    result.refused = !written && change.interrupt;
  }
  result.effective = read(result);
}

// Documentation/power/pm_qos_interface.rst: a 32-bit number of microseconds.
void Tuning::hold_dma_latency(int64_t us) {
  TuningResult& result = results_.emplace_back(TuningResult{.setting = "cpu_dma_latency_us",
                                                            .file = "/" + std::string(kDmaLatency),
                                                            .wanted = std::to_string(us)});
  result.before = read(result);
  const std::string path = host_->path(kDmaLatency);
  const auto value = static_cast<int32_t>(us);
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) {
    result.error = Error::from_errno("open " + path, errno).message();
  } else if (::write(fd.get(), &value, sizeof(value)) != sizeof(value)) {
    result.error = Error::from_errno("write " + path, errno).message();
  } else {
    dma_latency_ = std::move(fd);
    result.effective = read(result);
  }
}

std::optional<std::string> Tuning::read(const TuningResult& result) const {
  if (result.file.starts_with(kService)) {
    const auto state =
        Services(*host_, undo_->commands()).state(result.file.substr(kService.size()));
    return state ? std::optional(*state) : std::nullopt;
  }
  const std::string file = result.file.substr(1);
  const auto text = host_->read(file);
  if (!text) return std::nullopt;
  if (file != kDmaLatency) return settable_value(*text);
  int32_t value = 0;
  if (text->size() < sizeof(value)) return std::nullopt;
  std::memcpy(&value, text->data(), sizeof(value));
  return std::to_string(value);
}

void Tuning::look_at_end() {
  for (TuningResult& result : results_) {
    if (result.before && result.effective) result.at_end = read(result);
  }
}

Result<void> Tuning::restore() {
  if (undo_ == nullptr) return {};
  dma_latency_.reset();
  const auto report = undo_->undo();
  for (TuningResult& result : results_) {
    if (result.before && result.setting != "cpu_dma_latency_us") result.restored = read(result);
  }
  undo_ = nullptr;
  if (!report) return report.error();
  return {};
}

}  // namespace rtsweep
