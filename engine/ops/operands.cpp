#include "ops/operands.h"

#include <string>

#include "base/tensor_error.h"
#include "tensor/overlap.h"

namespace lectern {

Device common_device(std::string_view operation, const Tensor& a, const Tensor& b) {
  if (a.device() == b.device() || is_scalar(b)) return a.device();
  if (!is_scalar(a)) check_same_device(operation, a, b);
  return b.device();
}

Operand::Operand(const Tensor& tensor, Dtype, const Sizes& sizes, Device device)
    : array_(to_array(tensor)), nbytes_(bytes_in_memory(tensor)), contiguous_(tensor.is_contiguous()) {
  if (tensor.device() != device) {
    array_.strides = kRepeated;
    array_.is_scalar = true;
    contiguous_ = true;
    return;
  }
  if (tensor.sizes() == sizes) return;
  contiguous_ = false;
  strides_ = expanded_strides(tensor.sizes(), tensor.strides(), sizes);
  array_.strides = strides_->begin();
}

Operand::Operand(const Scalar& scalar, Dtype common, const Sizes&, Device)
    : scalar_(ScalarElement(scalar, common)), array_{scalar_->data(), common, kRepeated, true} {}

void check_in_place(std::string_view operation, Dtype result, const Tensor& self) {
  if (!can_cast(result, self.dtype())) {
    throw TensorError(operation, std::string("the result type ")
                                     .append(name(result))
                                     .append(" can't be cast to the type of the tensor, ")
                                     .append(name(self.dtype())));
  }
  check_writable(operation, self);
}

Tensor fitting(std::string_view operation, const Tensor& self, const Tensor& other) {
  if (!is_scalar(other)) check_same_device(operation, self, other);
  if (self.sizes() != other.sizes()) {
    const Sizes sizes = broadcast_sizes(operation, self.sizes(), other.sizes());
    if (sizes != self.sizes()) {
      throw TensorError(operation, "the shape of the result, " + to_string(sizes) +
                                       ", is not that of the tensor, " + to_string(self.sizes()) +
                                       "; in place only the other one is broadcast");
    }
  }
  return without_overlap(operation, self, other);
}

}  // namespace lectern
