#include "check/compare_values.h"

#include <gtest/gtest.h>

#include "trace/decode.h"

namespace lectern {
namespace {

Value value(const std::string& json) {
  return value_from_json(Json::parse(json));
}

/// What is said of two values; empty when they are the same.
std::string change(const std::string& before, const std::string& now, const Tolerances& tolerances = {}) {
  StoragePairs storages;
  const auto difference = compare_values(value(before), value(now), "x", {tolerances, &storages});
  return difference ? difference->message : "";
}

TEST(CompareValues, ScalarsByTheToleranceOfTheirType) {
  EXPECT_EQ(change(R"({"type":"int","value":5})", R"({"type":"int","value":7})"), "5 → 7");
  EXPECT_EQ(change(R"({"type":"float","value":1.0})", R"({"type":"float","value":1.000001})"), "");
  EXPECT_EQ(change(R"({"type":"double","value":1.0})", R"({"type":"double","value":1.000001})"),
            "1.0 → 1.000001");
  EXPECT_EQ(
      change(R"({"type":"long","value":9007199254740993})", R"({"type":"long","value":9007199254740992})"),
      "9007199254740993 → 9007199254740992");
  EXPECT_EQ(change(R"({"type":"bool","value":true})", R"({"type":"bool","value":false})"), "true → false");
}

TEST(CompareValues, WhatJsonsNumbersCannotSay) {
  const std::string nan = R"({"type":"float","value":{"float":"nan"}})";
  const std::string inf = R"({"type":"float","value":{"float":"inf"}})";
  EXPECT_EQ(change(nan, nan), "");
  EXPECT_NE(change(nan, inf), "");
  EXPECT_NE(change(inf, R"({"type":"float","value":{"float":"-inf"}})"), "");
  EXPECT_NE(change(R"({"type":"float","value":1.0})", nan), "");
  EXPECT_EQ(change(R"({"type":"float","value":0.0})", R"({"type":"float","value":-0.0})"), "");
}

TEST(CompareValues, TypesAndSizes) {
  EXPECT_EQ(change(R"({"type":"int","value":5})", R"({"type":"long","value":5})"), "int 5 → long 5");
  EXPECT_EQ(change(R"({"type":"std::vector<int>","items":[1,2]})",
                   R"({"type":"std::vector<int>","items":[1,2,3]})"),
            "size: 2 → 3");
}

std::string multimap(const std::string& entries) {
  return R"({"type":"std::multimap<int,double>","entries":[)" + entries + "]}";
}

TEST(CompareValues, EntriesOfOneKeyCorrespondInOrder) {
  EXPECT_EQ(change(multimap("[1,0.5],[1,0.25]"), multimap("[1,0.5],[1,0.25]")), "");
  EXPECT_EQ(change(multimap("[1,0.5],[1,0.25]"), multimap("[1,0.5000000000000001],[1,0.25]")), "");
  EXPECT_EQ(change(multimap("[1,0.5],[1,0.25]"), multimap("[1,0.5],[1,0.75]")), "[1]: 0.25 → 0.75");
  EXPECT_EQ(change(multimap("[1,0.5]"), multimap("[1,0.5],[1,0.5]")), "[1]: nothing → 0.5");
  EXPECT_EQ(change(multimap("[1,0.5],[1,0.5]"), multimap("[1,0.5]")), "[1]: 0.5 → nothing");
}

TEST(CompareValues, KeysHaveTheToleranceOfTheirType) {
  const auto map = [](const std::string& entries) {
    return R"({"type":"std::map<double,int>","entries":[)" + entries + "]}";
  };
  EXPECT_EQ(change(map("[0.3,1],[0.4,2]"), map("[0.30000000000000004,1],[0.4,2]")), "");
  EXPECT_EQ(change(map("[0.3,1]"), map("[0.30000000000000004,2]")), "[0.3]: 1 → 2");
  EXPECT_EQ(change(map("[0.3,1]"), map("[0.5,1]")), "[0.3]: 1 → nothing, and 1 more place");
}

TEST(CompareValues, NamesThePlaceAndCountsTheOthers) {
  EXPECT_EQ(change(R"({"type":"std::vector<float>","items":[1.0,2.0,3.0]})",
                   R"({"type":"std::vector<float>","items":[1.0,2.5,3.5]})"),
            "[1]: 2.0 → 2.5, and 1 more place");
  EXPECT_EQ(change(R"({"type":"Point","fields":[["x",1],["y",2]]})",
                   R"({"type":"Point","fields":[["x",1],["y",3]]})"),
            ".y: 2 → 3");
  EXPECT_EQ(change(R"({"type":"std::map<std::string,int>","entries":[["a",1],["b",2]]})",
                   R"({"type":"std::map<std::string,int>","entries":[["b",2],["c",1]]})"),
            "[a]: 1 → nothing, and 1 more place");
  EXPECT_EQ(change(R"({"type":"std::optional<int>","to":1})", R"({"type":"std::optional<int>","to":null})"),
            "*: 1 → nullopt");
  EXPECT_EQ(change(R"({"type":"int*","to":null})", R"({"type":"int*","to":3})"), "*: nullptr → 3");
}

TEST(CompareValues, AnotherActiveTypeIsADifference) {
  const auto variant = [](const std::string& held) {
    return R"({"type":"std::variant<int, long, char>","to":)" + held + "}";
  };
  const std::string seven = variant(R"({"type":"int","value":7})");
  EXPECT_EQ(change(seven, seven), "");
  EXPECT_EQ(change(seven, variant(R"({"type":"long","value":7})")), "*: int 7 → long 7");
  EXPECT_EQ(change(seven, variant(R"({"type":"char","value":"7"})")), "*: int 7 → char '7'");
  EXPECT_EQ(change(R"({"type":"char","value":"a"})", R"({"type":"char","value":"\n"})"), R"('a' → '\n')");
}

TEST(CompareValues, AddressesAreNotCompared) {
  EXPECT_EQ(change(R"({"type":"void*","address":"0x7ffe12"})", R"({"type":"void*","address":"0x7ffe34"})"),
            "");
  EXPECT_NE(change(R"({"type":"void*","address":"0x7ffe12"})", R"({"type":"void*","to":null})"), "");
  EXPECT_NE(change(R"({"type":"void*","address":"0x7ffe12"})", R"({"type":"int*","address":"0x7ffe12"})"),
            "");
}

TEST(CompareValues, LongIntegersInFull) {
  EXPECT_EQ(change(R"({"type":"unsigned long","value":18446744073709551615})",
                   R"({"type":"unsigned long","value":18446744073709551614})"),
            "18446744073709551615 → 18446744073709551614");
  EXPECT_EQ(
      change(R"({"type":"__int128","text":"170141183460469231731687303715884105727"})",
             R"({"type":"__int128","text":"170141183460469231731687303715884105726"})"),
      ".text: \"170141183460469231731687303715884105727\" → \"170141183460469231731687303715884105726\"");
}

TEST(CompareValues, WhateverFormTheyHave) {
  const std::string red = R"({"type":"Color","text":"red","value":0})",
                    cut = R"({"type":"Color","cut":true})";
  EXPECT_EQ(change(red, R"({"type":"Color","text":"red","value":1})"), "0 → 1");
  EXPECT_EQ(change(red, R"({"type":"Color","text":"red"})"), ".value: 0 → nothing");
  const std::string wait = R"({"type":"d","quantity":12,"unit":"ms"})";
  EXPECT_EQ(change(wait, wait), "");
  EXPECT_EQ(change(wait, R"({"type":"d","quantity":13,"unit":"ms"})"), ".quantity: 12 → 13");
  EXPECT_EQ(change(red, cut), ".text: \"red\" → nothing, and 2 more places");
  EXPECT_EQ(change(R"({"type":"T","id":1,"ref":2})", R"({"type":"T","id":1,"ref":3})"), ".ref: 2 → 3");
  EXPECT_EQ(change(R"({"type":"T","new":{"a":[1,2]}})", R"({"type":"T","new":{"a":[1,3]}})"),
            ".new.a[1]: 2 → 3");
  EXPECT_EQ(change(R"({"storage":1,"storage_bytes":8})", R"({"storage":5,"storage_bytes":8})"), "");
  EXPECT_EQ(change("5", R"({"type":"int","value":7})"), "5 → 7");
}

std::string tensor(const std::string& data, const std::string& more = "",
                   const std::string& dtype = "float32") {
  return R"({"type":"Tensor","dtype":")" + dtype +
         R"(","shape":[2,3],"strides":[3,1],"device":"cpu","storage":1,"storage_bytes":24,"data":[)" + data +
         "]" + more + "}";
}

TEST(CompareTensors, CountElementsAndNameTheWorst) {
  StoragePairs storages;
  const auto difference = compare_values(value(tensor("1.0,2.0,3.0,4.0,5.0,6.0")),
                                         value(tensor("1.0,2.5,3.0,4.0,7.0,6.000001")), "x", {{}, &storages});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->elements, 6U);
  EXPECT_EQ(difference->differing, 2U);
  EXPECT_EQ(difference->largest, 2);
  EXPECT_EQ(difference->relative, 0.4);
  EXPECT_EQ(difference->worst, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(difference->message, "2 of 6 elements, worst at [1, 1]: 5.0 → 7.0 (by 2, 0.4 of it)");
}

TEST(CompareTensors, NanAgainstANumberIsTheWorst) {
  EXPECT_EQ(change(tensor("1.0,2.0,3.0,4.0,5.0,6.0"), tensor("100.0,2.0,{\"float\":\"nan\"},4.0,5.0,6.0")),
            "2 of 6 elements, worst at [0, 2]: 3.0 → NaN");
}

TEST(CompareTensors, EachDtypeHasItsTolerance) {
  const std::string before = "1.0,1.0,1.0,1.0,1.0,1.0", now = "1.0,1.01,1.0,1.0,1.0,1.0";
  EXPECT_EQ(change(tensor(before, "", "bfloat16"), tensor(now, "", "bfloat16")), "");
  EXPECT_NE(change(tensor(before, "", "float16"), tensor(now, "", "float16")), "");
  EXPECT_EQ(change(tensor(before), tensor(now), {.rel = 0.1}), "");
  EXPECT_NE(change(tensor("1,2,3,4,5,6", "", "int64"), tensor("1,2,3,4,5,7", "", "int64"), {.rel = 0.5}), "");
}

std::string with_shape(std::string tensor, const std::string& shape) {
  return tensor.replace(tensor.find("[2,3]"), 5, shape);
}

TEST(CompareTensors, PropertiesComeFirst) {
  const std::string data = "1.0,2.0,3.0,4.0,5.0,6.0", before = tensor(data);
  EXPECT_EQ(change(before, with_shape(before, "[3,2]")), "shape [2,3] → [3,2]");
  EXPECT_EQ(change(before, tensor(data, "", "float64")), "dtype float32 → float64");
  EXPECT_EQ(change(before, tensor(data, R"(,"requires_grad":true)")), "requires_grad false → true");
}

TEST(CompareTensors, SummariesByTheirIndicesAndStatistics) {
  const auto summary = [](const std::string& data, const std::string& mean) {
    const std::string more =
        R"(,"indices":[[0,99],[0,1,4095]],"stats":{"min":-1.0,"max":1.0,"mean":)" + mean + "}";
    return with_shape(tensor(data, more), "[100,4096]");
  };
  const std::string data = "1.0,2.0,3.0,4.0,5.0,6.0", before = summary(data, "0.5");
  EXPECT_EQ(change(before, summary("1.0,2.0,3.0,4.0,5.0,9.0", "0.5")),
            "1 of 6 elements shown, worst at [99, 4095]: 6.0 → 9.0 (by 3, 0.5 of it)");
  EXPECT_EQ(change(before, summary(data, "0.6")), "mean of all elements: 0.5 → 0.6");
  EXPECT_EQ(change(before, summary(data, "0.5000001")), "");
}

TEST(StoragePairs, CompareWhoSharesWithWhom) {
  StoragePairs storages;
  EXPECT_TRUE(storages.same(1, 2));
  EXPECT_TRUE(storages.same(2, 1));
  EXPECT_TRUE(storages.same(1, 2));
  EXPECT_FALSE(storages.same(1, 3));
  EXPECT_FALSE(storages.same(3, 2));
  EXPECT_TRUE(storages.same(4, 4));
}

}  // namespace
}  // namespace lectern
