// SPDX-License-Identifier: GPL-2.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/measure/trial_sink.h"

namespace rtsweep {

// Files as they travel over a serial line from a VM to its host. One frame a file:
//
//   RTSWEEP2 facts-before.json 5612 5b3c19aa 830\n   name, bytes, CRC-32 (IEEE) of them, packed
//   bytes
//   ...                                             the bytes packed as zlib does (RFC 1950)
//   \n
//
// Packed, because an emulated serial line is slow: cyclictest's histogram of 20,000
// rows is 280 kB of which nearly all are zeros.
//
// A VM that hangs or is killed leaves a torn last frame; the ones before it count.
struct Frame {
  std::string name;
  std::string content;

  bool operator==(const Frame&) const = default;
};

std::string encode_frame(std::string_view name, std::string_view content);

struct Frames {
  std::vector<Frame> frames;
  bool torn = false;    // bytes follow that are not a whole frame (yet)
  std::string problem;  // why the rest cannot be read: a damaged frame; empty if it is only cut off
};

// Reads all whole frames. Names that are not plain file names are refused: the
// stream comes from a machine that may be out of its mind.
Frames decode_frames(std::string_view stream);

// Writes frames to a serial line, in pieces with pauses between them.
class StreamSink : public TrialSink {
 public:
  explicit StreamSink(int fd) : fd_(fd) {}  // stays the caller's
  Result<void> put(std::string_view name, std::string_view content) override;

 private:
  int fd_;
};

}  // namespace rtsweep
