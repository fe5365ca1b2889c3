// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "runner/plan/plan_reader.h"

namespace rtsweep {

// Reads every table of a plan, each value by itself, and fills in defaults.
void read_plan(PlanReader& reader, const toml::table& root, Plan& plan);

// For keys under [loads.NAME]: the load's own options.
void read_loads(PlanReader& reader, const toml::node& node, Plan& plan);

// [kernels.NAME]: kernels by path.
void read_kernels(PlanReader& reader, const toml::node& node, Plan& plan);

// [capture]: needs breakpoint_us, so it comes after [measure].
const PlanSection& capture_section();
void read_capture(PlanReader& reader, const toml::node& node, Plan& plan);

// The probe's own defaults, and the keys that it does not have; comes after all sections.
void check_probe(PlanReader& reader, const toml::table& root, Plan& plan);

// measure.cpus.
void read_measured_cpus(PlanReader& reader, const toml::node& node, Plan& plan);

// [tuning].
void read_tuning(PlanReader& reader, const toml::node& node, Plan& plan);

// [factors] and [[exclude]].
void read_factors(PlanReader& reader, const toml::node& node, Plan& plan);
void read_exclude(PlanReader& reader, const toml::node& node, Plan& plan);

// [severity]: reasons that weigh more or less for this plan.
void read_severities(PlanReader& reader, const toml::node& node, Plan& plan);

// The keys of [kernels.NAME], and those of [loads.NAME] that every load has.
std::vector<PlanKeyName> kernel_key_names();
std::vector<PlanKeyName> load_key_names();

}  // namespace rtsweep
