#include "site/tensor_layout.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/dtype.h"
#include "base/readable_numbers.h"
#include "trace/tensor_check.h"

namespace lectern {
namespace {

using Integers = std::vector<std::int64_t>;

constexpr std::int64_t kLargest = std::int64_t{1} << 53;
constexpr std::int64_t kMostDrawn = 64;  // elements of a storage

Integers row_major(const Integers& shape) {
  Integers strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(1, shape[d]), &stride)) stride = kLargest;
  }
  return strides;
}

Integers strides_or_default(const form::Tensor& tensor) {
  return tensor.strides ? *tensor.strides : row_major(tensor.shape);
}

/// An element of the storage: the first index that leads to it, and how many do.
struct Cell {
  std::string index;
  std::int64_t first = 0;  ///< position in the outermost dimension
  int uses = 0;
};

std::vector<Cell> cells(const form::Tensor& tensor, const Integers& strides, std::size_t elements) {
  std::vector<Cell> cells(elements);
  Integers index(tensor.shape.size());
  for (std::int64_t walked = 0; walked <= kMostDrawn * kMostDrawn; ++walked) {
    std::int64_t place = tensor.offset;  // cannot overflow: see strip()
    for (std::size_t d = 0; d < index.size(); ++d) place += index[d] * strides[d];
    if (place >= static_cast<std::int64_t>(elements)) return {};
    Cell& cell = cells[static_cast<std::size_t>(place)];
    if (cell.uses++ == 0) {
      cell.index = fmt::format("{}", fmt::join(index, ","));
      cell.first = index.empty() ? 0 : index.front();
    }
    std::size_t d = index.size();
    while (d > 0 && ++index[d - 1] == tensor.shape[d - 1]) index[--d] = 0;
    if (d == 0) return cells;
  }
  return {};
}

std::string formula(const form::Tensor& tensor, const Integers& strides) {
  constexpr std::array<std::string_view, 6> kNames = {"i", "j", "k", "l", "m", "n"};
  if (tensor.shape.empty() || tensor.shape.size() > kNames.size()) return {};
  std::string places;
  if (tensor.offset != 0) places = std::to_string(tensor.offset);
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (strides[d] == 0) continue;
    if (!places.empty()) places += " + ";
    if (strides[d] != 1) places += with_separators(static_cast<std::uint64_t>(strides[d])) + "\u00B7";
    places += kNames[d];
  }
  const std::span names(kNames.begin(), tensor.shape.size());
  return fmt::format("<p>[{}] is element {}</p>", fmt::join(names, ", "), places.empty() ? "0" : places);
}

std::string strip(const form::Tensor& tensor, const Integers& strides) {
  const std::optional<Dtype> dtype = dtype_from_name(tensor.dtype);
  const std::int64_t elements = dtype ? tensor.storage_bytes / element_size(*dtype) : 0;
  if (elements == 0 || elements > kMostDrawn || is_empty(tensor)) return {};
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] > 1 && strides[d] > kMostDrawn) return {};
  }
  const std::vector<Cell> all = cells(tensor, strides, static_cast<std::size_t>(elements));
  if (all.empty()) return {};
  std::string out = "<ol class=\"strip\" start=\"0\">";
  for (const Cell& cell : all) {
    if (cell.uses == 0) {
      out += "<li class=\"unused\">\u00B7</li>";
      continue;
    }
    const bool odd = tensor.shape.size() > 1 && cell.first % 2 != 0;
    out += fmt::format("<li{}>{}{}</li>", odd ? " class=\"odd\"" : "", cell.index,
                       cell.uses > 1 ? fmt::format("<i> \u00D7{}</i>", cell.uses) : "");
  }
  return out + "</ol>";
}

}  // namespace

bool is_contiguous(const form::Tensor& tensor) {
  if (is_empty(tensor)) return true;
  const Integers wanted = row_major(tensor.shape), strides = strides_or_default(tensor);
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (tensor.shape[d] != 1 && strides[d] != wanted[d]) return false;
  }
  return true;
}

std::string extent_attributes(const form::Tensor& tensor) {
  const std::optional<Dtype> dtype = dtype_from_name(tensor.dtype);
  if (!dtype || is_empty(tensor)) return {};
  const Integers strides = strides_or_default(tensor);
  std::int64_t last = tensor.offset;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.shape[d] - 1, strides[d], &reach) ||
        __builtin_add_overflow(last, reach, &last))
      return {};
  }
  const std::int64_t size = element_size(*dtype);
  if (last >= tensor.storage_bytes / size) return {};
  return fmt::format(" data-bytes=\"{}\" data-from=\"{}\" data-to=\"{}\"", tensor.storage_bytes,
                     tensor.offset * size, (last + 1) * size);
}

std::string layout_html(const form::Tensor& tensor) {
  if (tensor.shape.empty()) return {};
  const Integers strides = strides_or_default(tensor);
  const auto bytes = static_cast<std::uint64_t>(tensor.storage_bytes);
  const std::string over =
      bytes == 0 ? std::string() : " over " + counted(bytes, "byte", "bytes") + " of storage";
  std::string out = fmt::format("<details class=\"layout\"><summary>strides [{}]{}</summary>",
                                fmt::join(strides, ", "), over);
  return out + formula(tensor, strides) + strip(tensor, strides) + "</details>";
}

}  // namespace lectern
