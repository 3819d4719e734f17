#include "optim/dense_numbers.h"

#include "device/counters.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::optim {
namespace {

bool lies_in(const Tensor& tensor, const Sizes& strides) {
  for (std::size_t d = 0; d < strides.size(); ++d) {
    if (tensor.sizes()[d] != 1 && tensor.strides()[d] != strides[d]) return false;
  }
  return true;
}

}  // namespace

DenseNumbers::DenseNumbers(const Tensor& tensor, const Sizes& strides)
    : tensor_(tensor), dense_(tensor.numel() == 0 || lies_in(tensor, strides) ? tensor : uncounted([&] {
        return copied("step", tensor, tensor.dtype(), tensor.device(), strides);
      })) {}

void DenseNumbers::write_back() const {
  if (dense_.is_same(tensor_)) {
    tensor_.storage().bump_version();
  } else {
    uncounted([&] { copy_elements(tensor_, dense_); });
  }
}

}  // namespace lectern::optim
