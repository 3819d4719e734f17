#include "check/compare_tensors.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trace/encode.h"
#include "trace/tensor_check.h"

namespace lectern {
namespace {

std::string property_text(const std::string& text) {
  return text.empty() ? "nothing" : text;
}
template <typename T>
std::string property_text(const std::optional<T>& property) {
  return property ? to_json(*property) : "nothing";
}
template <typename T>
std::string property_text(const T& property) {
  return to_json(property);
}

/// What is said of the first property that differs; empty when none does.
std::string property_change(const Value& old_value, const Value& new_value) {
  const form::Tensor &before = *old_value.tensor(), &now = *new_value.tensor();
  std::string change;
  const auto compare = [&](const char* name, const auto& old_property, const auto& new_property) {
    if (change.empty() && old_property != new_property)
      change = fmt::format("{} {} → {}", name, property_text(old_property), property_text(new_property));
  };
  compare("type", old_value.type, new_value.type);
  compare("dtype", before.dtype, now.dtype);
  compare("shape", before.shape, now.shape);
  compare("names", before.names, now.names);
  compare("device", before.device, now.device);
  compare("strides", before.strides, now.strides);
  compare("offset", before.offset, now.offset);
  compare("requires_grad", before.requires_grad, now.requires_grad);
  return change;
}

/// The index in the tensor of an element of its data.
std::vector<std::int64_t> element_index(std::size_t element, const form::Tensor& tensor) {
  const std::vector<std::vector<std::int64_t>> positions = data_positions(tensor);
  std::vector<std::int64_t> index(positions.size());
  for (std::size_t dim = positions.size(); dim-- > 0;) {
    index[dim] = positions[dim][element % positions[dim].size()];
    element /= positions[dim].size();
  }
  return index;
}

std::string element_text(const Element& element) {
  return std::visit([](auto number) { return exact_text(number); }, element);
}

bool same_element(const Element& before, const Element& now, const Tolerance& tolerance) {
  const bool inexact = std::holds_alternative<double>(before) || std::holds_alternative<double>(now);
  return inexact ? is_close(number(before), number(now), tolerance) : before == now;
}

std::string distance_text(const ValueDifference& difference) {
  if (!std::isfinite(difference.largest)) return {};
  const bool relative = std::isfinite(difference.relative) && difference.relative > 0 &&
                        difference.relative != difference.largest;
  return fmt::format(" (by {:.2g}{})", difference.largest,
                     relative ? fmt::format(", {:.2g} of it", difference.relative) : "");
}

std::optional<ValueDifference> compare_data(const form::Tensor& old_tensor, const form::Tensor& new_tensor,
                                            const Tolerance& tolerance) {
  if (old_tensor.data == new_tensor.data) return std::nullopt;
  if (!old_tensor.data || !new_tensor.data || old_tensor.data->size() != new_tensor.data->size() ||
      old_tensor.indices != new_tensor.indices)
    return ValueDifference{.message = "other elements are shown"};
  const std::vector<Element>&before = *old_tensor.data, &now = *new_tensor.data;
  ValueDifference difference{.message = {}, .elements = before.size()};
  std::size_t worst = 0;
  difference.largest = -1;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (same_element(before[i], now[i], tolerance)) continue;
    ++difference.differing;
    const double old_number = number(before[i]), distance = std::abs(number(now[i]) - old_number);
    // NaN and infinities against numbers are worse than any distance.
    const double excess = std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
    if (excess <= difference.largest) continue;
    worst = i;
    difference.largest = excess;
    difference.relative = old_number != 0 ? excess / std::abs(old_number) : excess;
  }
  if (difference.differing == 0) return std::nullopt;
  difference.worst = element_index(worst, new_tensor);
  if (difference.elements > 1) {
    difference.message =
        fmt::format("{} of {} elements{}, worst at [{}]: ", difference.differing, difference.elements,
                    new_tensor.indices.empty() ? "" : " shown", fmt::join(difference.worst, ", "));
  }
  difference.message +=
      element_text(before[worst]) + " → " + element_text(now[worst]) + distance_text(difference);
  return difference;
}

bool same_figure(std::uint64_t before, std::uint64_t now, const Tolerance& /*tolerance*/) {
  return before == now;
}
bool same_figure(const std::optional<Element>& before, const std::optional<Element>& now,
                 const Tolerance& tolerance) {
  return before == now || (before && now && is_close(number(*before), number(*now), tolerance));
}

/// Of summaries: what is known of the elements that are not shown.
std::optional<ValueDifference> compare_statistics(const form::Tensor& old_tensor,
                                                  const form::Tensor& new_tensor,
                                                  const Tolerance& tolerance) {
  const form::Statistics before = old_tensor.stats.value_or(form::Statistics()),
                         now = new_tensor.stats.value_or(form::Statistics());
  std::optional<ValueDifference> difference;
  for_each_field<form::Statistics>([&](const auto& field) {
    const auto &old_figure = before.*field.member, &new_figure = now.*field.member;
    if (difference || same_figure(old_figure, new_figure, tolerance)) return;
    difference =
        ValueDifference{.message = fmt::format("{} of all elements: {} → {}", field.name,
                                               property_text(old_figure), property_text(new_figure))};
  });
  return difference;
}

}  // namespace

std::optional<ValueDifference> compare_tensors(const Value& old_value, const Value& new_value,
                                               const std::string& name, const Comparison& comparison) {
  if (std::string change = property_change(old_value, new_value); !change.empty())
    return ValueDifference{.message = std::move(change)};
  const form::Tensor &before = *old_value.tensor(), &now = *new_value.tensor();
  if (comparison.storages != nullptr && before.storage != 0 && now.storage != 0 &&
      !comparison.storages->same(before.storage, now.storage))
    return ValueDifference{.message = "shares its memory with other tensors than before"};
  const Tolerance tolerance = comparison.tolerances.find(name, now.dtype);
  if (auto difference = compare_data(before, now, tolerance)) return difference;
  return compare_statistics(before, now, tolerance);
}

}  // namespace lectern
