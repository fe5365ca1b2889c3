// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

namespace rtsweep::statistics {

// From lower to upper, both ends included. An end that the data leave open is infinite, or, of a
// rate or probability, its natural bound.
struct Interval {
  double lower = 0;
  double upper = 0;

  bool contains(double value) const { return lower <= value && value <= upper; }
};

}  // namespace rtsweep::statistics
