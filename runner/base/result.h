// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace rtsweep {

// What the caller can do about a failure. Anything finer belongs in the message.
enum class Errc {
  kInvalidPlan,   // the user's input is wrong; nothing was started
  kNotSupported,  // this host or kernel lacks what was asked for: skip, say why
  kIo,            // a file or device did not behave
  kChildFailed,   // cyclictest, a load or a boot tool exited badly
  kTimeout,       // something did not finish in its time
  kBadData,       // output or a trace that cannot be parsed
};

// One failure, with the story of how it was reached.
class [[nodiscard]] Error {
 public:
  Error(Errc code, std::string message) : code_(code), message_(std::move(message)) {}

  // "write /sys/.../scaling_governor: Permission denied"
  static Error from_errno(std::string_view what, int err);

  // Prefixes what the caller was doing, so that the outermost line reads first.
  Error with_context(std::string_view doing) && {
    message_.insert(0, std::string(doing) + ": ");
    return std::move(*this);
  }

  Errc code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Errc code_;
  std::string message_;
};

// A value or an Error. Stands in for std::expected until the oldest supported
// compilers ship it; keep to the members that both have.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }

  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace rtsweep

#define RTSWEEP_CONCAT_(a, b) a##b
#define RTSWEEP_CONCAT(a, b) RTSWEEP_CONCAT_(a, b)

// RTSWEEP_TRY(auto cpus, online_cpus(host));  returns the error, or binds the value.
#define RTSWEEP_TRY(lhs, expr) RTSWEEP_TRY_(RTSWEEP_CONCAT(try_, __LINE__), lhs, expr)
#define RTSWEEP_TRY_(tmp, lhs, expr)       \
  auto tmp = (expr);                       \
  if (!tmp) return std::move(tmp).error(); \
  lhs = std::move(tmp).value()

// RTSWEEP_CHECK_OK(trace.enable("sched", "sched_switch"));
#define RTSWEEP_CHECK_OK(expr)                                              \
  do {                                                                      \
    if (auto checked = (expr); !checked) return std::move(checked).error(); \
  } while (false)
