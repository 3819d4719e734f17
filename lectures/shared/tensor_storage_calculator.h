// Where the elements of a tensor lie, for readers to try.  @hide file

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lectern/calculator.h>

/// Reads "2, 3, 4"; nothing where that is no list of whole numbers.
inline std::optional<std::vector<std::int64_t>> read_sizes(std::string_view text) {
  std::vector<std::int64_t> sizes;
  std::string item;
  const auto take = [&] {
    const lectern::calculation::TypedNumber typed = lectern::calculation::parse_number(item);
    const double* const number = std::get_if<double>(&typed);
    if (number == nullptr || *number != std::trunc(*number) || std::abs(*number) > 1e12) return false;
    sizes.push_back(static_cast<std::int64_t>(*number));
    item.clear();
    return true;
  };
  if (text.find_first_not_of(' ') == std::string_view::npos) return sizes;
  for (const char c : text) {
    if (c != ',')
      item += c;
    else if (!take())
      return {};
  }
  if (!take()) return {};
  return sizes;
}

/// Where an element of a strided tensor lies in its storage.
inline lectern::CalculatorResult strided_storage(std::string_view dtype, std::string_view shape,
                                                 std::string_view strides, std::int64_t offset,
                                                 std::string_view index) {
  using namespace lectern;
  CalculatorResult out;
  const auto read = [&out](const char* input, std::string_view text) {
    const auto sizes = read_sizes(text);
    if (!sizes) out.refuse(input, "is a list of whole numbers: 4, 8");
    return sizes.value_or(std::vector<std::int64_t>());
  };
  const std::vector<std::int64_t> sizes = read("shape", shape), at = read("index", index);
  std::vector<std::int64_t> steps = read("strides", strides);
  out.expect("offset", static_cast<double>(offset), 0, 1e12);
  double numel = 1;
  for (const std::int64_t size : sizes) {
    if (size < 0) out.refuse("shape", "has a negative size");
    numel *= static_cast<double>(size);
  }
  if (numel > 1e15) out.refuse("shape", "has more than 10¹⁵ elements");
  if (sizes.size() > 8) out.refuse("shape", "has more than 8 dimensions");
  if (out.refused()) return out;

  const std::size_t dims = sizes.size();
  if (steps.empty()) {  // contiguous
    steps.assign(dims, 1);
    for (std::size_t d = dims; d-- > 1;) steps[d - 1] = steps[d] * std::max<std::int64_t>(sizes[d], 1);
  }
  if (steps.size() != dims)
    out.refuse("strides", "needs one for each dimension, " + std::to_string(dims) + " in all, or none");
  if (at.size() != dims) out.refuse("index", "needs one for each dimension, " + std::to_string(dims) + " in all");
  if (out.refused()) return out;
  std::int64_t place = offset, last = offset;
  std::string sum = std::to_string(offset);
  for (std::size_t d = 0; d < dims; ++d) {
    if (steps[d] < 0) out.refuse("strides", "must not be negative: PyTorch has no such tensors");
    if (at[d] < 0 || at[d] >= sizes[d])
      out.refuse("index", std::to_string(at[d]) + " is outside dimension " + std::to_string(d) + " of size " +
                              std::to_string(sizes[d]));
    if (static_cast<double>(steps[d]) * static_cast<double>(sizes[d]) > 1e15) out.refuse("strides", "reach too far");
    if (out.refused()) return out;
    place += at[d] * steps[d];
    last += (sizes[d] - 1) * steps[d];
    sum += " + " + std::to_string(at[d]) + " · " + std::to_string(steps[d]);
  }

  struct Size {
    std::string_view dtype;
    std::int64_t bytes;
  };
  constexpr std::array<Size, 8> kSizes{{{"float64", 8},
                                        {"float32", 4},
                                        {"bfloat16", 2},
                                        {"float16", 2},
                                        {"float8_e4m3fn", 1},
                                        {"int64", 8},
                                        {"int32", 4},
                                        {"uint8", 1}}};
  std::int64_t element = 4;
  for (const Size& each : kSizes) {
    if (each.dtype == dtype) element = each.bytes;
  }
  const auto whole = [](std::int64_t number) { return rounded_number(static_cast<double>(number), 15); };
  out.show("Element in the storage", whole(place), static_cast<double>(place), sum);
  out.show("Byte in the storage", whole(place * element), static_cast<double>(place * element),
           with_noun(element, "byte") + " each");
  out.show("Elements", rounded_number(numel, 15), numel, rounded_bytes(numel * static_cast<double>(element)));
  const double footprint = static_cast<double>((last + 1) * element);
  out.show("Storage needed", rounded_bytes(footprint), footprint, "up to its last element, offset included");

  // The storage, with what the tensor uses of it.
  constexpr std::int64_t kMost = 120;
  CalculatorCells row{"The storage: element by element; coloured what the tensor uses", {}};
  std::vector<std::string> indices(static_cast<std::size_t>(std::min(last + 1, kMost)));
  std::vector<bool> used(indices.size());
  std::vector<std::int64_t> counter(dims);
  bool overlaps = false;
  for (double i = 0; i < std::min(numel, 4096.0); ++i) {
    std::int64_t here = offset;
    std::string text;
    for (std::size_t d = 0; d < dims; ++d) {
      here += counter[d] * steps[d];
      text += (d > 0 ? ", " : "") + std::to_string(counter[d]);
    }
    if (here < static_cast<std::int64_t>(indices.size())) {
      const auto cell = static_cast<std::size_t>(here);
      overlaps = overlaps || used[cell];
      indices[cell] += (used[cell] ? "; [" : "[") + text + "]";
      used[cell] = true;
    }
    for (std::size_t d = dims; d-- > 0;) {
      if (++counter[d] < sizes[d]) break;
      counter[d] = 0;
    }
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    row.cells.push_back({std::to_string(i), used[i] ? 1 : -1, used[i] ? indices[i] : "not used",
                         static_cast<std::int64_t>(i) == place});
  }
  out.cells.push_back(std::move(row));
  if (last + 1 > kMost)
    out.notes.push_back("The first " + std::to_string(kMost) + " elements of the storage are drawn.");
  if (overlaps) out.notes.emplace_back("Several indices lead to one element: writing to one changes the others.");
  return out;
}
LECTERN_CALCULATOR(strided_storage, dtype, shape, strides, offset, index);

inline std::vector<lectern::CalculatorInput> strided_storage_inputs() {
  return {{.name = "dtype",
           .label = "dtype",
           .value = "float32",
           .choices = {"float64", "float32", "bfloat16", "float16", "float8_e4m3fn", "int64", "int32", "uint8"}},
          {.name = "shape", .label = "Shape", .value = "4, 8"},
          {.name = "strides", .label = "Strides, or none", .value = "8, 1"},
          {.name = "offset", .label = "Offset", .unit = "elements", .value = "0"},
          {.name = "index", .label = "Index", .value = "1, 2"}};
}
inline std::vector<lectern::CalculatorPreset> strided_storage_presets() {
  return {{"4 × 8", {{"shape", "4, 8"}}},
          {"its transpose", {{"shape", "8, 4"}, {"strides", "1, 8"}, {"index", "2, 1"}}},
          {"its column 3", {{"shape", "4"}, {"strides", "8"}, {"offset", "3"}, {"index", "1"}}},
          {"expanded", {{"shape", "4, 8"}, {"strides", "0, 1"}, {"index", "3, 2"}}}};
}
