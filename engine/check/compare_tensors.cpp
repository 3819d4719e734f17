#include "check/compare_tensors.h"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "trace/json_fields.h"

namespace lectern {
namespace {

/// Fields that are zero or false are left out of a trace.
std::string shown(const Json& value, const char* absent = "nothing") {
  return value.is_null() ? absent : value.is_string() ? value.get<std::string>() : value.dump();
}

const char* absent_value(std::string_view property) {
  return property == "requires_grad" ? "false" : property == "offset" ? "0" : "nothing";
}

/// The position of element `at` of "data" in the tensor: through "indices" when it is a summary.
std::vector<std::int64_t> index_of(std::size_t at, const Json& tensor) {
  const Json indices = member_or_null(tensor, "indices"), shape = member_or_null(tensor, "shape");
  std::vector<std::int64_t> index;
  if (!shape.is_array()) return index;
  const bool summary = indices.is_array() && indices.size() == shape.size();
  index.assign(shape.size(), 0);
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    const bool listed = summary && indices[dim].is_array();
    const std::size_t size = listed                            ? indices[dim].size()
                             : shape[dim].is_number_unsigned() ? shape[dim].get<std::size_t>()
                                                               : 0;
    if (size == 0) return {};
    const std::size_t position = at % size;
    at /= size;
    const bool named = listed && indices[dim][position].is_number_integer();
    index[dim] = named ? indices[dim][position].get<std::int64_t>() : static_cast<std::int64_t>(position);
  }
  return index;
}

ValueDifference with_message(std::string message) {
  return {.message = std::move(message)};
}

/// The numbers, element by element.
std::optional<ValueDifference> compare_data(const Json& old_tensor, const Json& new_tensor,
                                            const Tolerance& tolerance) {
  const Json old_data = member_or_null(old_tensor, "data"), new_data = member_or_null(new_tensor, "data");
  if (old_data == new_data) return std::nullopt;
  if (!old_data.is_array() || !new_data.is_array() || old_data.size() != new_data.size() ||
      member_or_null(old_tensor, "indices") != member_or_null(new_tensor, "indices"))
    return with_message("other elements are shown");
  ValueDifference difference{.message = {}, .elements = old_data.size()};
  std::size_t worst = 0;
  double worst_excess = -1;
  for (std::size_t i = 0; i < old_data.size(); ++i) {
    const Json &old_element = old_data[i], &new_element = new_data[i];
    const auto old_number = number_of(old_element), new_number = number_of(new_element);
    const bool inexact =
        old_number && new_number && !(old_element.is_number_integer() && new_element.is_number_integer());
    if (inexact ? is_close(*old_number, *new_number, tolerance) : old_element == new_element) continue;
    ++difference.differing;
    const double distance = old_number && new_number ? std::abs(*new_number - *old_number) : 1;
    // NaN and infinities against numbers are worse than any distance.
    const double excess = std::isfinite(distance) ? distance : std::numeric_limits<double>::infinity();
    if (excess <= worst_excess) continue;
    worst_excess = excess;
    worst = i;
    difference.largest = excess;
    difference.relative = old_number && *old_number != 0 ? excess / std::abs(*old_number) : excess;
  }
  if (difference.differing == 0) return std::nullopt;
  difference.worst = index_of(worst, new_tensor);
  const bool scalar = difference.elements == 1;
  difference.message =
      scalar ? ""
             : fmt::format("{} of {} elements{}, worst at [{}]: ", difference.differing, difference.elements,
                           member_or_null(new_tensor, "indices").is_null() ? "" : " shown",
                           fmt::join(difference.worst, ", "));
  difference.message += number_text(old_data[worst]) + " → " + number_text(new_data[worst]);
  if (std::isfinite(difference.largest)) {
    difference.message += fmt::format(" (by {:.2g}", difference.largest);
    if (std::isfinite(difference.relative) && difference.relative > 0 &&
        difference.relative != difference.largest)
      difference.message += fmt::format(", {:.2g} of it", difference.relative);
    difference.message += ")";
  }
  return difference;
}

/// Of summaries: what is known of the elements that are not shown.
std::optional<ValueDifference> compare_statistics(const Json& old_tensor, const Json& new_tensor,
                                                  const Tolerance& tolerance) {
  const Json old_stats = member_or_null(old_tensor, "stats"), new_stats = member_or_null(new_tensor, "stats");
  for (const char* const name : {"min", "max", "mean", "std", "nan", "inf"}) {
    const Json old_figure = old_stats.is_object() ? member_or_null(old_stats, name) : Json();
    const Json new_figure = new_stats.is_object() ? member_or_null(new_stats, name) : Json();
    if (old_figure == new_figure) continue;
    const auto old_number = number_of(old_figure), new_number = number_of(new_figure);
    const bool count = std::string_view(name) == "nan" || std::string_view(name) == "inf";
    if (!count && old_number && new_number && is_close(*old_number, *new_number, tolerance)) continue;
    return with_message(fmt::format("{} of all elements: {} → {}", name,
                                    shown(old_figure, count ? "0" : "nothing"),
                                    shown(new_figure, count ? "0" : "nothing")));
  }
  return std::nullopt;
}

}  // namespace

std::optional<ValueDifference> compare_tensors(const Json& old_tensor, const Json& new_tensor,
                                               const std::string& name, const Comparison& comparison) {
  for (const char* const property :
       {"type", "dtype", "shape", "device", "strides", "offset", "requires_grad"}) {
    const Json old_property = member_or_null(old_tensor, property),
               new_property = member_or_null(new_tensor, property);
    if (old_property != new_property)
      return with_message(fmt::format("{} {} → {}", property, shown(old_property, absent_value(property)),
                                      shown(new_property, absent_value(property))));
  }
  const Json old_storage = member_or_null(old_tensor, "storage"),
             new_storage = member_or_null(new_tensor, "storage");
  if (comparison.storages != nullptr && old_storage.is_number_integer() && new_storage.is_number_integer() &&
      !comparison.storages->same(old_storage.get<std::int64_t>(), new_storage.get<std::int64_t>()))
    return with_message("shares its memory with other tensors than before");
  const Json dtype = member_or_null(new_tensor, "dtype");
  const Tolerance tolerance =
      comparison.tolerances.of(name, dtype.is_string() ? dtype.get_ref<const std::string&>() : "");
  if (auto difference = compare_data(old_tensor, new_tensor, tolerance)) return difference;
  return compare_statistics(old_tensor, new_tensor, tolerance);
}

}  // namespace lectern
