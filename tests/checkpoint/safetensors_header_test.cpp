#include "checkpoint/safetensors_header.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

namespace lectern {
namespace {

std::string with_length(std::uint64_t length, const std::string& rest) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> 8 * i & 0xff);
  return bytes + rest;
}

/// A file of this header and so many bytes of numbers.
std::string file_of(const std::string& header, std::size_t numbers) {
  return with_length(header.size(), header + std::string(numbers, '\0'));
}

std::string problem(const std::string& bytes) {
  try {
    parse_safetensors_header(bytes, "x.safetensors");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SafetensorsHeader, IsTakenApart) {
  const std::string text = R"({ "b\u00e9" : {"shape":[2, 3],"dtype":"F32","data_offsets":[4,28],"more":[{}]},
      "__metadata__":{"format":"pt"}, "a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},
      "none":{"dtype":"I64","shape":[5,0],"data_offsets":[28,28]},"one":{"dtype":"U8","shape":[],"data_offsets":[28,29]}}   )";
  const SafetensorsHeader header = parse_safetensors_header(file_of(text, 29), "x");
  ASSERT_EQ(header.entries.size(), 4U);
  EXPECT_EQ(header.length, 8 + text.size());
  EXPECT_EQ(header.metadata.at("format"), "pt");
  EXPECT_EQ(header.entries[0].name, "b\u00e9");
  EXPECT_EQ(header.entries[0].dtype, float32);
  EXPECT_EQ(header.entries[0].sizes, (Sizes{2, 3}));
  EXPECT_EQ(header.entries[0].begin, 4U);
  EXPECT_EQ(header.entries[1].dtype, bfloat16);
  EXPECT_EQ(header.entries[3].sizes, Sizes{});
}

TEST(SafetensorsHeader, WhatLiesIsRefused) {
  struct Case {
    std::string bytes, says;
  };
  const auto f32 = [](const std::string& shape, const std::string& offsets) {
    return R"({"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
  };
  const auto one = [&](const std::string& shape, const std::string& offsets) {
    return R"({"w":)" + f32(shape, offsets) + "}";
  };
  const Case cases[] = {
      {"", "it has 0 bytes"},
      {"short", "it has 5 bytes"},
      {with_length(100, "{}"), "claims to have 100 bytes, but 2 follow"},
      {with_length(~std::uint64_t{0}, "{}"), "claims to have 18446744073709551615 bytes"},
      {with_length(200'000'000, std::string(200'000'000, ' ')), "at most 100000000 are allowed"},
      {file_of("", 0), "not JSON"},
      {file_of("[]", 0), "is a list instead of an object"},
      {file_of("{} x", 0), "is not JSON at byte"},
      {file_of("{}", 3), "its tensors take 0 bytes, but 3 follow"},
      {file_of(R"({"w":3})", 0), "its entry \"w\" is 3 instead of an object"},
      {file_of(R"({"w":{}})", 0), "tensor \"w\": it needs a dtype, a shape and two data_offsets"},
      {file_of(R"({"w":{"dtype":"F32","shape":[1]}})", 4), "it needs a dtype"},
      {file_of(R"({"w":{"dtype":"F32","data_offsets":[0,4]}})", 4), "it needs a dtype"},
      {file_of(R"({"w":{"dtype":"U32","shape":[1],"data_offsets":[0,4]}})", 4), "unsupported dtype \"U32\""},
      {file_of(one("[1]", "[0,4,4]"), 4), "more than 2 numbers"},
      {file_of(one("[1]", "[0]"), 4), "it needs a dtype"},
      {file_of(one("[2]", "[0,4]"), 4), "float32 of shape [2] does not take the bytes from 0 to 4"},
      {file_of(one("[1]", "[4,0]"), 4), "does not take the bytes from 4 to 0"},
      {file_of(one("[1]", "[-4,0]"), 4), "expected a nonnegative integer, not -4"},
      {file_of(one("[1.0]", "[0,4]"), 4), "expected a nonnegative integer, not 1.0"},
      {file_of(one("[1e0]", "[0,4]"), 4), "expected a nonnegative integer, not 1e0"},
      {file_of(one("[\"1\"]", "[0,4]"), 4), "expected a nonnegative integer"},
      {file_of(one("[18446744073709551615]", "[0,4]"), 4), "a size of 18446744073709551615"},
      {file_of(one("[4611686018427387904,4]", "[0,0]"), 0), "does not take the bytes"},
      {file_of(one("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[0,4]"), 4), "more than "},
      {file_of(one("[1]", "[0,4]"), 8), "take 4 bytes, but 8 follow"},
      {file_of(one("[2]", "[0,8]"), 4), "take 8 bytes, but 4 follow"},
      {file_of(one("[1]", "[4,8]"), 8), "it leaves a gap after"},
      {file_of(R"({"a":)" + f32("[2]", "[0,8]") + R"(,"b":)" + f32("[2]", "[4,12]") + "}", 12),
       "\"b\": it overlaps"},
      {file_of(R"({"a":)" + f32("[1]", "[0,4]") + R"(,"b":)" + f32("[1]", "[0,4]") + "}", 4), "it overlaps"},
      {file_of(R"({"a":)" + f32("[1]", "[0,4]") + R"(,"\u0061":)" + f32("[1]", "[4,8]") + "}", 8),
       "two entries named \"a\""},
      {file_of(R"({"__metadata__":{"a":1}})", 0), "its metadata \"a\" is 1 instead of a string"},
      {file_of(R"({"__metadata__":{"a":"1","\u0061":"1"}})", 0), "its metadata has two values named \"a\""},
      {file_of(R"({"w":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4),
       "tensor \"w\": it has \"dtype\" twice"},
      {file_of(R"({"w":{"dtype":"F32","shape":[1],"shape":[1],"data_offsets":[0,4]}})", 4),
       "\"shape\" twice"},
      {file_of(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"data_\u006fffsets":[0,4]}})", 4),
       "\"data_offsets\" twice"},
      {file_of(R"({"w":{"x":)" + std::string(100'000, '['), 0), "nested too deeply"},
  };
  for (const Case& c : cases) {
    const std::string said = problem(c.bytes);
    EXPECT_NE(said.find(c.says), std::string::npos) << c.says << "\n in: " << said;
    EXPECT_TRUE(said.starts_with("x.safetensors: ")) << said;
  }
}

TEST(SafetensorsHeader, EveryCutIsNoticed) {
  const std::string whole = file_of(R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
  EXPECT_EQ(problem(whole), "");
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_NE(problem(whole.substr(0, length)), "") << length;
}

TEST(SafetensorsHeader, IsMadeAligned) {
  SafetensorsHeader header{.entries = {{"byte", uint8, {3}}, {"wide", float64, {2}}, {"half", float16, {5}}},
                           .metadata = {{"\"", "\n"}}};
  const std::string bytes = make_safetensors_header(header);
  EXPECT_EQ(bytes.size() % 8, 0U);
  EXPECT_EQ(header.length, bytes.size());
  const SafetensorsHeader read = parse_safetensors_header(bytes + std::string(29, '\0'), "x");
  EXPECT_EQ(read.metadata, header.metadata);
  ASSERT_EQ(read.entries.size(), 3U);
  EXPECT_EQ(read.entries[0].name, "byte");
  EXPECT_EQ(read.entries[0].begin, 26U);
  EXPECT_EQ(read.entries[1].begin, 0U);
  EXPECT_EQ(read.entries[2].begin, 16U);
}

}  // namespace
}  // namespace lectern
