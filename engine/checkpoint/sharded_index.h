#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/shard.h"

// The index of a sharded checkpoint: which file has which part of which tensor.
//
//   {"format": "lectern-sharded/1", "save": 3, "tensors": {
//     "model.weight": {"shape": [10, 4], "shards": [
//       {"file": "00000-of-00002.3.safetensors", "shape": [20], "offsets": [0]},
//       {"file": "00001-of-00002.3.safetensors", "shape": [20], "offsets": [20]}]}, …}}
//
// Offsets are those of checkpoint/shard.h. In its file a shard has the tensor's name.

namespace lectern {

struct IndexedShard {
  std::string file;  ///< beside the index
  Sizes shape;
  Sizes offsets;
};

struct IndexedTensor {
  Sizes shape;
  std::vector<IndexedShard> shards;
};

struct ShardedIndex {
  std::int64_t save = 0;  ///< counts the saves into its folder
  std::map<std::string, IndexedTensor, std::less<>> tensors;
};

std::string to_json(const ShardedIndex& index);
/// An Error naming the file, and what is wrong, for text that is no index.
ShardedIndex parse_sharded_index(std::string_view text, const std::string& file);

/// The index of a folder.
std::filesystem::path sharded_index_file(const std::filesystem::path& folder);

}  // namespace lectern
