#include "checkpoint/safetensors.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/tensor_error.h"
#include "ops/compare.h"
#include "ops/random.h"
#include "temporary_folder.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using nlohmann::json;

constexpr std::array kDtypes = {float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2,
                                int64,   int32,   int16,   int8,     uint8,         bool_};

StateDict tensors_of_every_dtype() {
  StateDict tensors;
  for (const Dtype dtype : kDtypes) {
    tensors.insert(std::string(name(dtype)), tensor({{0., 1, 1}, {1, 0, 1}}).to(dtype));
  }
  tensors.insert("empty", zeros({3, 0, 2}));
  tensors.insert("number", full({}, 7, {.dtype = int64}));
  tensors.insert("transposed \u00e9\"\n", arange(6).view({2, 3}).t());
  return tensors;
}

class Safetensors : public testing::Test {
 protected:
  json python_reads(const std::filesystem::path& file) const {
    const auto printed = folder_ / "printed.json";
    EXPECT_EQ(std::system(command("read", file, " > '" + printed.string() + "'").c_str()), 0);
    return json::parse(read_file(printed));
  }
  void python_writes(const json& content, const std::filesystem::path& file) const {
    const auto given = folder_ / "given.json";
    write_file(given, content.dump());
    EXPECT_EQ(std::system(command("write", file, " < '" + given.string() + "'").c_str()), 0);
  }

  const test::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "x.safetensors";

 private:
  static std::string command(const std::string& verb, const std::filesystem::path& file,
                             const std::string& rest) {
    return "/usr/bin/python3 '" LECTERN_SOURCE_DIR "/tests/checkpoint/safetensors.py' " + verb + " '" +
           file.string() + "'" + rest;
  }
};

TEST_F(Safetensors, EveryDtypeComesBack) {
  const StateDict saved = tensors_of_every_dtype();
  save_file(saved, file_, {{"step", "12"}});
  const StateDict loaded = load_file(file_, default_device());
  ASSERT_EQ(loaded.size(), saved.size());
  for (auto a = saved.begin(), b = loaded.begin(); a != saved.end(); ++a, ++b) {
    EXPECT_EQ(b->first, a->first);
    EXPECT_EQ(b->second.dtype(), a->second.dtype());
    EXPECT_TRUE(b->second.to_double().equal(a->second.to_double())) << a->first;
    EXPECT_TRUE(b->second.is_contiguous());
  }
  EXPECT_EQ(SafetensorsFile(file_).metadata().at("step"), "12");
}

TEST_F(Safetensors, WhatIsLoadedIsAlone) {
  const Tensor weight = ones({4}, {.requires_grad = true});
  save_file({{"w", weight}}, file_);
  const Tensor loaded = load_file(file_).at("w");
  EXPECT_FALSE(loaded.requires_grad());
  loaded.fill_(3);
  EXPECT_TRUE(load_file(file_).at("w").equal(ones({4}, {.device = cpu})));
}

TEST_F(Safetensors, AnotherReaderUnderstandsOurs) {
  save_file(tensors_of_every_dtype(), file_, {{"format", "pt"}});
  const json read = python_reads(file_);
  EXPECT_EQ(read["metadata"], json({{"format", "pt"}}));
  const json& tensors = read["tensors"];
  EXPECT_EQ(tensors.size(), kDtypes.size() + 3);
  EXPECT_EQ(tensors["float32"], json({{"dtype", "F32"},
                                      {"shape", {2, 3}},
                                      {"bytes", "000000000000803f0000803f0000803f000000000000803f"}}));
  EXPECT_EQ(tensors["bfloat16"],
            json({{"dtype", "BF16"}, {"shape", {2, 3}}, {"bytes", "0000803f803f803f0000803f"}}));
  EXPECT_EQ(tensors["float8_e4m3fn"],
            json({{"dtype", "F8_E4M3"}, {"shape", {2, 3}}, {"bytes", "003838380038"}}));
  EXPECT_EQ(tensors["bool"], json({{"dtype", "BOOL"}, {"shape", {2, 3}}, {"bytes", "000101010001"}}));
  EXPECT_EQ(tensors["empty"], json({{"dtype", "F32"}, {"shape", {3, 0, 2}}, {"bytes", ""}}));
  EXPECT_EQ(tensors["number"],
            json({{"dtype", "I64"}, {"shape", json::array()}, {"bytes", "0700000000000000"}}));
  const json& transposed = tensors["transposed \u00e9\"\n"];
  EXPECT_EQ(transposed["shape"], json({3, 2}));
  EXPECT_EQ(transposed["bytes"].get<std::string>().substr(16, 16), "0300000000000000") << "row by row";
}

TEST_F(Safetensors, WeUnderstandAnotherWriter) {
  python_writes(
      {{"metadata", {{"by", "Python"}}},
       {"tensors",
        {{"half", {{"dtype", "F16"}, {"shape", {2}}, {"bytes", "003c00c0"}}},
         {"odd", {{"dtype", "I8"}, {"shape", {3}}, {"bytes", "01ff80"}}},
         {"unaligned \u20ac", {{"dtype", "F64"}, {"shape", {1, 1}}, {"bytes", "000000000000e03f"}}}}}},
      file_);
  const StateDict loaded = load_file(file_, default_device());
  EXPECT_TRUE(loaded.at("half").equal(tensor({1., -2}).to(float16)));
  EXPECT_TRUE(loaded.at("odd").equal(tensor({1, -1, -128}).to(int8)));
  EXPECT_TRUE(loaded.at("unaligned \u20ac").equal(tensor({{0.5}}, {.dtype = float64})));
  EXPECT_EQ(SafetensorsFile(file_).metadata().at("by"), "Python");
}

TEST_F(Safetensors, OneTensorOfALargeFile) {
  save_file({{"a", ones({2})}, {"b", full({3}, 2.)}}, file_);
  const SafetensorsFile file(file_);
  EXPECT_TRUE(file.get_tensor("b", default_device()).equal(full({3}, 2.)));
  EXPECT_THROW(file.get_tensor("c"), Error);
}

TEST_F(Safetensors, ABoolIsZeroOrOne) {
  python_writes({{"metadata", json::object()},
                 {"tensors", {{"b", {{"dtype", "BOOL"}, {"shape", {2}}, {"bytes", "0102"}}}}}},
                file_);
  EXPECT_THROW(load_file(file_), Error);
}

TEST_F(Safetensors, WhatCannotBeSavedLeavesTheOldFile) {
  save_file({{"w", ones({2})}}, file_);
  EXPECT_THROW(save_file({{"w", Tensor()}}, file_), TensorError);
  EXPECT_THROW(save_file({{"__metadata__", ones({2})}}, file_), Error);
  EXPECT_THROW(save_file({{"\xff", ones({2})}}, file_), Error);
  EXPECT_THROW(save_file({{"w", ones({2})}}, file_, {{"by", "\xff"}}), Error);
  EXPECT_THROW(save_file({{"w", ones({2})}}, file_, {{"\xff", "by"}}), Error);
  EXPECT_THROW(save_file({{"w", ones({2})}}, file_, {{"by", std::string(100'000'000, 'x')}}), TensorError);
  EXPECT_EQ(load_file(file_).size(), 1U);
  EXPECT_EQ(files_below(folder_.path()).size(), 1U);
  EXPECT_THROW(load_file(folder_ / "missing"), Error);
  save_file({}, file_);
  EXPECT_TRUE(load_file(file_).empty());
}

}  // namespace
}  // namespace lectern
