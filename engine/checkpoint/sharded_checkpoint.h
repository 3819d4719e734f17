#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.h"
#include "checkpoint/sharded_index.h"

namespace lectern {

/// A checkpoint that several processes have written into a folder (distributed/sharded_checkpoint.h), each
/// its shards into a safetensors file. Any number of processes, one too, read it:
///
///   const ShardedCheckpoint checkpoint("run");
///   model.load_state_dict(checkpoint.state_dict("model"));
///   optimizer.load_state_dict(checkpoint.state_dict("optimizer"));
///
/// Errors name the file and the tensor: no such folder, an index that is none, a file that is missing or
/// damaged, shards that are missing or are not what the index says.
class ShardedCheckpoint {
 public:
  explicit ShardedCheckpoint(const std::filesystem::path& folder);

  /// The tensors "model.weight", …, of all parts.
  const ShardedIndex& index() const { return index_; }
  bool contains(std::string_view name) const { return index_.tensors.contains(name); }

  /// The whole tensor, from the shards of however many processes. An Error when the name is missing.
  Tensor get_tensor(std::string_view name) const;
  /// All whole tensors of a part, named without it. An Error that lists the parts when it is missing.
  StateDict state_dict(std::string_view part) const;
  /// The names of a part's tensors, without it.
  std::vector<std::string> names(std::string_view part) const;

 private:
  const SafetensorsFile& open(const std::string& file) const;
  /// The dtype of a tensor whose shards are all there.
  Dtype check(const std::string& name, const IndexedTensor& tensor) const;

  std::filesystem::path folder_;
  ShardedIndex index_;
  mutable std::map<std::string, std::unique_ptr<SafetensorsFile>> files_;
};

}  // namespace lectern
