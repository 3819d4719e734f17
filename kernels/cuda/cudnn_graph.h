#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "device/cudnn.h"

// Graphs of operations for cuDNN, which runs one as a whole if it has an engine for what it recognises there.

namespace lectern::kernels::cuda {

/// Owns a descriptor of cuDNN's. Everything that fails is a TensorError.
class CudnnDescriptor {
 public:
  explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);
  ~CudnnDescriptor();
  CudnnDescriptor(CudnnDescriptor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }

  cudnnBackendDescriptor_t get() const { return handle_; }
  void finalize();

  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
           const void* values);
  template <typename T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T& value) {
    set(name, type, 1, &value);
  }
  void set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value.handle_);
  }
  void set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values) {
    set(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
  }

  /// Up to `count` values; returns how many there are. Descriptors are written into those that `values` has.
  std::int64_t read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                    void* values) const;

 private:
  cudnnBackendDescriptor_t handle_ = nullptr;
};

/// What a plan is made for: a handle's device; or one that is described, where there need be none. One of
/// them is null.
struct CudnnTarget {
  cudnnHandle_t handle;
  const CudnnDescriptor* properties;
};

/// The memory of a graph's tensors by their numbers: on the device, for values on the host.
class CudnnMemory {
 public:
  /// Nothing for the number 0, of a tensor that a graph does not have.
  void add(std::int64_t tensor, const void* memory) {
    if (tensor == 0) return;
    tensors_.push_back(tensor);
    memory_.push_back(const_cast<void*>(memory));
  }
  std::span<const std::int64_t> tensors() const { return tensors_; }
  std::span<void* const> memory() const { return memory_; }

 private:
  std::vector<std::int64_t> tensors_;
  std::vector<void*> memory_;
};

/// What an engine may do and take.
struct CudnnDemands {
  bool keeps_float32 = false;  ///< instead of rounding operands to TF32; of graphs of float32
  std::int64_t most_workspace_bytes = INT64_MAX;
  bool is_deterministic = true;  ///< the same bits each time
};

/// Of a convolution over height and width.
struct CudnnWindows {
  std::array<std::int64_t, 2> stride, dilation, padding;

  friend auto operator<=>(const CudnnWindows&, const CudnnWindows&) = default;
};
enum class CudnnDirection : std::uint8_t { forward, input_gradient, weight_gradient };

/// A graph that cuDNN runs, for all threads, though one after the other: cuDNN does not promise more.
class CudnnPlan {
 public:
  CudnnPlan(CudnnDescriptor plan, std::vector<CudnnDescriptor> parts);

  std::int64_t workspace_bytes() const { return workspace_bytes_; }
  /// Enqueues it on the handle's stream, with `workspace` on the device.
  void run(cudnnHandle_t handle, const CudnnMemory& memory, void* workspace) const;

 private:
  CudnnDescriptor plan_;
  std::vector<CudnnDescriptor> parts_;  ///< which it refers to
  std::int64_t workspace_bytes_ = 0;
  mutable std::mutex mutex_;
};

/// Operations, in the order in which they are added, on tensors of four dimensions.
class CudnnGraph {
 public:
  using Sizes = std::array<std::int64_t, 4>;
  /// Of one of the graph's tensors.
  using TensorNumber = std::int64_t;
  enum class Kind : std::uint8_t { memory, temporary, host_value };

  TensorNumber tensor(cudnnDataType_t type, Kind kind, const Sizes& sizes, const Sizes& strides);
  /// Of contiguous memory, or a temporary.
  TensorNumber tensor(cudnnDataType_t type, Kind kind, const Sizes& sizes) {
    return tensor(type, kind, sizes, contiguous(sizes));
  }
  TensorNumber host_value() { return tensor(CUDNN_DATA_FLOAT, Kind::host_value, {1, 1, 1, 1}); }
  static Sizes contiguous(const Sizes& sizes);

  /// out = mode(in…), computed in `compute`; the numbers of dimension `axis` for CUDNN_POINTWISE_GEN_INDEX.
  void pointwise(cudnnPointwiseMode_t mode, TensorNumber out, std::initializer_list<TensorNumber> in,
                 cudnnDataType_t compute = CUDNN_DATA_FLOAT, std::int64_t axis = -1);
  void matmul(TensorNumber out, TensorNumber a, TensorNumber b);
  /// Along the dimensions of which `out` has one element.
  void reduction(cudnnReduceTensorOp_t mode, TensorNumber out, TensorNumber in);
  /// The same numbers with other sizes and strides.
  void reshape(TensorNumber out, TensorNumber in);

  /// Of contiguous input, weight and output, or, in place of the result of forward, their gradients: which of
  /// them is computed, the direction says. Weights of fewer channels than the input has make groups.
  void convolution(CudnnDirection direction, TensorNumber input, TensorNumber weight, TensorNumber output,
                   const CudnnWindows& windows);

  /// By the engine that cuDNN's heuristics rank first among those that meet the demands; null if there is
  /// none. Slow: some engines are compiled then.
  std::shared_ptr<const CudnnPlan> plan(const CudnnTarget& target, const CudnnDemands& demands = {}) const;

 private:
  CudnnDescriptor& operation(cudnnBackendDescriptorType_t type);
  const CudnnDescriptor& of(TensorNumber tensor) const;
  const CudnnDescriptor& part(CudnnDescriptor made);

  std::vector<CudnnDescriptor> tensors_;  ///< by their numbers, which begin at 1
  std::vector<std::unique_ptr<CudnnDescriptor>> parts_;
  std::vector<CudnnDescriptor> operations_;
};

}  // namespace lectern::kernels::cuda
