// Lecture 3, how its numbers are shown.

#include <algorithm>

#include <fmt/format.h>

#include "parts.h"

std::string loss_plot(const std::vector<Curve>& curves, double from, double to) {
  std::string values;
  for (const Curve& curve : curves) {
    const std::size_t many = std::max<std::size_t>(1, curve.losses.size() / 80);
    for (std::size_t step = 0; step + many <= curve.losses.size(); step += many) {
      double sum = 0;
      for (std::size_t i = 0; i < many; ++i) sum += curve.losses[step + i];
      values += fmt::format(R"({}{{"step": {}, "loss": {:.3f}, "run": "{}"}})",
                            values.empty() ? "" : ", ", step,
                            sum / static_cast<double>(many), curve.name);
    }
  }
  const std::string color =
      curves.size() == 1
          ? ""
          : R"(, "color": {"field": "run", "type": "nominal", "title": null, "sort": null})";
  return fmt::format(R"({{
  "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
  "width": 560, "height": 260,
  "data": {{"values": [{}]}},
  "mark": {{"type": "line", "clip": true}},
  "encoding": {{
    "x": {{"field": "step", "type": "quantitative", "title": "step"}},
    "y": {{"field": "loss", "type": "quantitative", "title": "loss",
          "scale": {{"domain": [{}, {}]}}}}{}
  }}
}})",
                     values, from, to, color);
}
