#include "data/array_file.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "temporary_folder.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

class ArrayFiles : public testing::Test {
 protected:
  /// Runs NumPy in the folder of the files.
  void numpy(const std::string& code) const {
    const std::string command =
        "cd '" + folder_.path().string() + "' && /usr/bin/python3 -c 'import numpy as np\n" + code + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << code;
  }
  static bool has_numpy() { return std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") == 0; }

  const test::TemporaryFolder folder_;
};

TEST_F(ArrayFiles, WhatNumPyWrites) {
  if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no NumPy";
  numpy(R"(a = np.arange(6, dtype=np.float32).reshape(2, 3)
np.save("rows.npy", a)
np.save("columns.npy", np.asfortranarray(a))
np.save("number.npy", np.float64(2.5))
np.save("truth.npy", np.array([True, False]))
np.save("empty.npy", np.zeros((0, 4), dtype=np.int8))
a.tofile("raw"))");
  const Tensor rows = arange(6, {.dtype = float32, .device = cpu}).view({2, 3});
  EXPECT_TRUE(ArrayFile(folder_ / "rows.npy").tensor().equal(rows));
  EXPECT_TRUE(ArrayFile(folder_ / "rows.npy", "float32").tensor().equal(rows));
  EXPECT_TRUE(ArrayFile(folder_ / "columns.npy").tensor().equal(rows));
  EXPECT_EQ(ArrayFile(folder_ / "columns.npy").tensor().strides(), (Sizes{1, 2}));
  EXPECT_EQ(ArrayFile(folder_ / "number.npy").tensor().item<double>(), 2.5);
  EXPECT_EQ(ArrayFile(folder_ / "truth.npy").tensor().dtype(), bool_);
  EXPECT_EQ(ArrayFile(folder_ / "empty.npy").tensor().sizes(), (Sizes{0, 4}));
  EXPECT_TRUE(ArrayFile(folder_ / "raw", "float32").tensor().view({2, 3}).equal(rows));
  EXPECT_THROW(ArrayFile(folder_ / "rows.npy", "int32"), Error);
}

TEST_F(ArrayFiles, NumPyReadsWhatWeWrite) {
  if (!has_numpy()) GTEST_SKIP() << "/usr/bin/python3 has no NumPy";
  save_npy(arange(6).view({2, 3}).t(), folder_ / "a.npy");
  save_npy(full({}, 0.5, {.dtype = float16}), folder_ / "b.npy");
  numpy(R"(a, b = np.load("a.npy"), np.load("b.npy")
assert a.dtype == np.int64 and (a == np.arange(6).reshape(2, 3).T).all()
assert b.dtype == np.float16 and b.shape == () and b == 0.5)");
}

TEST_F(ArrayFiles, TheNameDoesNotMatter) {
  save_npy(arange(3), folder_ / "array.bin");
  EXPECT_EQ(ArrayFile(folder_ / "array.bin").tensor().numel(), 3);
  write_file(folder_ / "raw.npy", "abcd");
  EXPECT_EQ(ArrayFile(folder_ / "raw.npy", "uint8").tensor().numel(), 4);
}

TEST_F(ArrayFiles, AnArchiveIsNoArray) {
  write_file(folder_ / "arrays.npz", "PK\3\4and so on");
  for (const char* const dtype : {"", "uint8"}) {
    try {
      const ArrayFile file(folder_ / "arrays.npz", dtype);
      FAIL() << "took an archive for an array";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("numpy.save(\"x.npy\", archive[\"x\"])"), std::string::npos);
    }
  }
}

TEST_F(ArrayFiles, ChangesStayHere) {
  save_npy(arange(3), folder_ / "a.npy");
  const Tensor changed = ArrayFile(folder_ / "a.npy").tensor();
  changed.fill_(7);
  EXPECT_TRUE(changed.equal(full({3}, 7, {.device = cpu})));
  EXPECT_TRUE(ArrayFile(folder_ / "a.npy").tensor().equal(arange(3, {.device = cpu})));
}

TEST_F(ArrayFiles, MayBeLargerThanTheMemory) {
  write_file(folder_ / "huge", "");
  ASSERT_EQ(::truncate((folder_ / "huge").c_str(), off_t{1} << 42), 0);
  const Tensor huge = ArrayFile(folder_ / "huge", "float32").tensor();
  EXPECT_EQ(huge.numel(), std::int64_t{1} << 40);
  EXPECT_EQ(huge.slice(0, -3).numel(), 3);
  EXPECT_TRUE(huge.slice(0, -3).equal(zeros({3}, {.device = cpu})));
}

TEST_F(ArrayFiles, BadOnesAreRefused) {
  const auto file = folder_ / "x";
  write_file(file, "12345");
  EXPECT_THROW(ArrayFile{file}, Error) << "no dtype";
  EXPECT_THROW(ArrayFile(file, "float32"), Error) << "no multiple";
  EXPECT_THROW(ArrayFile(file, "float8"), Error);
  EXPECT_THROW(ArrayFile(folder_ / "missing", "uint8"), Error);
  EXPECT_THROW(ArrayFile(file, "bool").tensor(), Error) << "neither 0 nor 1";
  write_file(file, "123456");
  EXPECT_EQ(ArrayFile(file, "uint16").sizes(), Sizes{3});
  EXPECT_THROW(ArrayFile(file, "uint16").tensor(), Error);
  EXPECT_THROW(save_npy(zeros({2}, {.dtype = bfloat16}), file), Error);
  EXPECT_EQ(read_file(file), "123456");
}

TEST_F(ArrayFiles, NumbersThatLieAnywhere) {
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}";
  const double number = 1.25;
  write_file(folder_ / "odd.npy", std::string("\x93NUMPY\1\0", 8) + static_cast<char>(header.size()) + '\0' +
                                      header + std::string(reinterpret_cast<const char*>(&number), 8));
  EXPECT_EQ(ArrayFile(folder_ / "odd.npy").tensor().item<double>(), 1.25);
}

}  // namespace
}  // namespace lectern
