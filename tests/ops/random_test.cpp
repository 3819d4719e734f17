#include "ops/random.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "base/fnv.h"
#include "ops/expect_error.h"

namespace lectern {
namespace {

using nlohmann::json;
using test::error_of;

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// Of a contiguous tensor.
std::string hexadecimal(const Tensor& tensor) {
  return hexadecimal(
      {static_cast<const std::uint8_t*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes())});
}

Sizes sizes_of(const json& numbers) {
  Sizes sizes;
  for (const json& number : numbers) sizes.push_back(number.get<std::int64_t>());
  return sizes;
}

/// A view of zeroed memory, as the goldens' script describes it, and the whole of that memory.
struct Layout {
  explicit Layout(const json& from) {
    const Dtype dtype = *dtype_from_name(from["dtype"].get<std::string>());
    storage = zeros({from["storage"].get<std::int64_t>()}, {.dtype = dtype});
    tensor = storage.as_strided(sizes_of(from["sizes"]), sizes_of(from["strides"]),
                                from["offset"].get<std::int64_t>());
  }

  const Layout& read(const std::string& bytes) const {
    auto* data = static_cast<std::uint8_t*>(storage.data_ptr());
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      data[i / 2] = static_cast<std::uint8_t>(std::stoi(bytes.substr(i, 2), nullptr, 16));
    }
    return *this;
  }

  Tensor storage;
  Tensor tensor;
};

/// Of a generator's state.
std::string hash_of(const Generator& generator) {
  const std::vector<std::uint8_t> state = generator.get_state();
  const std::string_view bytes(reinterpret_cast<const char*>(state.data()), state.size());
  char text[17];
  std::snprintf(text, sizeof(text), "%016lx", static_cast<unsigned long>(fnv1a_64(bytes)));
  return text;
}

/// An in-place call; the bytes of the storage.
std::string fill(const json& call, Generator* generator) {
  const Layout layout(call);
  const Tensor& tensor = layout.tensor;
  const std::string name = call["call"];
  const json& arguments = call["arguments"];
  const auto number = [&](std::size_t i, double standard) {
    return i < arguments.size() ? arguments[i].get<double>() : standard;
  };
  if (name == "uniform_") {
    tensor.uniform_(number(0, 0), number(1, 1), generator);
  } else if (name == "normal_") {
    tensor.normal_(number(0, 0), number(1, 1), generator);
  } else if (name == "exponential_") {
    tensor.exponential_(number(0, 1), generator);
  } else if (name == "trunc_normal_") {
    trunc_normal_(tensor, number(0, 0), number(1, 1), number(2, -2), number(3, 2), generator);
  } else if (name == "bernoulli_") {
    tensor.bernoulli_(number(0, 0.5), generator);
  } else if (name == "bernoulli_of") {
    tensor.bernoulli_(Layout(call["p"]).read(call["p"]["bytes"]).tensor, generator);
  } else if (name == "random_" && arguments.empty()) {
    tensor.random_(generator);
  } else if (name == "random_") {
    std::optional<std::int64_t> to;
    if (!arguments[1].is_null()) to = arguments[1].get<std::int64_t>();
    random_(tensor, arguments[0].get<std::int64_t>(), to, generator);
  } else {
    ADD_FAILURE() << "unknown call " << name;
  }
  return hexadecimal(layout.storage);
}

/// A call that makes a tensor.
Tensor make(const json& call, Generator* generator) {
  const std::string name = call["call"];
  const TensorOptions options{.dtype = dtype_from_name(call["dtype"].get<std::string>())};
  const Sizes sizes = sizes_of(call["sizes"]);
  const auto integer = [&](std::size_t i) { return call["arguments"][i].get<std::int64_t>(); };
  if (name == "rand") return rand(sizes, options, generator);
  if (name == "randn") return randn(sizes, options, generator);
  if (name == "randperm") return randperm(integer(0), options, generator);
  if (name == "randint" && call["arguments"].size() == 1)
    return randint(integer(0), sizes, options, generator);
  if (name == "randint") return randint(integer(0), integer(1), sizes, options, generator);
  const Layout layout(call);
  if (name == "multinomial") {
    layout.read(call["weights"]);
    return multinomial(layout.tensor, integer(0), call["arguments"][1].get<bool>(), generator);
  }
  const Tensor made = name == "rand_like" ? rand_like(layout.tensor, {}, generator)
                                          : randn_like(layout.tensor, {}, generator);
  return made.as_strided({made.numel()}, {1});
}

std::string run(const json& call, Generator* generator) {
  const std::string name = call["call"];
  if (name == "state") return hash_of(*generator);
  return name.ends_with('_') || name == "bernoulli_of" ? fill(call, generator)
                                                       : hexadecimal(make(call, generator));
}

/// Repeats what PyTorch drew; returns the number of calls.
std::size_t repeat(const json& programs) {
  std::size_t calls = 0;
  for (const json& program : programs) {
    Generator generator;
    if (program["seed"].is_number_unsigned()) {
      generator.manual_seed(program["seed"].get<std::uint64_t>());
    } else {
      generator.manual_seed(program["seed"].get<std::int64_t>());
    }
    for (const json& call : program["calls"]) {
      ++calls;
      const std::string drawn = run(call, &generator);
      if (drawn == call["bytes"]) continue;
      ADD_FAILURE() << "seed " << program["seed"] << ", " << call << "\ndrew " << drawn;
      break;  // what follows differs too
    }
  }
  return calls;
}

template <typename T>
std::vector<T> numbers(const Tensor& tensor) {
  const T* data = tensor.data<T>();
  return {data, data + tensor.numel()};
}

/// The streams of the CPU, wherever other tests have their tensors; those of CUDA: random_cuda_test.cpp.
class Random : public testing::Test {
 public:
  Random() { set_default_device(cpu); }
  ~Random() override { set_default_device(device_); }

 private:
  Device device_ = default_device();
};

TEST_F(Random, Seed42GivesTheKnownNumbers) {
  Generator generator;
  const auto seeded = [&] { return &generator.manual_seed(42); };
  EXPECT_EQ(numbers<float>(rand({3}, {}, seeded())), (std::vector{.882269263F, .915003955F, .38286376F}));
  EXPECT_EQ(numbers<float>(randn({3}, {}, seeded())), (std::vector{.336690366F, .128809407F, .234462366F}));
  EXPECT_EQ(randn({17}, {}, seeded()).data<float>()[0], 1.92691529F);
  EXPECT_EQ(numbers<std::int64_t>(randint(10, {5}, {}, seeded())),
            (std::vector<std::int64_t>{2, 7, 6, 4, 6}));
  EXPECT_EQ(numbers<std::int64_t>(randperm(5, {}, seeded())), (std::vector<std::int64_t>{2, 4, 3, 0, 1}));
}

TEST_F(Random, DrawsWhatPyTorchDrew) {
  std::ifstream file(LECTERN_SOURCE_DIR "/tests/ops/goldens/random_streams.json");
  EXPECT_GT(repeat(json::parse(file)), 400U);
}

TEST_F(Random, DrawsWhatPyTorchDrawsNow) {
  const unsigned number = std::random_device()();
  const std::string command = "/usr/bin/python3 -W ignore '" LECTERN_SOURCE_DIR
                              "/tests/ops/goldens/random_streams.py' --live " +
                              std::to_string(number);
  SCOPED_TRACE(command);
  std::string output;
  const auto close = [](FILE* pipe) { return pclose(pipe); };
  std::unique_ptr<FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  ASSERT_NE(pipe, nullptr);
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof(part), pipe.get())) output.append(part, count);
  const int status = pclose(pipe.release());
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
    GTEST_SKIP() << "there is no PyTorch 1.13 of Debian's";
  ASSERT_EQ(status, 0);
  EXPECT_GT(repeat(json::parse(output)), 200U);
}

TEST_F(Random, DefaultGeneratorIsUsedWithoutOne) {
  manual_seed(42);
  EXPECT_EQ(rand({1}).item<float>(), .882269263F);
  Generator other;
  other.manual_seed(1);
  rand({5}, {}, &other);
  EXPECT_EQ(rand({1}).item<float>(), .915003955F);
  EXPECT_EQ(default_generator().initial_seed(), 42U);
}

TEST_F(Random, Float16DrawsWhatFloat32Draws) {
  // PyTorch 1.13 has none of these for float16.
  const Tensor odds = tensor({0.25, 0.5, 0.75, 0.125, 1, 0, 0.5, 0.5});
  Generator generator;
  const auto seeded = [&] { return &generator.manual_seed(3); };
  EXPECT_EQ(numbers<float>(bernoulli(odds.to(float16), seeded()).to(float32)),
            numbers<float>(bernoulli(odds, seeded())));
  for (const bool replacement : {true, false}) {
    EXPECT_EQ(numbers<std::int64_t>(multinomial(odds.to(float16), 1, replacement, seeded())),
              numbers<std::int64_t>(multinomial(odds, 1, replacement, seeded())));
  }
  const Tensor cut = empty({1000}, {.dtype = float16});
  trunc_normal_(cut, 0, 1, -0.5, 1.5, seeded());
  double sum = 0;
  for (const Half number : numbers<Half>(cut)) {
    EXPECT_GE(number, -0.5F);
    EXPECT_LE(number, 1.5F);
    sum += number;
  }
  EXPECT_NEAR(sum / 1000, 0.356, 0.05);  // (phi(-0.5) - phi(1.5)) / (Phi(1.5) - Phi(-0.5))
}

TEST_F(Random, EmptyTensorsDrawNothing) {
  Generator generator;
  const auto before = generator.get_state();
  EXPECT_EQ(rand({0, 3}, {}, &generator).numel(), 0);
  EXPECT_EQ(randn({4, 0}, {}, &generator).numel(), 0);
  EXPECT_EQ(randperm(0, {}, &generator).numel(), 0);
  EXPECT_EQ(multinomial(empty({0, 3}), 2, true, &generator).shape(), (Sizes{0, 2}));
  EXPECT_EQ(generator.get_state(), before);
}

TEST_F(Random, CountsAsAChangeInPlace) {
  const Tensor x = zeros({4});
  const std::uint64_t version = x.storage().version();
  x.uniform_();
  EXPECT_EQ(x.storage().version(), version + 1);
}

TEST_F(Random, WrongArgumentsAreNamed) {
  const Tensor x = empty({4});
  const Tensor whole = empty({4}, {.dtype = int64});
  EXPECT_EQ(error_of([&] { x.uniform_(1, 0); }), "uniform_: from must be at most `to`, 0, not 1");
  EXPECT_EQ(error_of([&] { whole.uniform_(); }),
            "uniform_: the tensor must be of a floating dtype, not int64");
  EXPECT_EQ(error_of([&] { empty({2}, {.dtype = float16}).uniform_(-70000, 0); }),
            "uniform_: from, to and their difference must be numbers that float16 holds, not -70000 and 0");
  EXPECT_EQ(error_of([&] { x.normal_(0, -1); }), "normal_: std must be 0 or more, not -1");
  EXPECT_EQ(error_of([&] { rand({2}, {.dtype = float8_e5m2}); }),
            "uniform_: dtype must be of 16 bits or more if it is floating, not float8_e5m2");
  EXPECT_EQ(error_of([&] { empty({1}).expand({5}).normal_(); }),
            "normal_: several elements of the written tensor share a memory location: shape [5] with "
            "strides [0]; clone() it first");
  EXPECT_EQ(error_of([&] { x.bernoulli_(1.5); }), "bernoulli_: p must be in [0, 1], not 1.5");
  EXPECT_EQ(error_of([&] {
              x.bernoulli_(tensor({0.5, 2, 0, 1}));
            }),
            "bernoulli_: every element of p must be in [0, 1]");
  EXPECT_EQ(error_of([&] { x.bernoulli_(whole); }), "bernoulli_: p must be of a floating dtype, not int64");
  EXPECT_EQ(error_of([&] { x.exponential_(-1); }), "exponential_: lambda must be 0 or more, not -1");
  EXPECT_EQ(error_of([&] { x.random_(5, 5); }), "random_: from must be less than `to`, 5, not 5");
  EXPECT_EQ(error_of([&] { randint(0, 257, {3}, {.dtype = uint8}); }),
            "randint: high - 1 must be a number that uint8 holds, not 256");
  EXPECT_EQ(error_of([&] { randint(0, 70000, {3}, {.dtype = float16}); }),
            "randint: high - 1 must be a number that float16 holds, not 69999");
  EXPECT_EQ(error_of([&] { randint(5, 5, {3}); }), "randint: low must be less than `high`, 5, not 5");
  EXPECT_EQ(error_of([&] { randint(-1, 3, {3}, {.dtype = uint8}); }),
            "randint: low must be a number that uint8 holds, not -1");
  EXPECT_EQ(error_of([&] { randint(3, {-1}); }), "randint: every size must be 0 or more, not [-1]");
  EXPECT_EQ(error_of([&] { rand({-1}); }), "rand: every size must be 0 or more, not [-1]");
  EXPECT_EQ(error_of([&] { randn({2, -1}); }), "randn: every size must be 0 or more, not [2, -1]");
  EXPECT_NE(error_of([&] { random_(x, std::numeric_limits<std::int64_t>::max(), {}); }), "no error");
  EXPECT_EQ(error_of([&] { random_(x, 0, {}); }), "no error");
  EXPECT_EQ(error_of([&] { randperm(256, {.dtype = uint8}); }), "no error");
  EXPECT_EQ(error_of([&] { randperm(-1); }), "randperm: n must be 0 or more, not -1");
  EXPECT_EQ(error_of([&] { randperm(300, {.dtype = uint8}); }),
            "randperm: n must be so small that uint8 holds all numbers below it, not 300");
  EXPECT_EQ(error_of([&] { trunc_normal_(x, 0, 0); }), "trunc_normal_: std must be above 0, not 0");
  EXPECT_EQ(error_of([&] { multinomial(tensor({1., -1}), 1); }), "multinomial: a weight is below 0");
  EXPECT_EQ(error_of([&] { multinomial(tensor({0., 0}), 1, true); }), "multinomial: the weights sum to 0");
  EXPECT_EQ(error_of([&] {
              multinomial(tensor({1., INFINITY}), 1, true);
            }),
            "multinomial: a weight is infinite or not a number");
  EXPECT_EQ(error_of([&] {
              multinomial(tensor({1., 1}), 3);
            }),
            "multinomial: samples must be at most the number of categories, 2, without replacement, not 3");
  EXPECT_EQ(error_of([&] {
              multinomial(tensor({1, 1}), 1);
            }),
            "multinomial: weights must be of a floating dtype, not int64");
  Generator elsewhere{Device(Device::Type::cuda)};
  EXPECT_EQ(error_of([&] { rand({2}, {}, &elsewhere); }),
            "uniform_: generator must be one of the tensor's device, cpu, not cuda:0");
}

}  // namespace
}  // namespace lectern
