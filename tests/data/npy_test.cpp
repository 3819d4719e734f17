#include "data/npy.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error.h"

namespace lectern {
namespace {

std::string file_of(const std::string& header, std::size_t numbers) {
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size() & 0xff) +
         static_cast<char>(header.size() >> 8) + header + std::string(numbers, '\0');
}

std::string problem(const std::string& bytes) {
  try {
    parse_npy_header(bytes, "x.npy");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Npy, HeadersAreTakenApart) {
  const NpyHeader one =
      parse_npy_header(file_of("{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }     \n", 6), "x");
  EXPECT_EQ(one.dtype, FileDtype::uint16);
  EXPECT_EQ(one.sizes, Sizes{3});
  EXPECT_FALSE(one.fortran_order);
  const NpyHeader two =
      parse_npy_header(file_of("{\"shape\":(2, 3),'fortran_order':True,'descr':'|b1'}", 6), "x");
  EXPECT_EQ(two.dtype, FileDtype::bool_);
  EXPECT_EQ(two.sizes, (Sizes{2, 3}));
  EXPECT_TRUE(two.fortran_order);
  const NpyHeader none =
      parse_npy_header(file_of("{'descr': '<f8', 'fortran_order': False, 'shape': (), }", 8), "x");
  EXPECT_EQ(none.sizes, Sizes{});
  const std::string wide = "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }";
  const NpyHeader version_2 = parse_npy_header(
      std::string("\x93NUMPY\2\0", 8) + static_cast<char>(wide.size()) + std::string(3, '\0') + wide, "x");
  EXPECT_EQ(version_2.length, 12 + wide.size());
}

TEST(Npy, DtypesMayBeWithoutAByteOrderAndHaveTheirNames) {
  for (const auto& [written, dtype] : {std::pair{"f4", FileDtype::float32},
                                       {"float32", FileDtype::float32},
                                       {"=f4", FileDtype::float32},
                                       {"<f4", FileDtype::float32},
                                       {"i4", FileDtype::int32},
                                       {"uint32", FileDtype::uint32}}) {
    const std::string header =
        std::string("{'descr': '") + written + "', 'fortran_order': False, 'shape': (1,)}";
    EXPECT_EQ(parse_npy_header(file_of(header, 4), "x").dtype, dtype) << written;
  }
}

TEST(Npy, WhatWeMakeIsReadBack) {
  for (const Sizes& sizes : {Sizes{}, Sizes{0}, Sizes{7}, Sizes{2, 3}, Sizes{1, 2, 3, 4, 5}}) {
    std::int64_t bytes = 4;
    for (const std::int64_t size : sizes) bytes *= size;
    const std::string header = make_npy_header(FileDtype::float32, sizes);
    EXPECT_EQ(header.size() % 64, 0U);
    const NpyHeader read = parse_npy_header(header + std::string(static_cast<std::size_t>(bytes), '\0'), "x");
    EXPECT_EQ(read.sizes, sizes);
    EXPECT_EQ(read.length, header.size());
  }
}

TEST(Npy, WhatLiesIsRefused) {
  struct Case {
    std::string bytes, says;
  };
  const auto shaped = [](const std::string& shape) {
    return "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
  };
  const auto typed = [](const std::string& dtype) {
    return "{'descr': " + dtype + ", 'fortran_order': False, 'shape': (1,)}";
  };
  const Case cases[] = {
      {"\x93NUMPY", "version is 0"},
      {std::string("\x93NUMPY\1\0\xff\xff", 10), "ends within its header"},
      {std::string("\x93NUMPY\3\0\xff\xff\xff\xff", 12), "ends within its header"},
      {file_of("", 0), "not understood at byte 10"},
      {file_of("{}", 0), "needs descr, fortran_order and shape"},
      {file_of("{'shape': (1,)}", 0), "needs descr"},
      {file_of("{'other': (1,)}", 0), "not understood"},
      {file_of("{'descr': '<f4", 0), "not understood"},
      {file_of(typed("'>f4'"), 4), "big-endian values"},
      {file_of(typed("'<c8'"), 8), "it holds \"<c8\""},
      {file_of(typed("'|O'"), 8), "it holds \"|O\""},
      {file_of(typed("''"), 8), "it holds \"\""},
      {file_of(typed("[('a', '<f4')]"), 4), "structured records"},
      {file_of(shaped("(-1,)"), 4), "not understood"},
      {file_of(shaped("(1 2)"), 4), "not understood"},
      {file_of(shaped("(1.5,)"), 4), "not understood"},
      {file_of(shaped("(99999999999999999999,)"), 4), "not understood"},
      {file_of(shaped("(4611686018427387904, 4)"), 0), "does not take the 0 bytes"},
      {file_of(shaped("(2,)"), 4), "float32 of shape [2] does not take the 4 bytes"},
      {file_of(shaped("(2,)"), 12), "does not take the 12 bytes"},
      {file_of(shaped("(1,)") + " x", 4), "not understood at byte 66"},
      {file_of(shaped("(1,)") + std::string(1, '\0'), 4), "not understood at byte 65"},
      {file_of(typed("'<float32'"), 4), "it holds \"<float32\""},
      {file_of(typed("'x4'"), 4), "it holds \"x4\""},
      {file_of(shaped("(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), 4), "dimensions"},
  };
  for (const Case& c : cases) {
    const std::string said = problem(c.bytes);
    EXPECT_NE(said.find(c.says), std::string::npos) << c.says << "\n in: " << said;
    EXPECT_TRUE(said.starts_with("x.npy: ")) << said;
  }
}

TEST(Npy, EveryCutIsNoticed) {
  const std::string whole = make_npy_header(FileDtype::int16, {3}) + "123456";
  EXPECT_EQ(problem(whole), "");
  for (std::size_t length = 6; length < whole.size(); ++length)
    EXPECT_NE(problem(whole.substr(0, length)), "") << length;
}

}  // namespace
}  // namespace lectern
