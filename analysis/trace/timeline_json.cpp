// SPDX-License-Identifier: GPL-2.0-or-later

// timelines.json: blocks as short arrays (kind, begin, length, name, priority, flags), so
// that a picture of 300 blocks takes about 15 kB.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/trace/timeline_picture.h"

namespace rtsweep {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostPictures = 1000;
constexpr size_t kLongestText = 400;

// Flags of a block.
constexpr int kVictim = 1, kCutBegin = 2, kCutEnd = 4;

int flags_of(const TimelineBlock& block) {
  return (block.victim ? kVictim : 0) | (block.cut_begin ? kCutBegin : 0) |
         (block.cut_end ? kCutEnd : 0);
}

Json json_of(const TimelineRow& row) {
  Json blocks = Json::array();
  for (const TimelineBlock& block : row.blocks) {
    blocks.push_back({static_cast<int>(block.kind), block.begin_ns, block.end_ns - block.begin_ns,
                      block.name, block.priority, flags_of(block)});
  }
  return {{"cpu", row.cpu}, {"blocks", std::move(blocks)}};
}

Json json_of(const TimelinePicture& picture) {
  Json rows = Json::array();
  for (const TimelineRow& row : picture.rows) rows.push_back(json_of(row));
  Json segments = Json::array();
  for (const TimelineSegment& segment : picture.segments) {
    segments.push_back({segment.begin_ns, segment.end_ns - segment.begin_ns, segment.text});
  }
  return {{"headline", picture.headline},     {"origin_ns", picture.origin_ns},
          {"begin_ns", picture.begin_ns},     {"end_ns", picture.end_ns},
          {"latency_ns", picture.latency_ns}, {"cpu", picture.cpu},
          {"rows", std::move(rows)},          {"segments", std::move(segments)},
          {"left_out", picture.left_out}};
}

std::string text_of(const Json& json) { return json.get<std::string>().substr(0, kLongestText); }

// A length that would run over is none.
int64_t end_after(int64_t begin, int64_t length) {
  int64_t end = 0;
  return length < 0 || __builtin_add_overflow(begin, length, &end) ? begin : end;
}

TimelineBlock block_of(const Json& json) {
  const auto kind = json.at(0).get<int>();
  if (kind < 0 || kind > static_cast<int>(BlockKind::kPreemptOff)) throw std::out_of_range("kind");
  const auto begin = json.at(1).get<int64_t>();
  const int flags = json.at(5).get<int>();
  return {.kind = static_cast<BlockKind>(kind),
          .begin_ns = begin,
          .end_ns = end_after(begin, json.at(2).get<int64_t>()),
          .name = text_of(json.at(3)),
          .priority = text_of(json.at(4)),
          .victim = (flags & kVictim) != 0,
          .cut_begin = (flags & kCutBegin) != 0,
          .cut_end = (flags & kCutEnd) != 0};
}

TimelinePicture picture_of(const Json& json, const TimelinePictureOptions& options) {
  TimelinePicture picture{.headline = text_of(json.at("headline")),
                          .origin_ns = json.at("origin_ns").get<int64_t>(),
                          .begin_ns = json.at("begin_ns").get<int64_t>(),
                          .end_ns = json.at("end_ns").get<int64_t>(),
                          .latency_ns = json.at("latency_ns").get<int64_t>(),
                          .cpu = json.at("cpu").get<int>(),
                          .left_out = json.at("left_out").get<size_t>()};
  // A day is more than any latency; wider numbers would only break the arithmetic of a drawing.
  constexpr int64_t kDay = 86'400'000'000'000;
  if (picture.begin_ns >= picture.end_ns || picture.begin_ns < -kDay || picture.end_ns > kDay ||
      picture.latency_ns < 0 || picture.latency_ns > kDay) {
    throw std::out_of_range("times");
  }
  size_t blocks = 0;
  for (const Json& row : json.at("rows")) {
    if (picture.rows.size() == options.most_rows) break;
    picture.rows.push_back({.cpu = row.at("cpu").get<int>()});
    for (const Json& block : row.at("blocks")) {
      if (++blocks > options.most_blocks) break;
      picture.rows.back().blocks.push_back(block_of(block));
    }
  }
  for (const Json& segment : json.at("segments")) {
    if (picture.segments.size() == options.most_blocks) break;
    const auto begin = segment.at(0).get<int64_t>();
    picture.segments.push_back(
        {begin, end_after(begin, segment.at(1).get<int64_t>()), text_of(segment.at(2))});
  }
  return picture;
}

}  // namespace

std::string timeline_json(const TimelinePicture& picture) {
  return json_of(picture).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string timelines_json(const std::vector<std::optional<TimelinePicture>>& pictures) {
  Json list = Json::array();
  for (const auto& picture : pictures) list.push_back(picture ? json_of(*picture) : Json());
  return list.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<std::vector<std::optional<TimelinePicture>>> parse_timelines(
    std::string_view json, const TimelinePictureOptions& options) {
  std::vector<std::optional<TimelinePicture>> pictures;
  try {
    for (const Json& one : Json::parse(json)) {
      if (pictures.size() == kMostPictures) break;
      pictures.push_back(one.is_null() ? std::nullopt : std::optional(picture_of(one, options)));
    }
  } catch (const Json::exception& wrong) {
    return Error(Errc::kBadData, std::string("timelines: ") + wrong.what());
  } catch (const std::out_of_range& wrong) {
    return Error(Errc::kBadData, std::string("timelines: out of range: ") + wrong.what());
  }
  return pictures;
}

}  // namespace rtsweep
