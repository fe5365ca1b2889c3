// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "runner/base/result.h"

struct tracefs_instance;

namespace rtsweep {

// An instance of ftrace of our own (Documentation/trace/ftrace.rst, "Instances"): buffers,
// events and triggers that nobody else uses, so that nothing of the user's tracing is
// changed. It goes away with this object.
class TraceInstance {
 public:
  // Makes it anew; one of the same name, left by a killed runner, is removed first.
  // kNotSupported when the machine has no tracefs or we may not use it.
  static Result<TraceInstance> create(const std::string& name);

  // The top of tracefs, for what instances share: synthetic events. Never removed.
  static Result<TraceInstance> top();

  const std::filesystem::path& directory() const { return directory_; }
  bool has(const std::string& path) const;  // a file or directory

  Result<std::string> read(const std::string& file) const;

  // The error has what the kernel's error_log says of it.
  Result<void> write(const std::string& file, const std::string& text) const;
  Result<void> append(const std::string& file, const std::string& text) const;

 private:
  struct Remove {
    void operator()(tracefs_instance* instance) const;
  };

  TraceInstance(std::unique_ptr<tracefs_instance, Remove> instance, std::filesystem::path directory)
      : instance_(std::move(instance)), directory_(std::move(directory)) {}

  Error error(const std::string& doing) const;

  std::unique_ptr<tracefs_instance, Remove> instance_;
  std::filesystem::path directory_;
};

}  // namespace rtsweep
