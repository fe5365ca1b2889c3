// SPDX-License-Identifier: GPL-2.0-or-later

// [capture]: what is kept of outliers, those past [measure] breakpoint_us.

#include <algorithm>
#include <cctype>

#include "runner/plan/plan_sections.h"
#include "runner/plan/words.h"

namespace rtsweep {
namespace {

using Reader = PlanReader;
using Node = toml::node;

template <typename To, typename From>
void take(To& to, std::optional<From> value) {
  if (value) to = static_cast<To>(*std::move(value));
}

const std::vector<std::string> kMethods = {"auto", "trigger", "break"};

// Names go into files of tracefs as they are: nothing but what names are made of.
bool is_name(std::string_view text, std::string_view also) {
  return !text.empty() && std::ranges::all_of(text, [also](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || also.find(static_cast<char>(c)) != also.npos;
  });
}

std::vector<std::string> names(Reader& reader, const char* key, const Node& node,
                               std::string_view also, const char* example) {
  std::vector<std::string> names;
  for (const Reader::Item& item : reader.texts(key, node)) {
    if (is_name(item.text, also)) {
      names.push_back(item.text);
    } else {
      reader.refuse(item.where, std::string(key) + " has " + shown_word(item.text) +
                                    ", but wants names such as \"" + example + "\"");
    }
  }
  return names;
}

const PlanKey kKeys[] = {
    {"method", "\"auto\"",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.capture.method, reader.word("method", node, kMethods));
     }},
    {"keep_first", "5",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.capture.keep_first, reader.integer("keep_first", node, {0, 1000}));
     }},
    {"keep_worst", "10",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.capture.keep_worst, reader.integer("keep_worst", node, {1, 1000}));
     }},
    {"window_us", "5000",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.capture.window_us, reader.integer("window_us", node, {100, 60'000'000}));
     }},
    {"buffer_kib", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.capture.buffer_kib, reader.integer("buffer_kib", node, {64, 1'048'576}));
     }},
    {"limit_kib", "65536",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.capture.limit_kib, reader.integer("limit_kib", node, {64, 4'194'304}));
     }},
    {"stacks", "true",
     [](Reader& reader, const Node& node, Plan& plan) {
       take(plan.capture.stacks, reader.boolean("stacks", node));
     }},
    {"events", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       plan.capture.events = names(reader, "events", node, ":/", "net:netif_rx");
     }},
    {"functions", "",
     [](Reader& reader, const Node& node, Plan& plan) {
       plan.capture.functions = names(reader, "functions", node, "*?.", "tick_*");
     }},
};

}  // namespace

const PlanSection& capture_section() {
  static const PlanSection kCapture = {"[capture]", kKeys};
  return kCapture;
}

void read_capture(PlanReader& reader, const toml::node& node, Plan& plan) {
  const auto* table = reader.table("capture", node);
  if (table == nullptr) return;
  read_section(reader, *table, capture_section(), plan);
  if (plan.capture.breakpoint_us == 0) {
    reader.refuse(node.source(),
                  "[capture] says what is kept of outliers: it needs breakpoint_us in [measure], "
                  "from which latency on a sample is one");
  }
}

}  // namespace rtsweep
