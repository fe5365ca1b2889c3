// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <gmock/gmock.h>

#include "runner/base/result.h"

namespace rtsweep {

// Failed expectations print the error instead of the object's bytes.
template <typename T>
void PrintTo(const Result<T>& result, std::ostream* os) {  // NOLINT: the name GoogleTest looks for
  if (!result) {
    *os << "error: " << result.error().message();
  } else if constexpr (std::is_void_v<T>) {
    *os << "ok";
  } else {
    *os << ::testing::PrintToString(result.value());
  }
}

namespace testing {

MATCHER(IsOk, negation ? "fails" : "succeeds") { return arg.has_value(); }

MATCHER_P(IsOkAnd, matcher, "succeeds with a matching value") {
  return arg.has_value() && ::testing::ExplainMatchResult(matcher, *arg, result_listener);
}

MATCHER_P2(FailsWith, code, text, "fails with that code and '" + std::string(text) + "'") {
  return !arg.has_value() && arg.error().code() == code &&
         arg.error().message().find(text) != std::string::npos;
}

}  // namespace testing
}  // namespace rtsweep
