// SPDX-License-Identifier: GPL-2.0-or-later

// The tables of a plan with fixed keys. A key is one row: its name, its default, and
// how it is read.

#include "runner/plan/plan_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "runner/measure/probe.h"
#include "runner/plan/factors.h"
#include "runner/plan/tuning_keys.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

using Reader = PlanReader;
using Node = toml::node;

const std::vector<std::string> kClocks = {"virtual", "real"};
const std::vector<std::string> kRtTests = {"bookworm", "trixie"};

// Sets the member if there is a value.
template <typename Member, typename Value>
void take(Member& member, std::optional<Value> value) {
  if (value) member = static_cast<Member>(*std::move(value));
}

// It becomes part of directory names.
void read_name(Reader& reader, const Node& node, Plan& plan) {
  auto name = reader.text("name", node);
  if (!name) return;
  const bool plain = std::ranges::all_of(*name, [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_.+").find(char(c)) != std::string_view::npos;
  });
  if (name->empty() || name->size() > 64 || !plain || name->front() == '.') {
    reader.refuse(node.source(),
                  fmt::format("name {} must be 1 to 64 letters, digits, - _ + and ., "
                              "and not begin with a dot",
                              shown_word(*name)));
    return;
  }
  plan.name = *std::move(name);
}

const PlanKey kTopKeys[] = {
    {"name", "", read_name},
    {"target", "\"vm\"",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.target, reader.word("target", node, names_of(target_kinds())));
     }},
    {"clock", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       const auto clock = reader.word("clock", node, kClocks);
       if (clock) plan.virtual_clock = *clock == "virtual";
     }},
    {"seed", "1",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.seed, reader.integer("seed", node, {.least = 0}));
     }},
    {"repetitions", "1",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.repetitions, reader.integer("repetitions", node, {1, 10'000}));
     }},
    {"budget", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.budget, reader.duration("budget", node));
     }},
    {"rt_tests", "\"bookworm\"",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.rt_tests, reader.word("rt_tests", node, kRtTests));
     }},
};

const PlanKey kMeasureKeys[] = {
    {"probe", "\"cyclictest\"",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.probe, reader.word("probe", node, names_of(probe_kinds())));
     }},
    {"interval_us", "997",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.interval_us, reader.integer("interval_us", node, {1, 1'000'000}));
     }},
    {"busy_us", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.busy_us, reader.integer("busy_us", node, {1, 1'000'000}));
     }},
    {"threshold_us", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.threshold_us, reader.integer("threshold_us", node, {1, 1'000'000}));
     }},
    {"priority", "90",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.priority, reader.integer("priority", node, {1, 99}));
     }},
    {"cpus", "", read_measured_cpus},
    {"duration", "\"10s\"",
     [](Reader& reader, const Node& node, Plan& plan) {
       const auto duration = reader.duration("duration", node);
       if (duration) plan.duration_s = duration->count();
     }},
    {"histogram_us", "20000",
     [](Reader& reader, const Node& node, Plan& plan) {
       // HIST_MAX of cyclictest.
       take(plan.histogram_us, reader.integer("histogram_us", node, {1, 1'000'000}));
     }},
    {"limit_us", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.limit_us, reader.integer("limit_us", node, {1, 1'000'000'000}));
     }},
    {"breakpoint_us", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.capture.breakpoint_us, reader.integer("breakpoint_us", node, {1, 1'000'000'000}));
     }},
    {"expect_rt", "true",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.expect_rt, reader.boolean("expect_rt", node));
     }},
};

const PlanKey kVmKeys[] = {
    {"memory_mib", "768",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.vm_memory_mib, reader.integer("memory_mib", node, {128, 1'048'576}));
     }},
    {"cpus", "1",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.vm_cpus, reader.integer("cpus", node, {1, 64}));
     }},
    {"cpufreq", "false",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.vm_cpufreq, reader.boolean("cpufreq", node));
     }},
    {"jobs", "0",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.vm_jobs, reader.integer("jobs", node, {0, 1024}));
     }},
    {"boot_timeout", "\"3m\"",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.boot_timeout, reader.duration("boot_timeout", node));
     }},
    {"trial_timeout", "\"30m\"",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.trial_timeout, reader.duration("trial_timeout", node));
     }},
};

void read_measure(Reader& reader, const Node& node, Plan& plan);
void read_vm(Reader& reader, const Node& node, Plan& plan);

// Tables; an [[exclude]] speaks of factors, so it comes after them.
const PlanKey kTables[] = {
    {"measure", "", read_measure},     {"factors", "", read_factors}, {"exclude", "", read_exclude},
    {"loads", "", read_loads},         {"kernels", "", read_kernels}, {"vm", "", read_vm},
    {"severity", "", read_severities}, {"tuning", "", read_tuning},   {"capture", "", read_capture},
};

const std::vector<std::string> kTuningKeys = tuning_key_names();

const PlanSection kTop = {"", kTopKeys};
const PlanSection kMeasure = {"[measure]", kMeasureKeys};
const PlanSection kVm = {"[vm]", kVmKeys};
const PlanSection* const kSections[] = {&kTop, &kMeasure, &kVm, &capture_section()};

void read_measure(Reader& reader, const Node& node, Plan& plan) {
  if (const auto* table = reader.table("measure", node)) {
    read_section(reader, *table, kMeasure, plan);
  }
}

void read_vm(Reader& reader, const Node& node, Plan& plan) {
  if (const auto* table = reader.table("vm", node)) read_section(reader, *table, kVm, plan);
}

bool has_key(std::span<const PlanKey> keys, std::string_view name) {
  return std::ranges::find(keys, name, &PlanKey::name) != keys.end();
}

std::vector<std::string> key_names(const PlanSection& section) {
  std::vector<std::string> names;
  for (const PlanKey& key : section.keys) names.emplace_back(key.name);
  if (section.heading.empty()) {
    for (const PlanKey& key : kTables) names.emplace_back(key.name);
  }
  return names;
}

// A key below the wrong heading is the usual slip in TOML: say where it belongs.
std::string unknown_key(std::string_view word, const PlanSection& section) {
  const std::string in = section.heading.empty() ? "" : fmt::format(" in {}", section.heading);
  for (const PlanSection* other : kSections) {
    if (!has_key(other->keys, word)) continue;
    if (other->heading.empty()) {
      return fmt::format("unknown key {}{}; it belongs above the first [table]", shown_word(word),
                         in);
    }
    return fmt::format("unknown key {}{}; it belongs in {}", shown_word(word), in, other->heading);
  }
  if (find_tuning_key(word) != nullptr) {
    return fmt::format("unknown key {}{}; it belongs in [tuning]", shown_word(word), in);
  }
  return unknown_word("key" + in, word, key_names(section));
}

void read_keys(PlanReader& reader, const toml::table& table, std::span<const PlanKey> keys,
               Plan& plan) {
  for (const PlanKey& key : keys) {
    if (const Node* node = table.get(key.name)) key.read(reader, *node, plan);
  }
}

// The file's name is the plan's, where it has none of its own.
std::string name_from_file(const std::filesystem::path& file) {
  std::string name = file.stem().string().substr(0, 64);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') c = '-';
  }
  return name.empty() ? "plan" : name;
}

}  // namespace

void read_section(PlanReader& reader, const toml::table& table, const PlanSection& section,
                  Plan& plan) {
  read_keys(reader, table, section.keys, plan);
  const bool top = section.heading.empty();
  for (const auto& [key, node] : table) {
    if (has_key(section.keys, key.str()) || (top && has_key(kTables, key.str()))) continue;
    reader.refuse(key.source(), unknown_key(key.str(), section));
  }
}

void read_plan(PlanReader& reader, const toml::table& root, Plan& plan) {
  plan.name = name_from_file(reader.file());
  read_section(reader, root, kTop, plan);
  // Real time under emulation means nothing, so a VM measures in virtual time
  // unless the plan says otherwise.
  if (!root.contains("clock")) plan.virtual_clock = plan.target == "vm";
  read_keys(reader, root, kTables, plan);
  check_probe(reader, root, plan);
}

std::vector<PlanKeyName> plan_keys() {
  std::vector<PlanKeyName> names;
  for (const PlanSection* section : kSections) {
    for (const PlanKey& key : section->keys) {
      names.push_back({section->heading, key.name, key.fallback});
    }
  }
  for (const FactorKind& kind : factor_kinds()) {
    if (kind.tuning == nullptr) names.push_back({"[factors]", kind.name, ""});
  }
  for (const std::string& key : kTuningKeys) names.push_back({"[tuning]", key, ""});
  std::ranges::copy(load_key_names(), std::back_inserter(names));
  std::ranges::copy(kernel_key_names(), std::back_inserter(names));
  names.push_back({"[severity]", "CODE", ""});
  return names;
}

}  // namespace rtsweep
