// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

// What the usual practice, one maximum against another, gets wrong: for reports and documents.
namespace rtsweep::statistics {

// The chance that the maximum of a new run exceeds the largest of `runs` runs of the same cell,
// with nothing changed: 1 / (runs + 1), by exchangeability, whatever the distribution.
double record_probability(double runs);

// The chance that one run maximum exceeds `factor` times another of the same Gumbel distribution:
// the integral of P(M > factor z) over the density of z. For location well above scale.
double naive_false_alarm(double location, double scale, double factor);

}  // namespace rtsweep::statistics
