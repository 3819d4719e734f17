#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

// Tensors whose type documents their dimensions, as jaxtyping does in Python.
//
//   Float<"batch seq heads hidden"> x = ones({2, 2, 1, 3});
//
// The annotation is checked on construction: a TensorError names the axis when the number of dimensions
// differs, when a number in the list is not the dimension's size ("batch 3 height width"), or when one name
// has two sizes ("n n"). `...` stands for any number of dimensions, "" for none. Otherwise it is the tensor:
// the same storage, the same methods.

namespace lectern {

/// A string as a template argument.
template <std::size_t kSize>
struct FixedString {
  consteval FixedString(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text.begin()); }

  constexpr operator std::string_view() const { return {text.data(), kSize - 1}; }

  std::array<char, kSize> text{};
};

/// The element types that an annotation allows.
enum class ElementKind : std::uint8_t { floating, integer, boolean, number };

/// A TensorError unless the tensor matches the annotation.
void check_annotation(ElementKind kind, std::string_view axes, const Tensor& tensor);

/// Of each of the `dims` dimensions of a tensor that matches the annotation, its name there; empty for a size
/// and under `...`.
std::vector<std::string> axis_names(std::string_view axes, std::size_t dims);

template <ElementKind kKind, FixedString kAxes>
class Annotated : public Tensor {
 public:
  Annotated(const Tensor& tensor) : Tensor(tensor) { check_annotation(kKind, kAxes, tensor); }
};

/// Floating-point elements.
template <FixedString kAxes>
using Float = Annotated<ElementKind::floating, kAxes>;
/// Integer elements.
template <FixedString kAxes>
using Int = Annotated<ElementKind::integer, kAxes>;
template <FixedString kAxes>
using Bool = Annotated<ElementKind::boolean, kAxes>;
/// Integer or floating-point elements.
template <FixedString kAxes>
using Num = Annotated<ElementKind::number, kAxes>;

}  // namespace lectern
