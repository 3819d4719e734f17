#include "checkpoint/sharded_checkpoint.h"

#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/tensor_error.h"
#include "tensor/copy.h"
#include "tensor/creation.h"

namespace lectern {

ShardedCheckpoint::ShardedCheckpoint(const std::filesystem::path& folder) : folder_(folder) {
  const std::filesystem::path file = sharded_index_file(folder);
  index_ = parse_sharded_index(read_file(file), file.string());
}

const SafetensorsFile& ShardedCheckpoint::open(const std::string& file) const {
  std::unique_ptr<SafetensorsFile>& opened = files_[file];
  if (opened == nullptr) opened = std::make_unique<SafetensorsFile>(folder_ / file);
  return *opened;
}

Tensor ShardedCheckpoint::read(std::string_view name, const IndexedShard& shard) const {
  Tensor tensor = open(shard.file).get_tensor(name);
  if (tensor.sizes() != shard.shape)
    throw Error(Place{(folder_ / shard.file).string()}, "the shard of " + std::string(name) + " has shape " +
                                                            to_string(tensor.sizes()) + ", not " +
                                                            to_string(shard.shape) + " as the index says");
  return tensor;
}

Tensor ShardedCheckpoint::get_tensor(std::string_view name) const {
  const std::string file = sharded_index_file(folder_).string();
  const auto found = index_.tensors.find(name);
  if (found == index_.tensors.end())
    throw Error(Place{file}, "there is no tensor named " + std::string(name));
  const IndexedTensor& tensor = found->second;
  Tensor result;
  std::int64_t elements = 0;
  for (const IndexedShard& shard : tensor.shards) {
    const Tensor part = read(name, shard);
    if (part.sizes() == tensor.shape && tensor.shards.size() == 1) return part;
    if (!result.defined()) result = empty(tensor.shape, {.dtype = part.dtype(), .device = cpu});
    if (part.dtype() != result.dtype())
      throw Error(Place{file}, "the shards of " + found->first + " have different dtypes");
    try {
      copy_elements(part_of(result, part.sizes(), shard.offsets), part);
    } catch (const TensorError& problem) {
      throw Error(Place{file}, found->first + ": " + problem.what());
    }
    elements += part.numel();
  }
  if (!result.defined() || elements != result.numel())
    throw Error(Place{file}, "shards of " + found->first + " are missing: " + std::to_string(elements) +
                                 " elements of shape " + to_string(tensor.shape) + " are there");
  return result;
}

std::vector<std::string> ShardedCheckpoint::names(std::string_view part) const {
  const std::string prefix = std::string(part) + ".";
  std::vector<std::string> names;
  std::set<std::string> parts;
  for (const auto& [name, tensor] : index_.tensors) {
    parts.insert(name.substr(0, name.find('.')));
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  }
  if (!names.empty()) return names;
  std::string known;
  for (const std::string& other : parts) known.append(known.empty() ? "" : ", ").append(other);
  throw Error(Place{sharded_index_file(folder_).string()},
              "there is no part named " + std::string(part) + "; there are: " + known);
}

StateDict ShardedCheckpoint::state_dict(std::string_view part) const {
  StateDict state;
  for (const std::string& name : names(part))
    state.insert(name, get_tensor(std::string(part).append(".").append(name)));
  return state;
}

}  // namespace lectern
