// SPDX-License-Identifier: GPL-2.0-or-later

#include "runner/capture/trace_instance.h"

#include <cerrno>
#include <cstdlib>

#include "runner/base/text.h"
#include "runner/capture/tracefs_calls.h"

namespace rtsweep {
namespace {

using CString = std::unique_ptr<char, decltype(&std::free)>;

CString owned(char* text) { return {text, &std::free}; }

Result<std::filesystem::path> tracing_directory() {
  const char* directory = rtsweep_tracing_dir();
  if (directory != nullptr) return std::filesystem::path(directory);
  return Error(Errc::kNotSupported,
               "no tracefs: the kernel needs CONFIG_FTRACE, and the runner must be root");
}

}  // namespace

void TraceInstance::Remove::operator()(tracefs_instance* instance) const {
  rtsweep_instance_destroy(instance);
  rtsweep_instance_free(instance);
}

Result<TraceInstance> TraceInstance::create(const std::string& name) {
  RTSWEEP_TRY(const std::filesystem::path tracing, tracing_directory());
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::unique_ptr<tracefs_instance, Remove> instance(rtsweep_instance_create(name.c_str()));
    if (!instance) break;
    // Not ours: what an earlier runner left, with its events still enabled.
    if (!rtsweep_instance_is_new(instance.get())) continue;
    return TraceInstance(std::move(instance), tracing / "instances" / name);
  }
  const Error why = Error::from_errno("create the trace instance " + name, errno);
  return Error(Errc::kNotSupported, why.message());
}

Result<TraceInstance> TraceInstance::top() {
  RTSWEEP_TRY(std::filesystem::path tracing, tracing_directory());
  return TraceInstance(nullptr, std::move(tracing));
}

Error TraceInstance::error(const std::string& doing) const {
  const int number = errno;
  const CString last = owned(rtsweep_error_last(instance_.get()));
  Error error = Error::from_errno(doing, number);
  if (!last) return error;
  return Error(error.code(), error.message() + " (" + join(words(last.get()), " ") + ")");
}

bool TraceInstance::has(const std::string& path) const {
  std::error_code ec;
  return std::filesystem::exists(directory_ / path, ec);
}

Result<std::string> TraceInstance::read(const std::string& file) const {
  const CString text = owned(rtsweep_file_read(instance_.get(), file.c_str()));
  if (text) return std::string(text.get());
  return Error::from_errno("read " + (directory_ / file).string(), errno);
}

Result<void> TraceInstance::write(const std::string& file, const std::string& text) const {
  if (rtsweep_file_write(instance_.get(), file.c_str(), text.c_str()) == 0) return {};
  return error("write '" + text + "' to " + (directory_ / file).string());
}

Result<void> TraceInstance::append(const std::string& file, const std::string& text) const {
  if (rtsweep_file_append(instance_.get(), file.c_str(), text.c_str()) == 0) return {};
  return error("append '" + text + "' to " + (directory_ / file).string());
}

}  // namespace rtsweep
