#include "site/tensor_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/histogram.h"
#include "base/readable_numbers.h"
#include "site/tensor_figures.h"

namespace lectern {
namespace {

using Counts = std::vector<std::int64_t>;

constexpr std::size_t kMostBins = 256;
constexpr int kBarWidth = 4, kBarHeight = 28;

Counts count_elements(const std::vector<Element>& elements, double low, double high) {
  Counts counts(kHistogramBins);
  for (const Element& element : elements) {
    const double value = number(element);
    if (std::isfinite(value)) ++counts[histogram_bin(value, low, high, counts.size())];
  }
  return counts;
}

/// An element or more is seen, beside however many.
std::int64_t bar_height(std::int64_t count, std::int64_t most) {
  const double share = static_cast<double>(count) / static_cast<double>(most);
  return count == 0 ? 0 : std::max<std::int64_t>(1, std::lround(share * kBarHeight));
}

}  // namespace

std::string histogram_html(const form::Tensor& tensor) {
  const bool is_whole = tensor.data && tensor.indices.empty() && tensor.data->size() >= kHistogramBins;
  TensorFigures figures;
  if (is_whole) figures = tensor_figures(*tensor.data);
  if (!is_whole && tensor.stats) figures = tensor_figures(*tensor.stats);
  const double width = figures.max - figures.min;
  if (!figures.known || !(width > 0) || !std::isfinite(width) || tensor.dtype == "bool") return {};
  const Counts counts = is_whole ? count_elements(*tensor.data, figures.min, figures.max) : tensor.histogram;
  if (counts.empty() || counts.size() > kMostBins) return {};
  const auto fullest = std::max_element(counts.begin(), counts.end());
  if (*fullest <= 0) return {};
  std::string bars;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t height = bar_height(counts[i], *fullest);
    if (height > 0)
      bars += fmt::format("M{} {}v-{}h{}v{}z", i * kBarWidth, kBarHeight, height, kBarWidth - 1, height);
  }
  const double step = width / static_cast<double>(counts.size());
  const double from = figures.min + step * static_cast<double>(fullest - counts.begin());
  return fmt::format(
      "<svg class=\"histogram\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" "
      "aria-label=\"Histogram from {} to {}; most elements, {}, from {} to {}\"><path d=\"{}\"/></svg>",
      counts.size() * kBarWidth, kBarHeight, counts.size() * kBarWidth, kBarHeight, show_figure(figures.min),
      show_figure(figures.max), with_separators(static_cast<std::uint64_t>(*fullest)), show_figure(from),
      show_figure(from + step), bars);
}

}  // namespace lectern
