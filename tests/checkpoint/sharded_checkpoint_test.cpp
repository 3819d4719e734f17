#include "checkpoint/sharded_checkpoint.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "expect_file_problem.h"
#include "ops/tensors.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

/// Of a folder in which two processes have written a tensor "a.x" of shape [2, 3].
ShardedIndex two_files() {
  return {1, {{"a.x", {{2, 3}, {{"0.safetensors", {2, 1}, {0, 0}}, {"1.safetensors", {2, 2}, {0, 1}}}}}}};
}

struct ShardedFolder : test::TemporaryFolder {
  explicit ShardedFolder(const ShardedIndex& index = two_files()) {
    save_file({{"a.x", tensor({{1.}, {4.}})}}, *this / "0.safetensors");
    save_file({{"a.x", tensor({{2., 3.}, {5., 6.}})}}, *this / "1.safetensors");
    write_file(sharded_index_file(path()), to_json(index));
  }
};

TEST(ShardedCheckpointFiles, ShardsBecomeWholeTensors) {
  const ShardedFolder folder;
  const ShardedCheckpoint checkpoint(folder.path());
  EXPECT_TRUE(test::same_bits(checkpoint.get_tensor("a.x"), tensor({{1., 2., 3.}, {4., 5., 6.}})));
  EXPECT_EQ(checkpoint.names("a"), std::vector<std::string>{"x"});
  ShardedIndex ranges = two_files();
  ranges.tensors["a.x"] = {{3, 2}, {{"0.safetensors", {2}, {4}}, {"1.safetensors", {4}, {0}}}};
  const ShardedFolder other(ranges);
  save_file({{"a.x", tensor({5., 6.})}}, other / "0.safetensors");
  save_file({{"a.x", tensor({1., 2., 3., 4.})}}, other / "1.safetensors");
  EXPECT_TRUE(test::same_bits(ShardedCheckpoint(other.path()).get_tensor("a.x"),
                              tensor({{1., 2.}, {3., 4.}, {5., 6.}})));
}

TEST(ShardedCheckpointFiles, Problems) {
  const auto reads = [](const ShardedIndex& index, const std::string& problem) {
    const ShardedFolder folder(index);
    EXPECT_FILE_PROBLEM(ShardedCheckpoint(folder.path()).get_tensor("a.x"), problem);
  };
  ShardedIndex index = two_files();
  index.tensors["a.x"].shards.pop_back();
  reads(index, "shards of a.x are missing: 2 elements of shape [2, 3] are there");
  index = two_files();
  index.tensors["a.x"].shards[1].file = "2.safetensors";
  reads(index, "2.safetensors");
  index = two_files();
  index.tensors["a.x"].shards[1].offsets = {0, 2};
  reads(index, "a shard: of shape [2, 2] at [0, 2] is no part of a tensor of shape [2, 3]");
  index.tensors["a.x"].shards[1].shape = {2, 3};
  reads(index, "the shard of a.x is of shape [2, 2]; the index says that it has shape [2, 3]");
  index = two_files();
  index.tensors["a.x"].shape = {1000000, 1000000};  // nothing is allocated for it
  reads(index, "shards of a.x are missing: 6 elements of shape [1000000, 1000000] are there");
  index.tensors["a.y"] = index.tensors["a.x"];
  const ShardedFolder lacks(index);
  EXPECT_FILE_PROBLEM(ShardedCheckpoint(lacks.path()).get_tensor("a.y"), "the shard of a.y is missing");
  const ShardedFolder folder;
  save_file({{"a.x", tensor({{2, 3}, {5, 6}})}}, folder / "1.safetensors");
  EXPECT_FILE_PROBLEM(ShardedCheckpoint(folder.path()).get_tensor("a.x"), "have different dtypes");
  EXPECT_FILE_PROBLEM(ShardedCheckpoint(folder / "nowhere"), "index.json");
}

TEST(ShardedCheckpointFiles, WhatIsNoIndex) {
  const auto parse = [](const std::string& text) { return parse_sharded_index(text, "index.json"); };
  for (const char* const text :
       {"", "[]", "{}", R"({"format": "other", "save": 1, "tensors": {}})",
        R"({"format": "lectern-sharded/1", "save": "a", "tensors": {}})",
        R"({"format": "lectern-sharded/1", "save": 1, "tensors": {"x": {"shape": [-1], "shards": []}}})",
        R"({"format": "lectern-sharded/1", "save": 1, "tensors": {"x": {"shape": [], "shards": [
            {"file": "../x", "shape": [], "offsets": []}]}}})"})
    EXPECT_FILE_PROBLEM(parse(text), "index.json: it is not the index of a sharded checkpoint: ");
  const ShardedIndex index = two_files();
  EXPECT_EQ(to_json(parse(to_json(index))), to_json(index));
}

}  // namespace
}  // namespace lectern
