#include "checkpoint/sharded_index.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"

namespace lectern {
namespace {

using IndexJson = nlohmann::ordered_json;
constexpr const char* kFormat = "lectern-sharded/1";

IndexJson numbers(const Sizes& sizes) {
  return std::vector<std::int64_t>(sizes.begin(), sizes.end());
}

Sizes sizes_of(const IndexJson& list) {
  const auto numbers = list.get<std::vector<std::int64_t>>();
  if (numbers.size() > kMaxDims) throw Error("a shape has too many dimensions");
  for (const std::int64_t number : numbers) {
    if (number < 0) throw Error("a shape has a negative number");
  }
  return std::span<const std::int64_t>(numbers);
}

IndexedTensor tensor_of(const IndexJson& json) {
  IndexedTensor tensor{sizes_of(json.at("shape")), {}};
  for (const IndexJson& shard : json.at("shards")) {
    auto file = shard.at("file").get<std::string>();
    if (!inside_folder(file)) throw Error("it names a file outside of its folder, " + file);
    tensor.shards.push_back({std::move(file), sizes_of(shard.at("shape")), sizes_of(shard.at("offsets"))});
  }
  return tensor;
}

}  // namespace

std::filesystem::path sharded_index_file(const std::filesystem::path& folder) {
  return folder / "index.json";
}

std::string to_json(const ShardedIndex& index) {
  IndexJson tensors = IndexJson::object();
  for (const auto& [name, tensor] : index.tensors) {
    IndexJson shards = IndexJson::array();
    for (const IndexedShard& shard : tensor.shards)
      shards.push_back(
          {{"file", shard.file}, {"shape", numbers(shard.shape)}, {"offsets", numbers(shard.offsets)}});
    tensors[name] = {{"shape", numbers(tensor.shape)}, {"shards", std::move(shards)}};
  }
  const IndexJson json{{"format", kFormat}, {"save", index.save}, {"tensors", std::move(tensors)}};
  return json.dump() + "\n";
}

ShardedIndex parse_sharded_index(std::string_view text, const std::string& file) {
  try {
    const IndexJson json = IndexJson::parse(text);
    if (json.at("format").get<std::string>() != kFormat)
      throw Error("its format is " + json.at("format").get<std::string>() + ", not " + kFormat);
    ShardedIndex index{json.at("save").get<std::int64_t>(), {}};
    for (const auto& [name, tensor] : json.at("tensors").items())
      index.tensors.emplace(name, tensor_of(tensor));
    return index;
  } catch (const std::exception& problem) {
    throw Error(Place{file}, std::string("it is not the index of a sharded checkpoint: ") + problem.what());
  }
}

}  // namespace lectern
