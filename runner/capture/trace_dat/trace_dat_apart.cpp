// SPDX-License-Identifier: GPL-2.0-or-later

// A file of others goes through a C library that trusts what it reads: that happens in a
// child process, which hands its result back through a pipe. Fork without exec: the child
// only reads, and the program has one thread when it explains.

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "runner/base/files.h"
#include "runner/capture/trace_dat/trace_dat_file.h"
#include "runner/capture/trace_dat/trace_wire.h"

namespace rtsweep {
namespace {

constexpr rlim_t kMostCpuSeconds = 120;
constexpr rlim_t kMostMemory = rlim_t{1} << 30;    // of addresses, on top of what there is
constexpr size_t kMostAnswer = size_t{512} << 20;  // of the child's

// The address sanitizer reserves terabytes of addresses: no limit on them there.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitsAddresses = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kLimitsAddresses = false;
#else
constexpr bool kLimitsAddresses = true;
#endif
#else
constexpr bool kLimitsAddresses = true;
#endif

void limit(__rlimit_resource resource, rlim_t most) {
  const rlimit value{most, most};
  ::setrlimit(resource, &value);
}

// "o" and the traces, or "e", the error's code and its message.
std::string answer_of(const Result<std::vector<Trace>>& traces) {
  if (traces) return "o" + traces_to_bytes(*traces);
  const char code = static_cast<char>('0' + static_cast<int>(traces.error().code()));
  return std::string("e") + code + traces.error().message();
}

Result<std::vector<Trace>> traces_of(std::string_view answer, const std::string& name) {
  if (answer.starts_with('e') && answer.size() > 2) {
    return Error(static_cast<Errc>(answer[1] - '0'), std::string(answer.substr(2)));
  }
  auto traces = traces_from_bytes(answer.substr(1));
  if (!traces) return std::move(traces).error().with_context(name);
  return traces;
}

[[noreturn]] void read_and_answer(const DatBytes& file, const ExplainOptions& options, int to) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int crash : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) ::signal(crash, SIG_DFL);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, kMostCpuSeconds);
  if (kLimitsAddresses) limit(RLIMIT_AS, kMostMemory);
  std::string answer;
  try {
    answer = answer_of(read_trace_dat(file, options));
  } catch (const std::bad_alloc&) {
    answer = answer_of(Error(Errc::kBadData, file.name() + ": needs too much memory"));
  }
  const auto written = write_all(to, answer, "the pipe");
  ::_exit(written ? 0 : 1);
}

// All that comes until the other end is closed; empty when it is too much.
std::string read_answer(int from) {
  std::string answer;
  std::string buffer(size_t{1} << 16, '\0');
  while (answer.size() < kMostAnswer) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return answer;
    answer.append(buffer, 0, static_cast<size_t>(got));
  }
  return {};
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return fmt::format("its reading ended by signal {} ({})", signal, strsignal(signal));
  }
  return fmt::format("its reading ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

Result<std::vector<Trace>> read_trace_dat_apart(const DatBytes& file,
                                                const ExplainOptions& options) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("create a pipe", errno);
  UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno("start a process", errno);
  if (child == 0) read_and_answer(file, options, to.get());
  to.reset();
  const std::string answer = read_answer(from.get());
  from.reset();
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0 || answer.empty()) {
    return Error(Errc::kBadData,
                 fmt::format("{}: damaged, or made to be: {}", file.name(), end_text(status)));
  }
  return traces_of(answer, file.name());
}

Result<std::vector<Trace>> read_trace_dat_apart(const std::filesystem::path& file,
                                                const ExplainOptions& options) {
  RTSWEEP_TRY(const DatBytes bytes, DatBytes::open(file.string()));
  return read_trace_dat_apart(bytes, options);
}

}  // namespace rtsweep
