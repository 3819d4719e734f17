#include "tensor/state_dict.h"

#include <gtest/gtest.h>

#include "ops/expect_error.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

TEST(StateDict, KeepsTheOrderOfInsertion) {
  StateDict state;
  EXPECT_TRUE(state.empty());
  const Tensor x = ones({3});
  state.insert("z.weight", x);
  state.insert("a.weight", zeros({2}));
  ASSERT_EQ(state.size(), 2);
  EXPECT_EQ(state.begin()->first, "z.weight");
  EXPECT_EQ((state.begin() + 1)->first, "a.weight");
  EXPECT_TRUE(state.at("z.weight").is_same(x));
}

TEST(StateDict, FindsByName) {
  const StateDict state = {{"weight", ones({3})}, {"bias", zeros({2})}};
  EXPECT_EQ(state.find("bias")->numel(), 2);
  EXPECT_EQ(state.find("bia"), nullptr);
  EXPECT_TRUE(state.contains("weight"));
  EXPECT_FALSE(state.contains(""));
  test::expect_error([&] { state.at("bia"); }, "state_dict: there is no entry named bia");
}

TEST(StateDict, ANameStandsForOneTensor) {
  StateDict state = {{"weight", ones({3})}};
  test::expect_error([&] { state.insert("weight", zeros({2})); },
                     "state_dict: there are two entries named weight");
  EXPECT_EQ(state.size(), 1);
  EXPECT_EQ(state.at("weight").numel(), 3);
}

TEST(StateDict, AnUndefinedTensorIsNamed) {
  StateDict state;
  test::expect_error([&] { state.insert("weight", Tensor()); }, "state_dict: the tensor weight is undefined");
  EXPECT_TRUE(state.empty());
}

}  // namespace
}  // namespace lectern
