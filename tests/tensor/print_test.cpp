#include "tensor/print.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using nlohmann::json;

Sizes sizes_of(const json& numbers) {
  Sizes sizes;
  for (const json& number : numbers) sizes.push_back(number.get<std::int64_t>());
  return sizes;
}

/// The view that tests/tensor/goldens/printed.py describes.
Tensor tensor_of(const json& from) {
  const auto hexadecimal = from["storage"].get<std::string>();
  const std::size_t bytes = hexadecimal.size() / 2;
  auto* const data = new unsigned char[bytes + 1];
  for (std::size_t i = 0; i < bytes; ++i) {
    data[i] = static_cast<unsigned char>(std::stoi(hexadecimal.substr(2 * i, 2), nullptr, 16));
  }
  const Storage storage(data, bytes, cpu, [data] { delete[] data; });
  return {storage, *dtype_from_name(from["dtype"].get<std::string>()), sizes_of(from["sizes"]),
          sizes_of(from["strides"]), from["offset"].get<std::int64_t>()};
}

PrintOptions options_of(const json& from) {
  PrintOptions options;
  options.precision = from.value("precision", options.precision);
  options.threshold = from.value("threshold", options.threshold);
  options.edgeitems = from.value("edgeitems", options.edgeitems);
  options.linewidth = from.value("linewidth", options.linewidth);
  if (from.contains("sci_mode")) options.sci_mode = from["sci_mode"].get<bool>();
  return options;
}

/// How many tensors were compared.
std::size_t compare(const json& cases) {
  for (const json& one : cases) {
    EXPECT_EQ(to_string(tensor_of(one), options_of(one["options"])), one["text"].get<std::string>())
        << one["dtype"] << " " << one["sizes"] << " strides " << one["strides"] << " " << one["options"];
  }
  return cases.size();
}

TEST(Print, AsPyTorchPrinted) {
  std::ifstream file(LECTERN_SOURCE_DIR "/tests/tensor/goldens/printed.json");
  EXPECT_GT(compare(json::parse(file)), 90U);
}

TEST(Print, AsPyTorchPrintsNow) {
  const std::string command = "/usr/bin/python3 -W ignore '" LECTERN_SOURCE_DIR
                              "/tests/tensor/goldens/printed.py' --live " +
                              std::to_string(std::random_device()());
  SCOPED_TRACE(command);
  std::string output;
  const auto close = [](FILE* pipe) { return pclose(pipe); };
  std::unique_ptr<FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  ASSERT_NE(pipe, nullptr);
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, pipe.get())) output.append(part, count);
  const int status = pclose(pipe.release());
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127) {
    GTEST_SKIP() << "there is no PyTorch 1.13 of Debian's";
  }
  ASSERT_EQ(status, 0);
  EXPECT_GT(compare(json::parse(output)), 100U);
}

TEST(Print, OptionsOfTheProgram) {
  const Tensor x = tensor({0.125, 1});
  set_printoptions({.precision = 1});
  EXPECT_EQ(to_string(x), "tensor([0.1, 1.0])");
  EXPECT_EQ(printoptions().precision, 1);
  set_printoptions({});
  std::ostringstream out;
  out << x;
  EXPECT_EQ(out.str(), "tensor([0.1250, 1.0000])");
}

TEST(Print, UnusableOptionsAreRefused) {
  EXPECT_THROW(set_printoptions({.precision = -1}), TensorError);
  EXPECT_THROW(set_printoptions({.edgeitems = 0}), TensorError);
  EXPECT_THROW(to_string(tensor({1.}), {.precision = 101}), TensorError);
  EXPECT_EQ(to_string(tensor({1.5})), "tensor([1.5000])");
}

TEST(Print, UndefinedTensors) {
  EXPECT_EQ(to_string(Tensor()), "tensor(undefined)");
}

TEST(Print, AnyLayout) {
  const Tensor x = tensor({1.}).expand({std::int64_t{1} << 20, std::int64_t{1} << 20});
  EXPECT_EQ(to_string(x), to_string(tensor({1.}).expand({40, 40})));
}

TEST(Print, EmptyHoweverLargeASize) {
  EXPECT_EQ(to_string(empty({std::int64_t{1} << 40, 0})), "tensor([], size=(1099511627776, 0))");
}

}  // namespace
}  // namespace lectern
