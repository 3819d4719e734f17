#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/stream.h"
#include "tensor/tensor.h"

namespace lectern::distributed {

/// For messages: "float32 [2, 3]".
std::string signature(const Tensor& tensor);

/// Uninitialised, contiguous, of this shape, dtype and device, each behind the one before.
std::vector<Tensor> adjacent_like(const Tensor& tensor, std::int64_t count);

/// The tensors of a collective as blocks of memory of one device. TensorErrors: undefined tensors, and those
/// of different devices.
class Buffers {
 public:
  explicit Buffers(std::string_view operation) : operation_(operation) {}

  /// The elements, in row-major order: the tensor's memory, or a copy.
  std::byte* input(const Tensor& tensor);
  /// Where the elements will be; with `is_input`, are already. A TensorError for an expanded tensor.
  std::byte* output(const Tensor& tensor, bool is_input = false);

  /// The same of tensors that are alike, on a GPU as one block: what NCCL is asked for must not depend on
  /// where a rank has them, as it would wait for ranks that ask for something else.
  std::vector<std::byte*> inputs(const std::vector<Tensor>& tensors);
  std::vector<std::byte*> outputs(const std::vector<Tensor>& tensors);

  /// Of the tensors so far; the CPU, where there is none.
  Device device() const { return device_.value_or(cpu); }
  /// Whether there are no elements at all.
  bool are_empty() const;
  /// The blocks are used on this stream, and not used again before it is done with them.
  void record_stream(const cuda::Stream& stream) const;

  /// Copies into outputs for which there are blocks; called by the thread that waits.
  void finish() const;

 private:
  void check(const Tensor& tensor);
  void check_output(const Tensor& tensor);
  std::byte* input(const Tensor& tensor, const Tensor& block);
  std::byte* output(const Tensor& tensor, const Tensor& block);
  std::byte* keep(Tensor block);

  std::string operation_;
  std::optional<Device> device_;
  std::vector<Tensor> kept_;
  std::vector<std::pair<Tensor, Tensor>> copies_;  ///< target and block
};

}  // namespace lectern::distributed
