#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace lectern::distributed {

/// For messages: "float32 [2, 3]".
std::string signature(const Tensor& tensor);

/// The tensors of a collective as blocks of memory. TensorErrors: undefined tensors, and those on a GPU.
class Buffers {
 public:
  explicit Buffers(std::string_view operation) : operation_(operation) {}

  /// The elements, in row-major order: the tensor's memory, or a copy.
  std::byte* input(const Tensor& tensor);
  /// Where the elements will be; with `is_input`, are already. A TensorError for an expanded tensor.
  std::byte* output(const Tensor& tensor, bool is_input = false);

  /// Copies into outputs that are not contiguous; called by the thread that waits.
  void finish() const;

 private:
  void check(const Tensor& tensor) const;
  std::byte* keep(Tensor block);

  std::string operation_;
  std::vector<Tensor> kept_;
  std::vector<std::pair<Tensor, Tensor>> copies_;  ///< target and block
};

}  // namespace lectern::distributed
