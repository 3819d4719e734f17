#include "checkpoint/checkpoint.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "temporary_folder.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

TEST(CheckpointFile, EveryPartComesBack) {
  const test::TemporaryFolder folder;
  const auto file = folder / "run.safetensors";
  save_checkpoint(file, {{"model", {{"layers.0.weight", ones({2, 3})}, {"bias", zeros({3})}}},
                         {"optimizer", {{"layers.0.weight", full({1}, 2.)}}},
                         {"nothing", {}},
                         {"rng", rng_state()}});
  const Checkpoint loaded = load_checkpoint(file, default_device());
  EXPECT_EQ(loaded.parts().size(), 4U);
  EXPECT_EQ(loaded.at("model").size(), 2U);
  EXPECT_TRUE(loaded.at("model").at("layers.0.weight").equal(ones({2, 3})));
  EXPECT_TRUE(loaded.at("optimizer").at("layers.0.weight").equal(full({1}, 2.)));
  EXPECT_TRUE(loaded.at("nothing").empty());
  load_rng_state(loaded.at("rng"));
  test::expect_error(
      [&] { loaded.at("schedule"); },
      "checkpoint: there is no part named schedule; there are: model, optimizer, nothing, rng");
}

TEST(CheckpointFile, PartsHaveNames) {
  EXPECT_THROW(Checkpoint({{"a.b", {}}}), TensorError);
  EXPECT_THROW(Checkpoint({{"", {}}}), TensorError);
  EXPECT_THROW(Checkpoint({{"a", {}}, {"a", {}}}), TensorError);
}

TEST(CheckpointFile, TensorsWithoutAPartAreNone) {
  const test::TemporaryFolder folder;
  const auto file = folder / "x.safetensors";
  save_file({{"weight", ones({2})}}, file);
  EXPECT_THROW(load_checkpoint(file), Error);
  save_file({{".weight", ones({2})}}, file);
  EXPECT_THROW(load_checkpoint(file), Error);
  save_file({{"model.weight", ones({2})}}, file, {{"parts", "..model.model."}});
  try {
    load_checkpoint(file);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), file.string() + ": it is not a checkpoint: it has a part without a name");
  }
}

}  // namespace
}  // namespace lectern
