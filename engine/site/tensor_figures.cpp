#include "site/tensor_figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trace/tensor_text.h"

namespace lectern {

std::string show_figure(double value) {
  constexpr double kLargeFrom = 1e6, kSmallBelow = 1e-3;
  const double magnitude = std::fabs(value);
  if (value == std::trunc(value) && magnitude < kLargeFrom) return with_minus(fmt::format("{:.0f}", value));
  if (magnitude >= kLargeFrom || magnitude < kSmallBelow) return scientific_text(value);
  return with_minus(
      fmt::format("{:.{}f}", value, std::max(0, 2 - static_cast<int>(std::floor(std::log10(magnitude))))));
}

TensorFigures TensorFigures::of(const std::vector<Element>& elements) {
  TensorFigures figures;
  double count = 0, squares = 0;
  for (const Element& element : elements) {
    const double value = number(element);
    if (!std::isfinite(value)) {
      ++(std::isnan(value) ? figures.nan : figures.inf);
      continue;
    }
    figures.min = figures.known ? std::min(figures.min, value) : value;
    figures.max = figures.known ? std::max(figures.max, value) : value;
    figures.known = true;
    const double distance = value - figures.mean;
    figures.mean += distance / ++count;
    squares += distance * (value - figures.mean);
  }
  figures.has_std = count > 1;
  if (figures.has_std) figures.std = std::sqrt(squares / (count - 1));
  return figures;
}

TensorFigures TensorFigures::of(const form::Statistics& statistics) {
  TensorFigures figures;
  const auto read = [](const std::optional<Element>& element, double& value) {
    if (!element || !std::isfinite(number(*element))) return false;
    value = number(*element);
    return true;
  };
  figures.known = read(statistics.min, figures.min) && read(statistics.max, figures.max) &&
                  read(statistics.mean, figures.mean);
  figures.has_std = read(statistics.std, figures.std);
  figures.nan = statistics.nan;
  figures.inf = statistics.inf;
  return figures;
}

}  // namespace lectern
