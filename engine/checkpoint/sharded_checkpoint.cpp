#include "checkpoint/sharded_checkpoint.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/noun.h"
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

Dtype ShardedCheckpoint::check(const std::string& name, const IndexedTensor& tensor) const {
  const std::string file = sharded_index_file(folder_).string();
  std::optional<Dtype> dtype;
  std::int64_t elements = 0;
  for (const IndexedShard& shard : tensor.shards) {
    const auto& entries = open(shard.file).entries();
    const auto entry = std::ranges::find(entries, name, &SafetensorsEntry::name);
    if (entry == entries.end() || entry->sizes != shard.shape)
      throw Error(Place{(folder_ / shard.file).string()},
                  "the shard of " + name + " is " +
                      (entry == entries.end() ? "missing" : "of shape " + to_string(entry->sizes)) +
                      "; the index says that it has shape " + to_string(shard.shape));
    if (dtype.value_or(entry->dtype) != entry->dtype)
      throw Error(Place{file}, "the shards of " + name + " have different dtypes");
    dtype = entry->dtype;
    elements += checked_numel(name, entry->sizes);
  }
  if (!dtype || elements != checked_numel(name, tensor.shape))
    throw Error(Place{file}, "shards of " + name + " are missing: " + with_noun(elements, "element") +
                                 " of shape " + to_string(tensor.shape) +
                                 (elements == 1 ? " is there" : " are there"));
  return *dtype;
}

Tensor ShardedCheckpoint::get_tensor(std::string_view name) const {
  const std::string file = sharded_index_file(folder_).string();
  const auto found = index_.tensors.find(name);
  if (found == index_.tensors.end())
    throw Error(Place{file}, "there is no tensor named " + std::string(name));
  const IndexedTensor& tensor = found->second;
  const Dtype dtype = check(found->first, tensor);
  if (tensor.shards.size() == 1 && tensor.shards[0].shape == tensor.shape)
    return open(tensor.shards[0].file).get_tensor(name);
  Tensor result = empty(tensor.shape, {.dtype = dtype, .device = cpu});
  for (const IndexedShard& shard : tensor.shards) {
    try {
      copy_elements(part_of(result, shard.shape, shard.offsets), open(shard.file).get_tensor(name));
    } catch (const TensorError& problem) {
      throw Error(Place{file}, found->first + ": " + problem.what());
    }
  }
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
