#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

// Tensors of which the type says what their dimensions are: what jaxtyping is to Python.
//
//   Float<"batch seq heads hidden"> x = ones({2, 2, 1, 3});
//
// It documents, and it checks when a tensor becomes one: a TensorError names the axis when the number of
// dimensions is another, when a number in the list is not the size of its dimension ("batch 3 height width"),
// or when one name has two sizes ("n n"). `...` stands for any number of dimensions, "" for none. In all else
// it is the tensor: the same storage, the same methods.

namespace lectern {

/// Text as an argument of a template.
template <std::size_t kSize>
struct FixedString {
  consteval FixedString(const char (&literal)[kSize]) { std::copy_n(literal, kSize, text.begin()); }

  constexpr operator std::string_view() const { return {text.data(), kSize - 1}; }

  std::array<char, kSize> text{};
};

/// What an annotation allows the elements to be.
enum class ElementKind : std::uint8_t { floating, integer, boolean, number };

/// A TensorError unless the tensor is what the annotation says.
void check_annotation(ElementKind kind, std::string_view axes, const Tensor& tensor);

template <ElementKind kKind, FixedString kAxes>
class Annotated : public Tensor {
 public:
  Annotated(const Tensor& tensor) : Tensor(tensor) { check_annotation(kKind, kAxes, tensor); }
};

/// Of floating-point numbers.
template <FixedString kAxes>
using Float = Annotated<ElementKind::floating, kAxes>;
/// Of integers.
template <FixedString kAxes>
using Int = Annotated<ElementKind::integer, kAxes>;
template <FixedString kAxes>
using Bool = Annotated<ElementKind::boolean, kAxes>;
/// Of integers or floating-point numbers.
template <FixedString kAxes>
using Num = Annotated<ElementKind::number, kAxes>;

}  // namespace lectern
