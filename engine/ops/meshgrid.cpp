#include "ops/meshgrid.h"

#include <string>
#include <utility>

#include "base/tensor_error.h"
#include "ops/devices.h"
#include "ops/dims.h"

namespace lectern {

std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, std::string_view indexing) {
  if (tensors.empty()) throw TensorError("meshgrid", "the list of tensors", "of one or more", "empty");
  if (indexing != "ij" && indexing != "xy")
    throw TensorError("meshgrid", "indexing", "\"ij\" or \"xy\"", "\"" + std::string(indexing) + "\"");
  Sizes sizes;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() > 1)
      throw TensorError("meshgrid", "each tensor", "of one dimension or none",
                        "of shape " + to_string(tensor.sizes()));
    check_same_device("meshgrid", tensors[0], tensor);
    if (tensor.dtype() != tensors[0].dtype())
      throw TensorError("meshgrid", "the dtypes of the tensors", "the same",
                        std::string(name(tensors[0].dtype())).append(" and ").append(name(tensor.dtype())));
    sizes.push_back(tensor.numel());
  }
  const bool exchanged = indexing == "xy" && tensors.size() > 1;
  std::vector<Tensor> grids;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Sizes own = Sizes::filled(sizes.size(), 1);
    own[i] = sizes[i];
    const Tensor grid = at_least_one_dim(tensors[i]).view(own).expand(sizes);
    grids.push_back(exchanged ? grid.transpose(0, 1) : grid);
  }
  return grids;
}

}  // namespace lectern
