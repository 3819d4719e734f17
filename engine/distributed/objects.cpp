#include "distributed/objects.h"

#include <algorithm>
#include <cstring>

#include "distributed/collectives.h"
#include "tensor/creation.h"

namespace lectern::distributed {

std::vector<std::string> all_gather_object(const std::string& object, const Group& group) {
  const auto ranks = static_cast<std::size_t>(get_world_size(group));
  const Tensor length = full({1}, static_cast<std::int64_t>(object.size()), {.dtype = int64, .device = cpu});
  const Tensor lengths = empty({get_world_size(group)}, {.dtype = int64, .device = cpu});
  all_gather_into_tensor(lengths, length, {.group = group});
  const auto* const sizes = lengths.data<std::int64_t>();
  const std::int64_t longest = *std::max_element(sizes, sizes + ranks);

  const TensorOptions bytes{.dtype = uint8, .device = cpu};
  const Tensor own = zeros({longest}, bytes);
  if (!object.empty()) std::memcpy(own.data_ptr(), object.data(), object.size());
  const Tensor all = empty({get_world_size(group), longest}, bytes);
  all_gather_into_tensor(all, own, {.group = group});
  std::vector<std::string> objects;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    objects.emplace_back(static_cast<const char*>(all.data_ptr()) + rank * static_cast<std::size_t>(longest),
                         static_cast<std::size_t>(sizes[rank]));
  return objects;
}

}  // namespace lectern::distributed
