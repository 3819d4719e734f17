#include "lecture/tensor_value.h"

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "device/counters.h"
#include "device/memory.h"
#include "lecture/format.h"
#include "lecture/number_list.h"
#include "lecture/shown_value.h"
#include "ops/einops/annotated.h"
#include "record/inspect.h"
#include "tensor/creation.h"
#include "tensor/print.h"

namespace lectern {
namespace {

using nlohmann::json;
using test::shown;

template <typename T>
Tensor view_of(std::vector<T>& numbers, const Sizes& sizes) {
  return from_blob(numbers.data(), sizes, {}, {.dtype = dtype_of<T>});
}

std::vector<float> normal_numbers(std::size_t count) {
  std::vector<float> numbers(count);
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (float& number : numbers) number = normal(random);
  return numbers;
}

TEST(TensorValue, SaysLayoutAndNumbers) {
  json value = shown(tensor({{1., 2, 3}, {4, 5, 6}}));
  EXPECT_TRUE(value["storage"].is_number_unsigned());
  value.erase("storage");
  EXPECT_EQ(value,
            json::parse(R"({"type":"Tensor","dtype":"float32","shape":[2,3],"strides":[3,1],"device":"cpu",
      "storage_bytes":24,"data":[1.0,2.0,3.0,4.0,5.0,6.0]})"));
}

TEST(TensorValue, AnnotatedTensorsNameTheirDimensions) {
  const Float<"rows columns"> x = tensor({{1., 2, 3}, {4, 5, 6}});
  json value = shown(x);
  EXPECT_EQ(value["names"], json::parse(R"(["rows","columns"])"));
  value.erase("names");
  EXPECT_EQ(value, shown(Tensor(x)));
  EXPECT_EQ(shown(Float<"batch ... 3 n">(ones({2, 1, 4, 3, 5})))["names"],
            json::parse(R"(["batch","","","","n"])"));
  EXPECT_FALSE(shown(Float<"2 ...">(ones({2, 3}))).contains("names"));
  EXPECT_EQ(fmt::format("{}", x), fmt::format("{}", Tensor(x)));
}

TEST(TensorValue, ItemsAreNumbersOfTheirDtype) {
  EXPECT_NE(value_text(tensor(0.1).item()).find("0.1}"), std::string::npos) << value_text(tensor(0.1).item());
  EXPECT_EQ(shown(tensor(7).item())["value"], 7);
  EXPECT_EQ(shown(tensor(true).item())["value"], true);
  EXPECT_EQ(fmt::format("{} {:.2f} {} {}", tensor(0.1).item(), tensor(7).item(), tensor(7).item(),
                        tensor(true).item()),
            "0.1 7.00 7 true");
}

TEST(TensorValue, TheTextOfATensorIsNotThatOfARange) {
  EXPECT_EQ(fmt::format("{}", tensor({1, 2})), "tensor([1, 2])");
  EXPECT_EQ(fmt::format("{}", fmt::join(tensor({1, 2}), " ")), "1 2") << "but its elements can be joined";
}

TEST(TensorValue, ViewsAreReadThroughTheirStrides) {
  const Tensor x = tensor({{1., 2, 3}, {4, 5, 6}});
  const json value = shown(x.t().slice(0, 1));
  EXPECT_EQ(value["shape"], json({2, 2}));
  EXPECT_EQ(value["strides"], json({1, 3}));
  EXPECT_EQ(value["offset"], 1);
  EXPECT_EQ(value["data"], json({2.0, 5.0, 3.0, 6.0}));
}

TEST(TensorValue, StoragesAreNumberedAsTheyAreShown) {
  const Tensor unseen = tensor({1.}), x = tensor({1.}), y = tensor({2.});
  const auto first = shown(y)["storage"].get<int>();
  EXPECT_EQ(shown(x)["storage"], first + 1);
  EXPECT_EQ(shown(x.view({1, 1}))["storage"], first + 1);
  EXPECT_EQ(shown(y.storage())["storage"], first);
  EXPECT_EQ(shown(y.storage())["storage_bytes"], 4);
  EXPECT_EQ(shown(x.clone())["storage"], first + 2);
  EXPECT_EQ(shown(unseen)["storage"], first + 3);
}

TEST(TensorValue, NumbersReadBack) {
  std::vector<float> floats = {1.0011717677116394e-08F, 0.1F, 1e-45F, 3.4028235e38F, -0.0F, 16777216.0F};
  const json value = shown(view_of(floats, {6}));
  for (std::size_t i = 0; i < floats.size(); ++i) {
    EXPECT_EQ(static_cast<float>(value["data"][i].get<double>()), floats[i]);
    EXPECT_TRUE(value["data"][i].is_number_float());
  }
  EXPECT_NE(value_text(view_of(floats, {6})).find("1.0011718e-08,0.1,"), std::string::npos);
  std::vector<double> doubles = {0.1, 1e-300, 5e-324};
  EXPECT_EQ(shown(view_of(doubles, {3}))["data"], json({0.1, 1e-300, 5e-324}));
  std::vector<BFloat16> small = {BFloat16(3.140625F), BFloat16(1e-8F)};
  const json halves = shown(view_of(small, {2}));
  EXPECT_EQ(halves["dtype"], "bfloat16");
  EXPECT_EQ(static_cast<float>(halves["data"][1].get<double>()), static_cast<float>(small[1]));
}

TEST(TensorValue, SpecialNumbersIntegersAndTruths) {
  EXPECT_EQ(shown(tensor({NAN, INFINITY, -INFINITY}))["data"],
            json::parse(R"([{"float":"nan"},{"float":"inf"},{"float":"-inf"}])"));
  EXPECT_EQ(shown(tensor({std::numeric_limits<std::int64_t>::min(), std::int64_t{7}}))["data"],
            json({std::numeric_limits<std::int64_t>::min(), 7}));
  EXPECT_EQ(shown(tensor({true, false}))["data"], json({true, false}));
  EXPECT_EQ(shown(tensor(3.5))["data"], json({3.5}));
  EXPECT_EQ(shown(empty({0, 3}))["data"], json::array());
  EXPECT_EQ(shown(Tensor()), json({{"type", "Tensor"}, {"text", "undefined"}}));
}

TEST(TensorValue, LargeOnesAreSummarised) {
  std::vector<float> numbers = normal_numbers(64 * 100);
  numbers[70] = std::numeric_limits<float>::quiet_NaN();
  numbers[80] = std::numeric_limits<float>::infinity();
  numbers[90] = -50;
  const Tensor x = view_of(numbers, {64, 100});
  const std::string text = value_text(x);
  EXPECT_LE(text.size(), ValueWriter::kDefaultBudget);
  const json value = json::parse(text);
  EXPECT_EQ(value["indices"], json::parse("[[0,1,2,61,62,63],[0,1,2,97,98,99]]"));
  ASSERT_EQ(value["data"].size(), 36U);
  EXPECT_EQ(static_cast<float>(value["data"][7].get<double>()), numbers[101]);
  EXPECT_EQ(static_cast<float>(value["data"][35].get<double>()), numbers[6399]);
  EXPECT_EQ(value["stats"]["nan"], 1);
  EXPECT_EQ(value["stats"]["inf"], 1);
  EXPECT_EQ(value["stats"]["min"], -50);
  EXPECT_NEAR(value["stats"]["mean"].get<double>(), 0, 0.1);
  EXPECT_NEAR(value["stats"]["std"].get<double>(), 1.18, 0.1);
  const auto histogram = value["histogram"].get<std::vector<std::int64_t>>();
  EXPECT_EQ(histogram.size(), 24U);
  EXPECT_EQ(histogram.front(), 1);
  EXPECT_EQ(std::accumulate(histogram.begin(), histogram.end(), std::int64_t{0}), 6398);
}

TEST(TensorValue, FullOnesHaveEveryNumber) {
  std::vector<float> numbers = normal_numbers(64 * 64);
  const json value = shown(view_of(numbers, {64, 64}), ValueWriter::kUnlimited);
  ASSERT_EQ(value["data"].size(), 4096U);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(static_cast<float>(value["data"][i].get<double>()), numbers[i]);
  }
  EXPECT_FALSE(value.contains("stats"));
}

TEST(TensorValue, SummariesFitWhateverTheRank) {
  std::vector<double> numbers(4096, -1.2345678901234567e-300);
  for (const Sizes& sizes : {Sizes{4096}, Sizes{8, 8, 8, 8}, Sizes{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                             Sizes{1, 4096}, Sizes{16, 1, 1, 16, 16}}) {
    const std::string text = value_text(view_of(numbers, sizes));
    EXPECT_LE(text.size(), ValueWriter::kDefaultBudget) << to_string(sizes);
    const json value = json::parse(text);
    std::size_t count = 1;
    for (const json& positions : value["indices"]) count *= positions.size();
    EXPECT_EQ(value["data"].size(), count);
    EXPECT_EQ(value["stats"]["min"], -1.2345678901234567e-300);
  }
}

TEST(TensorValue, EnormousExtentsAreSummarised) {
  const Tensor x = tensor({2.}).expand({std::int64_t{1} << 12, std::int64_t{1} << 12});
  const json value = shown(x);
  EXPECT_EQ(value["stats"]["mean"], 2.0);
  EXPECT_EQ(value["stats"]["std"], 0.0);
  EXPECT_EQ(value["strides"], json({0, 0}));
}

struct Layer {
  Tensor weight, bias, more, rest, last;
};

TEST(TensorValue, SeveralShareABudget) {
  std::vector<float> numbers = normal_numbers(300);
  const Tensor x = view_of(numbers, {300});
  const Layer layer{x.detach(), x.detach(), x.detach(), tensor({1.}), x.detach()};
  const std::string text = value_text(layer);
  EXPECT_LE(text.size(), ValueWriter::kDefaultBudget);
  const json fields = json::parse(text)["items"];
  ASSERT_EQ(fields.size(), 5U);
  EXPECT_TRUE(fields[0].contains("stats"));
  EXPECT_EQ(fields[3]["data"], json({1.0}));
}

TEST(TensorValue, WhereNothingFitsTheShapeIsLeft) {
  std::vector<float> numbers = normal_numbers(300);
  const json value = shown(view_of(numbers, {300}), 180);
  EXPECT_EQ(value["shape"], json({300}));
  EXPECT_FALSE(value.contains("data"));
}

TEST(TensorValue, ATensorMetAgainIsAReference) {
  const auto x = std::make_shared<Tensor>(tensor({1.}));
  const json items = shown(std::vector{x, x})["items"];
  EXPECT_EQ(items[0]["to"]["id"], 1);
  EXPECT_EQ(items[0]["to"]["shape"], json({1}));
  EXPECT_EQ(items[1]["to"], json({{"ref", 1}}));
}

TEST(TensorValue, LookingCostsNothing) {
  std::vector<float> numbers = normal_numbers(100'000);
  const Tensor x = view_of(numbers, {100, 1000}).t();
  const std::int64_t memory = max_memory_allocated();
  const CountScope scope;
  value_text(x);
  value_text(x, ValueWriter::kUnlimited);
  EXPECT_EQ(max_memory_allocated(), memory);
  EXPECT_EQ(scope.counted(), Counters{});
}

TEST(TensorValue, PartsOfTensorsAreReadable) {
  EXPECT_EQ(shown(bfloat16), json({{"type", "Dtype"}, {"text", "bfloat16"}}));
  EXPECT_EQ(shown(cpu)["text"], "cpu");
  EXPECT_EQ(shown(Sizes{2, 3})["items"], json({2, 3}));
  EXPECT_EQ(shown(Scalar(2.5))["value"], 2.5);
  EXPECT_EQ(shown(Scalar(true))["value"], true);
  EXPECT_EQ(shown(finfo(float16))["text"], to_string(finfo(float16)));
  EXPECT_EQ(shown(iinfo(int8))["text"], to_string(iinfo(int8)));
  EXPECT_EQ(shown(Storage())["text"], "none");
}

TEST(TensorValue, OtherTypesStayWhatTheyWere) {
  EXPECT_EQ(shown(std::string("cpu"))["value"], "cpu");
  EXPECT_EQ(shown("cuda")["value"], "cuda");
  EXPECT_EQ(shown(5)["type"], "int");
  EXPECT_EQ(shown(std::vector<std::int64_t>{1, 2})["type"].get<std::string>().substr(0, 11), "std::vector");
}

std::string formatted(std::string_view format, const auto& value) {
  return fmt::format(fmt::runtime(format), formattable(value));
}

TEST(TensorValue, AsArgumentsOfTexts) {
  EXPECT_EQ(formatted("{}", tensor(0.1)), "0.1");
  EXPECT_EQ(formatted("{:.2f}", tensor(3.14159)), "3.14");
  EXPECT_EQ(formatted("{:.1f}", tensor(3)), "3.0");
  EXPECT_EQ(formatted("{:5}|", tensor(7)), "    7|");
  EXPECT_EQ(formatted("{}", tensor(true)), "true");
  EXPECT_EQ(formatted("{}", tensor({{1., 2}, {3, 4}})), to_string(tensor({{1., 2}, {3, 4}})));
  EXPECT_EQ(formatted("{:.3f}", Scalar(0.5)), "0.500");
  EXPECT_EQ(formatted("{}", Scalar(4)), "4");
  EXPECT_EQ(formatted("{}", float16), "float16");
  EXPECT_EQ(formatted("{}", Sizes{2, 3}), "[2, 3]");
  EXPECT_EQ(formatted("{}", cpu), "cpu");
  EXPECT_THROW(formatted("{:.2f}", tensor({1., 2})), fmt::format_error);
  EXPECT_EQ(formatted("{}", Tensor()), "tensor(undefined)");
}

TEST(TensorValue, InPlainPrograms) {
  const auto readable = [](const auto& value) { return readable_value(value_text(value)); };
  EXPECT_EQ(readable(tensor({{1., 2, 3}, {4, 5, 6}})), "float32 [2, 3] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]");
  EXPECT_EQ(readable(tensor(2.5)), "2.5");
  EXPECT_EQ(readable(tensor({NAN, 1})), "float32 [2] [nan, 1.0]");
  EXPECT_EQ(readable(empty({0, 3})), "float32 [0, 3] []");
  EXPECT_EQ(readable(empty({2, 0})), "float32 [2, 0] [[], []]");
  EXPECT_EQ(readable(full({5000}, 2)), "int64 [5000], min 2, max 2, mean 2.0, std 0.0");
  EXPECT_EQ(readable(std::vector<Tensor>{tensor(1), tensor(2)}), "[1, 2]");
  EXPECT_EQ(readable(tensor({1.}).storage()).substr(0, 8), "storage ");
}

TEST(NumberList, ManyNumbers) {
  std::vector<double> numbers(5000, 0.5);
  std::string text;
  append_reals(text, numbers, true, text.max_size());
  EXPECT_EQ(json::parse(text).size(), 5000U);
  text.clear();
  append_reals(text, numbers, false, 100);
  EXPECT_LT(text.size(), 5000U);
  text.clear();
  append_reals(text, {}, false, 100);
  append_integers(text, {});
  append_truths(text, {});
  EXPECT_EQ(text, "[][][]");
}

}  // namespace
}  // namespace lectern
