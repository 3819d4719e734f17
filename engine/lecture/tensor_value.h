#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>

#include <fmt/core.h>

#include "device/memory_category.h"
#include "ops/einops/annotated.h"
#include "record/value_writer.h"
#include "tensor/finfo.h"
#include "tensor/tensor.h"

/// Tensors and related types as values of a trace (traces/README.md) and as arguments of text("{}", …). Here
/// the stack and the trace meet; neither knows of the other.
namespace lectern {

/// With all its elements where the value's budget allows, else with its corners and statistics, else with its
/// shape alone. Two runs give the same text: storages are numbered in the order in which they are first
/// shown.
void to_value(ValueWriter& out, const Tensor& tensor);
/// One of `count` tensors that are shown together, so that each of them is seen.
void write_tensor_share(ValueWriter& out, const Tensor& tensor, std::size_t count);
/// With the names that the annotation gives to dimensions.
void write_annotated(ValueWriter& out, const Tensor& tensor, std::string_view axes);
template <ElementKind kKind, FixedString kAxes>
void to_value(ValueWriter& out, const Annotated<kKind, kAxes>& tensor) {
  write_annotated(out, tensor, kAxes);
}
/// A field for each category that has bytes.
void to_value(ValueWriter& out, const MemoryByCategory& memory);
void to_value(ValueWriter& out, const FloatInfo& info);
void to_value(ValueWriter& out, const IntegerInfo& info);

// Templates, so that they accept no implicit conversions: every string converts to a Device, every number to
// a Scalar.
namespace values {
void write(ValueWriter& out, const Storage& storage);
void write(ValueWriter& out, Dtype dtype);
void write(ValueWriter& out, const Device& device);
void write(ValueWriter& out, const Sizes& sizes);
void write(ValueWriter& out, const Scalar& scalar);
void write(ValueWriter& out, const TensorItem& item);

template <typename T>
concept PartOfTensor = std::same_as<T, Storage> || std::same_as<T, Dtype> || std::same_as<T, Device> ||
    std::same_as<T, Sizes> || std::same_as<T, Scalar> || std::same_as<T, TensorItem>;
}  // namespace values

template <values::PartOfTensor T>
void to_value(ValueWriter& out, const T& value) {
  values::write(out, value);
}

/// As {fmt} is asked to: a Scalar or a tensor without dimensions as its number, any other tensor as PyTorch
/// prints it.
class NumberFormatter {
 public:
  constexpr auto parse(fmt::format_parse_context& context) {
    auto end = context.begin();
    while (end != context.end() && *end != '}') ++end;
    specification_ = std::string_view(context.begin(), static_cast<std::size_t>(end - context.begin()));
    return end;
  }
  fmt::appender format(const Tensor& tensor, fmt::format_context& context) const;
  fmt::appender format(const Scalar& scalar, fmt::format_context& context) const;
  fmt::appender format(const TensorItem& item, fmt::format_context& context) const;

 private:
  std::string_view specification_;
};

}  // namespace lectern

template <std::derived_from<lectern::Tensor> T>
struct fmt::formatter<T, char> : lectern::NumberFormatter {};
template <>
struct fmt::formatter<lectern::Scalar> : lectern::NumberFormatter {};
template <>
struct fmt::formatter<lectern::TensorItem> : lectern::NumberFormatter {};

// A tensor is a range of tensors, but its text is not that of a range (fmt/ranges.h).
FMT_BEGIN_NAMESPACE
template <typename T, typename Char>
struct is_range;
template <std::derived_from<lectern::Tensor> T, typename Char>
struct is_range<T, Char> : std::false_type {};
FMT_END_NAMESPACE
