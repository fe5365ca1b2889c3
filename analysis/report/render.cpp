// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/report/render.h"

#include <fmt/format.h>

#include "runner/base/text.h"

namespace rtsweep {
namespace {

struct Format {
  std::string_view name;
  std::string (*render)(const RunReport&);
};

constexpr Format kFormats[] = {{"text", render_text},
                               {"html", render_html},
                               {"json", render_json},
                               {"md", render_markdown},
                               {"junit", render_junit},
                               {"tap", render_tap},
                               {"kcidb", render_kcidb},
                               {"lava", render_lava},
                               {"github", render_github},
                               {"openmetrics", render_openmetrics},
                               {"csv", render_csv}};

}  // namespace

std::vector<std::string> report_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

Result<std::string> render(const RunReport& report, std::string_view format) {
  for (const Format& known : kFormats) {
    if (known.name == format) return known.render(report);
  }
  const std::vector<std::string> names = report_formats();
  const auto nearest = nearest_word(format, names);
  return Error(
      Errc::kInvalidPlan,
      fmt::format("unknown report format '{}'{} (there are: {})", format,
                  nearest ? fmt::format(", did you mean '{}'?", *nearest) : "", join(names, ", ")));
}

}  // namespace rtsweep
