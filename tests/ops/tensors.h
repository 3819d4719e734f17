#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tensor/creation.h"

// Tensors to test operations with, and their numbers one by one.

namespace lectern::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr Device kCuda{Device::Type::cuda};

/// A shape as it lies in memory in some way.
struct Laid {
  std::string how;
  Tensor tensor;
};

inline constexpr Dtype kAllDtypes[] = {float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2,
                                       int64,   int32,   int16,   int8,     uint8,         bool_};

/// Contiguous, of multiples of 1/4 from -2 to 2 (of integers from -3 to 3; bool: both), which every dtype
/// holds, and of which float32 computes sums of products without rounding.
Tensor filled(const Sizes& sizes, Dtype dtype, unsigned seed = 1);
/// int64: 0, 1, 2, … in row-major order.
Tensor counting(const Sizes& sizes);
/// Contiguous, of uniform numbers from -1 to 1, rounded to the dtype; the same on every machine.
Tensor uniform(const Sizes& sizes, Dtype dtype, unsigned seed = 1);

using Make = std::function<Tensor(const Sizes&, Dtype)>;

/// `make(sizes, dtype)` in one of the kinds of layouts, of the same shape: contiguous, with the dimensions in
/// reverse order, with steps and an offset, and expanded along each of two dimensions. What has no dimensions
/// has one layout.
inline constexpr unsigned kLayouts = 5;
Laid laid_out(unsigned kind, const Sizes& sizes, Dtype dtype, const Make& make);
/// All of them.
std::vector<Laid> layouts(
    const Sizes& sizes, Dtype dtype, const Make& make = [](const Sizes& s, Dtype d) { return filled(s, d); });

/// The same elements on the CPU, with the same strides: what a GPU's tensor is read from, without any kernel
/// of ours.
Tensor on_host(const Tensor& tensor);
/// The element at `index`. Each call copies it from a GPU: read many from on_host(tensor).
double number(const Tensor& tensor, const Sizes& index);
/// `value` rounded to the dtype, through float for its narrow types; integers wrap around.
double rounded(double value, Dtype dtype);

/// Calls visit(index) for all elements in row-major order.
void for_each_index(const Sizes& sizes, const std::function<void(const Sizes&)>& visit);

/// In the storage, of all elements; counted in elements.
std::set<std::int64_t> places(const Tensor& tensor);

/// Whether both have the same dtype, shape and bits; both contiguous.
bool same_bits(const Tensor& left, const Tensor& right);

}  // namespace lectern::test
