#include "base/dtype.h"

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern {
namespace {

/// The dtypes named in `text`, a table of PyTorch's without the float8 types, which PyTorch 1.13 does not
/// have.
std::vector<Dtype> parse(const std::string& text) {
  std::vector<Dtype> dtypes;
  std::istringstream words(text);
  for (std::string word; words >> word;) dtypes.push_back(dtype_from_name(word).value());
  return dtypes;
}

const std::vector<Dtype> kTabulated =
    parse("float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool");

template <typename Compute>
void expect_table(const std::string& table, const std::vector<Dtype>& columns, Compute&& compute) {
  const std::vector<Dtype> expected = parse(table);
  ASSERT_EQ(expected.size(), kTabulated.size() * columns.size());
  std::size_t i = 0;
  for (const Dtype row : kTabulated) {
    for (const Dtype column : columns)
      EXPECT_EQ(compute(row, column), expected[i++]) << row << " with " << column;
  }
}

// The tables are what PyTorch 1.13 prints, e.g. for a in dtypes: print(*(torch.promote_types(a, b) for b in
// dtypes)).

TEST(DtypeTest, PromotesAsPyTorch) {
  expect_table(R"(
      float64 float64 float64 float64 float64 float64 float64 float64 float64 float64
      float64 float32 float32 float32 float32 float32 float32 float32 float32 float32
      float64 float32 float16 float32 float16 float16 float16 float16 float16 float16
      float64 float32 float32 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16
      float64 float32 float16 bfloat16 int64 int64 int64 int64 int64 int64
      float64 float32 float16 bfloat16 int64 int32 int32 int32 int32 int32
      float64 float32 float16 bfloat16 int64 int32 int16 int16 int16 int16
      float64 float32 float16 bfloat16 int64 int32 int16 int8 int16 int8
      float64 float32 float16 bfloat16 int64 int32 int16 int16 uint8 uint8
      float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool)",
               kTabulated, promote_types);
}

TEST(DtypeTest, TensorsWithoutDimensionsTakePartByCategory) {
  expect_table(R"(
      float64 float64 float64 float64 float64 float64 float64 float64 float64 float64
      float32 float32 float32 float32 float32 float32 float32 float32 float32 float32
      float16 float16 float16 float16 float16 float16 float16 float16 float16 float16
      bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16 bfloat16
      float64 float32 float16 bfloat16 int64 int64 int64 int64 int64 int64
      float64 float32 float16 bfloat16 int32 int32 int32 int32 int32 int32
      float64 float32 float16 bfloat16 int16 int16 int16 int16 int16 int16
      float64 float32 float16 bfloat16 int8 int8 int8 int8 int8 int8
      float64 float32 float16 bfloat16 uint8 uint8 uint8 uint8 uint8 uint8
      float64 float32 float16 bfloat16 int64 int32 int16 int8 uint8 bool)",
               kTabulated, [](Dtype tensor, Dtype zero_dimensional) {
                 return ResultType().tensor(zero_dimensional, 0).tensor(tensor, 2).dtype();
               });
}

TEST(DtypeTest, NumbersTakePartByCategory) {
  const std::string table = R"(
      float64 float64 float64
      float32 float32 float32
      float16 float16 float16
      bfloat16 bfloat16 bfloat16
      float32 int64 int64
      float32 int32 int32
      float32 int16 int16
      float32 int8 int8
      float32 uint8 uint8
      float32 int64 bool)";
  for (const std::int64_t dimensions : {0, 1}) {
    expect_table(table, {float64, int64, bool_}, [&](Dtype tensor, Dtype number) {
      return ResultType().scalar(number).tensor(tensor, dimensions).dtype();
    });
  }
  EXPECT_EQ(ResultType().scalar(bool_).scalar(float64).dtype(), float32);
}

TEST(DtypeTest, OperandsOfThreeKindsCombine) {
  EXPECT_EQ(ResultType().tensor(int8, 1).tensor(bool_, 0).scalar(float64).dtype(), float32);
  EXPECT_EQ(ResultType().tensor(int8, 1).tensor(float16, 0).scalar(float64).dtype(), float16);
  EXPECT_EQ(ResultType().tensor(bool_, 3).tensor(int16, 0).scalar(int64).dtype(), int16);
  EXPECT_EQ(ResultType().tensor(int8, 1).tensor(uint8, 2).tensor(int64, 0).dtype(), int16);
  EXPECT_EQ(ResultType().tensor(float16, 0).tensor(bfloat16, 0).dtype(), float32);
  EXPECT_THROW(ResultType().dtype(), TensorError);
}

TEST(DtypeTest, Float8PromotesOnlyWithItself) {
  EXPECT_EQ(promote_types(float8_e4m3fn, float8_e4m3fn), float8_e4m3fn);
  for (const Dtype other : {float32, float8_e5m2, int64, bool_}) {
    EXPECT_THROW(promote_types(float8_e4m3fn, other), TensorError);
    EXPECT_THROW(promote_types(other, float8_e4m3fn), TensorError);
  }
  try {
    promote_types(float8_e5m2, float32);
    FAIL();
  } catch (const TensorError& error) {
    EXPECT_STREQ(
        error.what(),
        "promote_types: float8_e5m2 with float32: a float8 type promotes only with itself; convert one of "
        "the two first");
  }
  EXPECT_EQ(ResultType().tensor(float8_e5m2, 1).scalar(float64).dtype(), float8_e5m2);
}

TEST(DtypeTest, CastsGoUpInCategory) {
  std::string table;
  for (const Dtype from : kTabulated) {
    for (const Dtype to : kTabulated) table += can_cast(from, to) ? '1' : '0';
    table += '\n';
  }
  EXPECT_EQ(table,
            "1111000000\n1111000000\n1111000000\n1111000000\n"
            "1111111110\n1111111110\n1111111110\n1111111110\n1111111110\n1111111111\n");
}

TEST(DtypeTest, NamesAndSizes) {
  std::ostringstream out;
  for (int i = 0; i < kDtypes; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
    out << dtype << ' ' << element_size(dtype) << '\n';
  }
  EXPECT_EQ(out.str(),
            "float64 8\nfloat32 4\nfloat16 2\nbfloat16 2\nfloat8_e4m3fn 1\nfloat8_e5m2 1\n"
            "int64 8\nint32 4\nint16 2\nint8 1\nuint8 1\nbool 1\n");
  EXPECT_EQ(dtype_from_name("float"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
}

TEST(DtypeTest, DispatchGivesTheElementType) {
  for (int i = 0; i < kDtypes; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    dispatch(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      EXPECT_EQ(dtype_of<T>, dtype);
      EXPECT_EQ(static_cast<std::int64_t>(sizeof(T)), element_size(dtype));
      EXPECT_EQ(is_floating_point(dtype), !std::numeric_limits<T>::is_integer);
      EXPECT_EQ(category(dtype) == DtypeCategory::boolean, (std::is_same_v<T, bool>));
    });
  }
  static_assert(dtype_of<std::int64_t> == int64 && dtype_of<long long> == int64);
}

TEST(TensorErrorTest, NamesOperationArgumentExpectedAndGot) {
  EXPECT_STREQ(TensorError("view", "shape [2, 3] cannot become [7]").what(),
               "view: shape [2, 3] cannot become [7]");
  EXPECT_STREQ(TensorError("sum", "dim", "in [-2, 1]", "2").what(), "sum: dim must be in [-2, 1], not 2");
}

}  // namespace
}  // namespace lectern
