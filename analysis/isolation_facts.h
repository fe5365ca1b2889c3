// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include "analysis/system_view.h"

namespace rtsweep {

// What the command line's words about CPUs and nodes say together. Needs a command line.
//
//   isolation        one value for each inconsistency:
//     tick_on_isolated       isolcpus= names CPUs that nohz_full= does not
//     nohz_not_isolated      nohz_full= names CPUs that isolcpus= does not
//     callbacks_on_isolated  RCU callbacks run on isolated CPUs: neither rcu_nocbs= nor nohz_full=
//     domain_only            isolcpus= keeps the load balancer away, and nothing else is done
//     irqs_on_isolated       no irqaffinity= or managed_irq keeps interrupts away
//   isolated_cpus    the CPUs that isolcpus= names, as a list; none without it
//   cmdline_overridden     a parameter of which a later one holds
//   numa_fake_requested    the nodes that numa=fake= asks for, when more than one
//   numa_fake        "not_effective": numa=fake=N with N > 1, and one node came up. Unknown when
//                    it was asked for and the number of nodes is not known
Observations isolation_facts(const SystemView& view);

}  // namespace rtsweep
