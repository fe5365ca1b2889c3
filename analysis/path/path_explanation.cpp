// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/path/path_explanation.h"

#include <algorithm>
#include <numeric>

namespace rtsweep {

using nlohmann::json;

namespace {

std::string_view kind_name(PathStep::Kind kind) {
  switch (kind) {
    case PathStep::Kind::kInterrupt:
      return "interrupt";
    case PathStep::Kind::kWakeup:
      return "wakeup";
    case PathStep::Kind::kBlocks:
      return "blocks";
    case PathStep::Kind::kBoost:
      return "boost";
    case PathStep::Kind::kUnboost:
      return "unboost";
    case PathStep::Kind::kUnlock:
      return "unlock";
    case PathStep::Kind::kSwitch:
      return "switch";
  }
  return "";
}

json wakeup_json(const PathExplanation& explanation, const ExplainedWakeup& one) {
  const Wakeup& w = one.wakeup;
  json j = {{"number", one.number},
            {"latency_us", explanation.us(w.instructions())},
            {"instructions", w.instructions()},
            {"explained", one.path.explained},
            {"irq", w.irq - w.expiry},
            {"wakeup", w.wakeup - w.expiry},
            {"running", w.running - w.expiry},
            {"user", w.user - w.expiry},
            {"functions", json::array()},
            {"steps", json::array()},
            {"lock_waits", json::array()}};
  for (const PathFunction& f : one.path.functions) {
    j["functions"].push_back(
        {{"name", f.name}, {"self", f.self}, {"total", f.total}, {"calls", f.calls}});
  }
  for (const PathStep& step : one.path.steps) {
    j["steps"].push_back({{"at", step.at},
                          {"kind", kind_name(step.kind)},
                          {"function", step.function},
                          {"within", step.within}});
  }
  for (const LockWait& wait : one.waits) {
    j["lock_waits"].push_back({{"at", wait.blocked},
                               {"taker", wait.taker},
                               {"holder_runs", wait.holder},
                               {"released", wait.released},
                               {"releaser", wait.releaser},
                               {"runs_again", wait.again},
                               {"boosted", wait.boosted}});
  }
  return j;
}

}  // namespace

std::vector<size_t> worst_wakeups(const std::vector<Wakeup>& wakeups, size_t most) {
  std::vector<size_t> order(wakeups.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return wakeups[a].instructions() > wakeups[b].instructions();
  });
  order.resize(std::min(most, order.size()));
  return order;
}

json path_json(const PathExplanation& explanation) {
  json j = {{"method", "path"},
            {"source", explanation.source},
            {"kernel", explanation.kernel},
            {"clock", "virtual"},
            {"ns_per_instruction", explanation.ns_per_instruction},
            {"samples", explanation.samples},
            {"followed", explanation.followed},
            {"max_us", explanation.max_us},
            {"same_results", explanation.same_results},
            {"same_console", explanation.same_console},
            {"other_identity", explanation.other_identity},
            {"worst", json::array()}};
  for (const ExplainedWakeup& one : explanation.worst) {
    j["worst"].push_back(wakeup_json(explanation, one));
  }
  return j;
}

}  // namespace rtsweep
