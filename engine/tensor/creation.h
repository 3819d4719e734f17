#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "tensor/tensor.h"

namespace lectern {

/// Options of a new tensor: zeros({4, 8}, {.dtype = bfloat16, .device = "cuda"}).
struct TensorOptions {
  std::optional<Dtype> dtype = {};    ///< float32, or inferred from the values
  std::optional<Device> device = {};  ///< default_device()
  bool requires_grad = false;
};

/// This thread's default device for new tensors; the CPU initially. A TensorError when there is no such
/// device.
Device default_device();
void set_default_device(Device device);

/// Nested lists of values, as in tensor({{1., 2, 3}, {4, 5, 6}}).
class NestedList {
 public:
  NestedList(Scalar value) : value_(value) {}
  template <typename T>
  requires std::is_arithmetic_v<T> NestedList(T value) : value_(Scalar(value)) {}
  NestedList(std::initializer_list<NestedList> items) : value_(false), is_list_(true), items_(items) {}
  template <typename T>
  requires std::convertible_to<T, NestedList> NestedList(const std::vector<T>& items)
      : value_(false), is_list_(true), items_(items.begin(), items.end()) {}

  bool is_list() const { return is_list_; }
  const Scalar& value() const { return value_; }
  const std::vector<NestedList>& items() const { return items_; }

 private:
  Scalar value_;
  bool is_list_ = false;
  std::vector<NestedList> items_;
};

/// bool_ for bools, int64 for integers, float32 if any value is real. A TensorError when rows differ in
/// length.
Tensor tensor(const NestedList& values, const TensorOptions& options = {});

/// Uninitialised; but see device/deterministic.h.
Tensor empty(const Sizes& sizes, const TensorOptions& options = {});
Tensor zeros(const Sizes& sizes, const TensorOptions& options = {});
Tensor ones(const Sizes& sizes, const TensorOptions& options = {});
/// Without a dtype, the value's: bool_, int64, float32.
Tensor full(const Sizes& sizes, const Scalar& value, const TensorOptions& options = {});
Tensor empty_like(const Tensor& like, const TensorOptions& options = {});
Tensor zeros_like(const Tensor& like, const TensorOptions& options = {});
Tensor ones_like(const Tensor& like, const TensorOptions& options = {});
Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options = {});
/// start, start + step, … before `end`: ceil((end - start) / step) values. int64 for integers, else float32.
/// A TensorError for a step of 0, an end that lies before start in the direction of step, and what is not
/// finite.
Tensor arange(const Scalar& end, const TensorOptions& options = {});
Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step = 1,
              const TensorOptions& options = {});
/// `steps` values from `start` to `end` inclusive, by default float32. Of integers both lose their fractions
/// first. A TensorError for fewer than 0 steps, and for what an integer can't hold.
Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps,
                const TensorOptions& options = {});
/// Ones on the diagonal of n × m zeros, or n × n; by default float32.
Tensor eye(std::int64_t n, std::optional<std::int64_t> m = {}, const TensorOptions& options = {});

/// A contiguous tensor over external memory; on the CPU unless the options name the memory's device. `owner`
/// keeps the memory alive and is destroyed with the last view.
Tensor from_blob(void* data, const Sizes& sizes, std::function<void()> owner,
                 const TensorOptions& options = {});

}  // namespace lectern
