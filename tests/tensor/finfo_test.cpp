#include "tensor/finfo.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/tensor_error.h"

namespace lectern {
namespace {

template <typename Info>
std::string printed(const Info& info) {
  std::ostringstream out;
  out << info;
  return out.str();
}

// What PyTorch 1.13 prints.
TEST(FinfoTest, PrintsAsPyTorch) {
  EXPECT_EQ(printed(finfo(float64)),
            "finfo(resolution=1e-15, min=-1.79769e+308, max=1.79769e+308, eps=2.22045e-16, "
            "smallest_normal=2.22507e-308, tiny=2.22507e-308, dtype=float64)");
  EXPECT_EQ(printed(finfo(float32)),
            "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, "
            "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)");
  EXPECT_EQ(printed(finfo(float16)),
            "finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, "
            "smallest_normal=6.10352e-05, tiny=6.10352e-05, dtype=float16)");
  EXPECT_EQ(printed(finfo(bfloat16)),
            "finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, "
            "smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=bfloat16)");
  EXPECT_EQ(printed(iinfo(uint8)), "iinfo(min=0, max=255, dtype=uint8)");
  EXPECT_EQ(printed(iinfo(int8)), "iinfo(min=-128, max=127, dtype=int8)");
  EXPECT_EQ(printed(iinfo(int16)), "iinfo(min=-32768, max=32767, dtype=int16)");
  EXPECT_EQ(printed(iinfo(int32)), "iinfo(min=-2.14748e+09, max=2.14748e+09, dtype=int32)");
  EXPECT_EQ(printed(iinfo(int64)), "iinfo(min=-9.22337e+18, max=9.22337e+18, dtype=int64)");
}

// PyTorch 1.13 has no float8 types: these follow from their definition, in the same form.
TEST(FinfoTest, PrintsFloat8) {
  EXPECT_EQ(printed(finfo(float8_e4m3fn)),
            "finfo(resolution=1, min=-448, max=448, eps=0.125, smallest_normal=0.015625, tiny=0.015625, "
            "dtype=float8_e4m3fn)");
  EXPECT_EQ(printed(finfo(float8_e5m2)),
            "finfo(resolution=1, min=-57344, max=57344, eps=0.25, smallest_normal=6.10352e-05, "
            "tiny=6.10352e-05, dtype=float8_e5m2)");
}

// As Python's repr of torch.finfo's members gives them.
TEST(FinfoTest, HasPyTorchsNumbers) {
  const FloatInfo half = finfo(float16);
  EXPECT_EQ(half.dtype, float16);
  EXPECT_EQ(half.bits, 16);
  EXPECT_EQ(half.eps, 0.0009765625);
  EXPECT_EQ(half.max, 65504.0);
  EXPECT_EQ(half.min, -65504.0);
  EXPECT_EQ(half.tiny, 6.103515625e-05);
  EXPECT_EQ(half.resolution, 0.001);
  EXPECT_EQ(half.smallest_subnormal, 0x1p-24);
  const FloatInfo brain = finfo(bfloat16);
  EXPECT_EQ(brain.bits, 16);
  EXPECT_EQ(brain.max, 3.3895313892515355e+38);
  EXPECT_EQ(brain.smallest_normal, 1.1754943508222875e-38);
  EXPECT_EQ(brain.resolution, 0.01);
  EXPECT_EQ(finfo(float32).resolution, 1e-06);
  EXPECT_EQ(finfo(float64).resolution, 1e-15);
  EXPECT_EQ(finfo(float64).bits, 64);
  EXPECT_EQ(iinfo(int64).min, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(iinfo(int64).max, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(iinfo(uint8).bits, 8);
}

TEST(FinfoTest, FieldsFollowFromTheLayout) {
  for (const Dtype dtype : {float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2}) {
    SCOPED_TRACE(name(dtype));
    const FloatInfo info = finfo(dtype);
    EXPECT_EQ(info.bits, 8 * element_size(dtype));
    EXPECT_EQ(info.bits, 1 + info.exponent_bits + info.mantissa_bits);
    const int bias = (1 << (info.exponent_bits - 1)) - 1;
    EXPECT_EQ(info.eps, std::ldexp(1, -info.mantissa_bits));
    EXPECT_EQ(info.smallest_normal, std::ldexp(1, 1 - bias));
    EXPECT_EQ(info.tiny, info.smallest_normal);
    EXPECT_EQ(info.smallest_subnormal, std::ldexp(info.eps, 1 - bias));
    EXPECT_EQ(info.min, -info.max);
  }
  EXPECT_EQ(finfo(bfloat16).exponent_bits, 8);
  EXPECT_EQ(finfo(float8_e4m3fn).mantissa_bits, 3);
}

TEST(FinfoTest, WrongCategoriesAreErrors) {
  EXPECT_THROW(finfo(bool_), TensorError);
  EXPECT_THROW(iinfo(float32), TensorError);
  EXPECT_THROW(iinfo(bool_), TensorError);
  try {
    finfo(int8);
    FAIL();
  } catch (const TensorError& error) {
    EXPECT_STREQ(error.what(),
                 "finfo: dtype must be a floating-point type (iinfo has the integer ones), not int8");
  }
}

}  // namespace
}  // namespace lectern
