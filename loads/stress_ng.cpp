// SPDX-License-Identifier: GPL-2.0-or-later

#include "loads/stress_ng.h"

#include <cctype>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

// "stress-ng: metrc: [14383] stream 803 2.56 ..." to "stream 803 2.56 ...".
std::optional<std::vector<std::string>> metric(std::string_view line) {
  const size_t mark = line.find("stress-ng: metrc: [");
  if (mark == std::string_view::npos) return std::nullopt;
  const size_t end = line.find(']', mark);
  if (end == std::string_view::npos) return std::nullopt;
  return words(line.substr(end + 1));
}

bool is_digits(const std::string& text) {
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
  }
  return !text.empty();
}

// "4142.48" to "4142".
std::string whole(const std::string& number) { return number.substr(0, number.find('.')); }

// The line "cpu 1119 1.21 1.09 0.00 921.11 1025.94 ...": stressor, bogo ops, seconds
// of real, user and system time, bogo ops a second of real time.
std::optional<std::string> bogo_ops(const std::vector<std::string>& fields) {
  if (fields.size() < 6 || !is_digits(fields[1])) return std::nullopt;
  return fields[1] + " bogo ops, " + whole(fields[5]) + " a second";
}

// The line "stream 4142.48 memory read rate (MB per sec) (geometic mean of 2 ...".
std::optional<std::string> rate(const std::vector<std::string>& fields) {
  if (fields.size() < 8 || fields[2] != "memory" || fields[4] != "rate") return std::nullopt;
  if (fields[5] + fields[6] + fields[7] != "(MBpersec)") return std::nullopt;
  return fields[3] + " " + whole(fields[1]) + " MB/s";
}

}  // namespace

std::vector<std::string> stress_ng(const LoadContext& context,
                                   const std::vector<std::string>& stressor) {
  std::vector<std::string> argv = {"stress-ng"};
  argv.insert(argv.end(), stressor.begin(), stressor.end());
  // --timeout 0 is for ever. A worker killed for lack of memory stays away (--oomable):
  // the floor shall see it, where stress-ng would start another one in silence.
  for (const char* option : {"--seed", "1", "--timeout", "0", "--metrics", "--oomable"}) {
    argv.emplace_back(option);
  }
  argv.emplace_back("--temp-path");
  argv.push_back(context.scratch.string());
  return argv;
}

std::optional<std::string> stress_ng_note(std::string_view log) {
  std::optional<std::string> note;
  std::vector<std::string> rates;
  for (const std::string& line : split(log, '\n')) {
    const auto fields = metric(line);
    if (!fields) continue;
    if (const auto ops = bogo_ops(*fields); ops && !note) note = ops;
    if (const auto found = rate(*fields)) rates.push_back(*found);
  }
  if (note && !rates.empty()) *note += "; " + join(rates, ", ") + " per worker";
  if (note && log.find("unsuccessful run") != std::string_view::npos) {
    *note += "; stress-ng says that its run was not successful";
  }
  return note;
}

}  // namespace rtsweep
