#include "site/tensor_layout.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "site/html.h"
#include "site/numbers.h"
#include "site/tensor_numbers.h"
#include "trace/json_fields.h"

namespace lectern {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 53;
constexpr std::size_t kMostDims = 16;
constexpr std::uint64_t kMostDrawn = 64;  // elements of a storage

std::optional<TensorValue::Integers> integers(const Json& value, const char* name, std::int64_t limit) {
  const auto found = value.find(name);
  if (found == value.end() || !found->is_array()) return {};
  TensorValue::Integers all;
  for (const Json& item : *found) {
    if (!item.is_number_integer()) return {};
    const auto number = item.get<std::int64_t>();
    if (number < 0 || number > limit) return {};
    all.push_back(number);
  }
  return all;
}

TensorValue::Integers row_major(const TensorValue::Integers& shape) {
  TensorValue::Integers strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<std::int64_t>(1, shape[d]), &stride)) stride = kLargest;
  }
  return strides;
}

bool read_positions(const Json& value, TensorValue& tensor) {
  if (tensor.empty()) {
    tensor.positions.resize(tensor.shape.size());
    return tensor.numbers.empty();
  }
  const auto found = value.find("indices");
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    TensorValue::Integers& positions = tensor.positions.emplace_back();
    if (found == value.end()) {
      if (tensor.shape[d] > static_cast<std::int64_t>(tensor.numbers.size())) return false;
      for (std::int64_t i = 0; i < tensor.shape[d]; ++i) positions.push_back(i);
      continue;
    }
    if (!found->is_array() || found->size() != tensor.shape.size()) return false;
    for (const Json& item : (*found)[d].is_array() ? (*found)[d] : Json::array({-1})) {
      if (!item.is_number_unsigned()) return false;
      const auto at = item.get<std::uint64_t>();
      if (at >= static_cast<std::uint64_t>(tensor.shape[d])) return false;
      if (!positions.empty() && static_cast<std::int64_t>(at) <= positions.back()) return false;
      positions.push_back(static_cast<std::int64_t>(at));
    }
  }
  std::size_t count = 1;
  for (const TensorValue::Integers& positions : tensor.positions) {
    if (__builtin_mul_overflow(count, positions.size(), &count)) return false;
  }
  return count == tensor.numbers.size();
}

/// What each element of the storage is: the first index that leads to it, and how many do.
struct Cell {
  std::string index;
  std::int64_t first = 0;  ///< position in the outermost dimension
  int uses = 0;
};

std::vector<Cell> cells(const TensorValue& tensor, std::uint64_t elements) {
  std::vector<Cell> cells(elements);
  TensorValue::Integers index(tensor.shape.size());
  for (std::uint64_t walked = 0; walked <= kMostDrawn * kMostDrawn; ++walked) {
    std::int64_t place = tensor.offset;  // none of these numbers is large: see strip()
    for (std::size_t d = 0; d < index.size(); ++d) place += index[d] * tensor.strides[d];
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

std::string formula(const TensorValue& tensor) {
  constexpr std::array<std::string_view, 6> kNames = {"i", "j", "k", "l", "m", "n"};
  if (tensor.shape.empty() || tensor.shape.size() > kNames.size()) return {};
  std::string places;
  if (tensor.offset != 0) places = std::to_string(tensor.offset);
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.strides[d] == 0) continue;
    if (!places.empty()) places += " + ";
    if (tensor.strides[d] != 1)
      places += with_separators(static_cast<std::uint64_t>(tensor.strides[d])) + "\u00B7";
    places += kNames[d];
  }
  const std::span names(kNames.begin(), tensor.shape.size());
  return fmt::format("<p>[{}] is element {}</p>", fmt::join(names, ", "), places.empty() ? "0" : places);
}

std::string strip(const TensorValue& tensor) {
  const std::uint64_t size = tensor.element_size();
  const std::uint64_t elements = size == 0 ? 0 : tensor.storage_bytes / size;
  if (elements == 0 || elements > kMostDrawn || tensor.empty()) return {};
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    if (tensor.shape[d] > 1 && tensor.strides[d] > static_cast<std::int64_t>(kMostDrawn)) return {};
  }
  const std::vector<Cell> all = cells(tensor, elements);
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

bool TensorValue::empty() const {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

bool TensorValue::whole() const {
  if (!has_numbers || empty()) return has_numbers;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (static_cast<std::int64_t>(positions[d].size()) != shape[d]) return false;
  }
  return true;
}

bool TensorValue::contiguous() const {
  if (empty()) return true;
  const Integers wanted = row_major(shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && strides[d] != wanted[d]) return false;
  }
  return true;
}

std::uint64_t TensorValue::element_size() const {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 12> kSizes = {{
      {"float64", 8},
      {"float32", 4},
      {"float16", 2},
      {"bfloat16", 2},
      {"float8_e4m3fn", 1},
      {"float8_e5m2", 1},
      {"int64", 8},
      {"int32", 4},
      {"int16", 2},
      {"int8", 1},
      {"uint8", 1},
      {"bool", 1},
  }};
  const auto found =
      std::find_if(kSizes.begin(), kSizes.end(), [&](const auto& entry) { return entry.first == dtype; });
  return found == kSizes.end() ? 0 : found->second;
}

std::optional<TensorValue> read_tensor(const Json& value) {
  TensorValue tensor;
  tensor.dtype = text_member(value, "dtype");
  tensor.device = text_member(value, "device");
  auto shape = integers(value, "shape", kLargest);
  if (!shape || shape->size() > kMostDims) return {};
  tensor.shape = std::move(*shape);
  tensor.strides = row_major(tensor.shape);
  if (value.contains("strides")) {
    auto strides = integers(value, "strides", kLargest);
    if (!strides || strides->size() != tensor.shape.size()) return {};
    tensor.strides = std::move(*strides);
  }
  const std::uint64_t offset = count_field(value, "offset");
  if (offset > static_cast<std::uint64_t>(kLargest)) return {};
  tensor.offset = static_cast<std::int64_t>(offset);
  tensor.storage = count_field(value, "storage");
  tensor.storage_bytes = count_field(value, "storage_bytes");
  const auto requires_grad = value.find("requires_grad");
  tensor.requires_grad = requires_grad != value.end() && *requires_grad == true;
  if (const auto stats = value.find("stats"); stats != value.end()) tensor.stats = &*stats;
  const auto data = value.find("data");
  tensor.has_numbers = data != value.end();
  if (!tensor.has_numbers) return tensor;
  if (!data->is_array()) return {};
  for (const Json& number : *data) {
    if (!TensorNumbers::is_number(number)) return {};
    tensor.numbers.push_back(&number);
  }
  if (!read_positions(value, tensor)) return {};
  return tensor;
}

std::string storage_letter(std::uint64_t number) {
  constexpr std::uint64_t kThreeLetters = 26 * 26 * 26 + 26 * 26 + 26;
  if (number > kThreeLetters) return std::to_string(number);
  std::string letters;
  for (; number > 0; number = (number - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (number - 1) % 26));
  }
  return letters;
}

std::string layout_html(const TensorValue& tensor) {
  if (tensor.shape.empty()) return {};
  const std::string over = tensor.storage_bytes == 0
                               ? std::string()
                               : " over " + counted(tensor.storage_bytes, "byte", "bytes") + " of storage";
  std::string out = fmt::format("<details class=\"layout\"><summary>strides [{}]{}</summary>",
                                fmt::join(tensor.strides, ", "), over);
  return out + formula(tensor) + strip(tensor) + "</details>";
}

}  // namespace lectern
