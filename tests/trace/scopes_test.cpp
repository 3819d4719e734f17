#include "trace/scopes.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace/reader.h"

namespace lectern {
namespace {

/// f() is sites 0 to 5: a statement, a loop (site 1) with two in it (2, 3) of which the second is in a block,
/// two after it; main() is sites 6 and 7. `i` lives in the loop; `x` is one of the function, one of the
/// loop's body (2, 3), and one of the block (3); `v[i]` is an expression.
Trace with_steps(const std::string& steps) {
  return parse_trace(R"({"format":"lectern-trace/1","lecture":"a","records":[
{"source":0,"path":"a.cpp","language":"cpp","lines":["a","b","c","d","e","f","g","h"]},
{"function":0,"name":"f","source":0,"span":[1,1,6,2]},
{"function":1,"name":"main","source":0,"span":[7,1,8,2]},
{"site":0,"function":0,"span":[1,1,1,2]},
{"site":1,"function":0,"span":[2,1,2,2],"kind":"loop","body":2,"locals":{"i":2,"v[i]":2}},
{"site":2,"function":0,"span":[3,1,3,2],"locals":{"x":1}},
{"site":3,"function":0,"span":[4,1,4,2],"locals":{"x":0}},
{"site":4,"function":0,"span":[5,1,5,2]},
{"site":5,"function":0,"span":[6,1,6,2],"kind":"return"},
{"site":6,"function":1,"span":[7,1,7,2],"locals":{"x":1000000}},
{"site":7,"function":1,"span":[8,1,8,2],"locals":{"x":-5}},
{"stack":0,"function":1},
{"stack":1,"function":0,"parent":0,"call":6},
{"stack":2,"function":0,"parent":1,"call":4},
)" + steps + R"({"end":"return","status":0}
]})",
                     "a.json");
}

std::string value(const std::string& names) {
  std::string json;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    json += (json.empty() ? "" : ",") + ("\"" + names.substr(at, end - at)) + R"(":{"type":"int","value":1})";
    at = end + 1;
  }
  return "{" + json + "}";
}
std::string step_line(int site, int stack, const std::string& vars = {}, const std::string& more = {}) {
  return "{\"at\":" + std::to_string(site) + ",\"in\":" + std::to_string(stack) + more +
         (vars.empty() ? "" : ",\"vars\":" + value(vars)) + "},\n";
}

/// "3: i x=0": at step 3 i is gone, and x is that of step 0 again.
std::vector<std::string> left(const std::string& steps) {
  std::vector<std::string> list;
  for (const auto& [number, variables] : left_variables(with_steps(steps))) {
    std::string line = std::to_string(number) + ":";
    for (const LeftVariable& each : variables)
      line += " " + each.name + (each.outer < 0 ? "" : "=" + std::to_string(each.outer));
    list.push_back(line);
  }
  return list;
}

const std::string kEnter = ",\"enter\":1";

TEST(Scopes, VariablesOfALoopLeaveWithIt) {
  EXPECT_EQ(left(step_line(6, 0, "", kEnter) + step_line(0, 1, "sum", kEnter) + step_line(1, 1, "i") +
                 step_line(2, 1, "v[i]") + step_line(1, 1, "i") + step_line(4, 1) + step_line(5, 1, "sum")),
            (std::vector<std::string>{"5: i v[i]"}))
      << "not at the head of the loop, and never what lives as long as the function";
}

TEST(Scopes, VariablesOfABodyLeaveWithEachPass) {
  EXPECT_EQ(left(step_line(6, 0, "", kEnter) + step_line(1, 1, "", kEnter) + step_line(2, 1, "x") +
                 step_line(1, 1) + step_line(2, 1, "x") + step_line(3, 1) + step_line(4, 1)),
            (std::vector<std::string>{"3: x", "6: x"}));
}

TEST(Scopes, AHiddenVariableIsVisibleAgain) {
  EXPECT_EQ(left(step_line(6, 0, "", kEnter) + step_line(0, 1, "x", kEnter) + step_line(2, 1, "x") +
                 step_line(3, 1, "x") + step_line(2, 1) + step_line(4, 1)),
            (std::vector<std::string>{"4: x=2", "5: x=1"}));
  EXPECT_EQ(left(step_line(6, 0, "", kEnter) + step_line(0, 1, "x", kEnter) + step_line(2, 1, "x") +
                 step_line(4, 1, "x")),
            (std::vector<std::string>{}))
      << "the step that leaves the block says what x is";
}

TEST(Scopes, EachActivationHasItsOwn) {
  EXPECT_EQ(left(step_line(6, 0, "", kEnter) + step_line(2, 1, "x", kEnter) + step_line(4, 2, "", kEnter) +
                 step_line(2, 2, "x") + step_line(5, 2) + step_line(2, 1) + step_line(4, 1)),
            (std::vector<std::string>{"4: x", "6: x"}))
      << "what a call runs does not end the caller's blocks";
}

TEST(Scopes, ArgumentsAreVariables) {
  const std::string args = kEnter + ",\"args\":" + value("x");
  EXPECT_EQ(
      left(step_line(6, 0, "", kEnter) + step_line(0, 1, "", args) + step_line(3, 1, "x") + step_line(4, 1)),
      (std::vector<std::string>{"3: x=1"}));
}

TEST(Scopes, WhatWasClearedDoesNotLeave) {
  EXPECT_EQ(left(step_line(6, 0, "", kEnter) + step_line(2, 1, "x", kEnter) +
                 step_line(3, 1, "", ",\"clear\":[\"x\"]") + step_line(4, 1)),
            (std::vector<std::string>{}));
}

TEST(Scopes, ImpossibleRangesEndWithTheTrace) {
  EXPECT_EQ(left(step_line(6, 0, "x", kEnter) + step_line(7, 0, "x") + step_line(6, 0)),
            (std::vector<std::string>{"2: x=0"}));
}

}  // namespace
}  // namespace lectern
