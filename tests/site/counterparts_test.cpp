#include "site/counterparts.h"

#include <algorithm>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.h"
#include "has.h"

namespace lectern {
namespace {

using test::has;

/// A run made by hand: calls, and a statement of its own for each step's text within a function.
class HandRun {
 public:
  explicit HandRun(const std::string& language) {
    trace.sources.push_back({.path = language == "python" ? "a.py" : "a.cpp", .language = language});
  }

  HandRun& call(const std::string& name) {
    const int parent = stacks_.empty() ? -1 : stacks_.back();
    const int call = stacks_.empty() ? -1 : trace.steps.back().site;
    trace.stacks.push_back({.function = function(name),
                            .parent = parent,
                            .call = call,
                            .depth = static_cast<int>(stacks_.size()) + 1});
    stacks_.push_back(static_cast<int>(trace.stacks.size()) - 1);
    enter_ = 1;
    return *this;
  }
  HandRun& end() {
    stacks_.pop_back();
    return *this;
  }
  /// Steps of the statement with this name; `details` is JSON.
  HandRun& step(const std::string& statement, const std::string& details = {}, bool after = false) {
    const int function = trace.stacks[index(stacks_.back())].function;
    const auto [site, is_new] =
        sites_.try_emplace({function, statement}, static_cast<int>(trace.sites.size()));
    if (is_new) trace.sites.push_back({.function = function, .span = {1, 1, 1, 2}});
    trace.steps.push_back({.site = site->second,
                           .stack = stacks_.back(),
                           .enter = std::exchange(enter_, 0),
                           .after = after,
                           .text = details});
    return *this;
  }
  HandRun& steps(int count) {
    for (int i = 0; i < count; ++i) step("s" + std::to_string(trace.steps.size()));
    return *this;
  }
  HandRun& text(const std::string& words) {
    return step(words, R"({"show":[{"kind":"text","markdown":")" + words + "\"}]}");
  }
  /// A whole call of so many steps, before and after which its caller has a step.
  HandRun& calls(const std::string& name, int count) {
    return step("call").call(name).steps(count).end().step("call", {}, true);
  }

  int function(const std::string& name) {
    const auto found = std::ranges::find(trace.functions, name, &TracedFunction::name);
    if (found != trace.functions.end()) return static_cast<int>(found - trace.functions.begin());
    trace.functions.push_back({.name = name, .span = {1, 1, 1, 2}});
    return static_cast<int>(trace.functions.size()) - 1;
  }

  Trace trace;

 private:
  std::vector<int> stacks_;
  std::map<std::pair<int, std::string>, int> sites_;
  int enter_ = 0;
};

Counterparts counterparts(const HandRun& first, const HandRun& other,
                          const std::vector<SiteSettings::FunctionPair>& said = {}) {
  std::vector<std::string> problems;
  Counterparts found = step_counterparts(first.trace, other.trace,
                                         function_counterparts(first.trace, other.trace, said, problems));
  EXPECT_TRUE(problems.empty()) << problems.front();
  EXPECT_EQ(found.of_first.size(), first.trace.steps.size());
  EXPECT_EQ(found.of_other.size(), other.trace.steps.size());
  return found;
}

/// Of functions that ran: "first=other", by what they were paired with.
std::string paired(const std::vector<std::string>& first, const std::vector<std::string>& other,
                   const std::vector<SiteSettings::FunctionPair>& said = {},
                   std::vector<std::string>* problems = nullptr) {
  HandRun cpp("cpp"), python("python");
  for (const std::string& name : first) cpp.call(name).steps(1).end();
  for (const std::string& name : other) python.call(name).steps(1).end();
  std::vector<std::string> none;
  const FunctionCounterparts found =
      function_counterparts(cpp.trace, python.trace, said, problems != nullptr ? *problems : none);
  std::string text;
  for (std::size_t i = 0; i < found.first.size(); ++i) {
    for (std::size_t j = 0; j < found.other.size(); ++j) {
      if (found.first[i] >= 0 && found.first[i] == found.other[j])
        text += cpp.trace.functions[i].name + "=" + python.trace.functions[j].name + " ";
    }
  }
  return text;
}

TEST(FunctionCounterparts, HaveTheSameNamesInEachLanguagesStyle) {
  EXPECT_EQ(paired({"main", "tensors_basics"}, {"main", "tensors_basics"}),
            "main=main tensors_basics=tensors_basics ");
  EXPECT_EQ(paired({"countPairs", "TrainStep"}, {"count_pairs", "_train_step"}),
            "countPairs=count_pairs TrainStep=_train_step ");
  EXPECT_EQ(
      paired({"lectern::train", "BpeTokenizer::encode", "Linear<float>::reset"},
             {"train", "BPETokenizer.encode", "Linear.reset"}),
      "lectern::train=train BpeTokenizer::encode=BPETokenizer.encode Linear<float>::reset=Linear.reset ");
  EXPECT_EQ(
      paired({"Block::Block", "Block::operator()", "Block::operator[]", "Block::operator<"},
             {"Block.__init__", "Block.__call__", "Block.__getitem__", "Block.__lt__"}),
      "Block::Block=Block.__init__ Block::operator()=Block.__call__ Block::operator[]=Block.__getitem__ "
      "Block::operator<=Block.__lt__ ");
  EXPECT_EQ(paired({"Gpt::operator()", "f::(lambda)"}, {"Gpt.forward", "f.<locals>.<lambda>"}),
            "Gpt::operator()=Gpt.forward f::(lambda)=f.<locals>.<lambda> ");
  EXPECT_EQ(paired({"größe"}, {"Größe"}), "größe=Größe ");
}

TEST(FunctionCounterparts, AreNotGuessed) {
  EXPECT_EQ(paired({"encode"}, {"decode"}), "");
  EXPECT_EQ(paired({"A::run", "B::run"}, {"run"}), "") << "it may be either";
  EXPECT_EQ(paired({"run"}, {"A.run", "B.run"}), "");
  EXPECT_EQ(paired({"A::run", "run"}, {"run"}), "run=run ") << "the whole name goes before the end of one";
  EXPECT_EQ(paired({"rerun"}, {"run"}), "") << "no end of a word";
  EXPECT_EQ(paired({}, {}), "");
}

TEST(FunctionCounterparts, OfPythonAreMethodsByTheirIndentation) {
  HandRun cpp("cpp"), python("python");
  python.trace.sources[0].lines = {"class ByteTokenizer:",
                                   "    def encode(self):",
                                   "        pass",
                                   "",
                                   "@final",
                                   "class WordTokenizer(Base):",
                                   "    @staticmethod",
                                   "    async def encode():",
                                   "",
                                   "def f():",
                                   "    def encode():"};
  for (const int line : {2, 7, 11}) {
    python.trace.functions.push_back({.name = "encode", .span = {line, 5, line + 1, 9}});
    python.trace.stacks.push_back({.function = static_cast<int>(python.trace.functions.size()) - 1});
  }
  cpp.call("WordTokenizer::encode").steps(1).end().call("f::encode").steps(1).end();
  cpp.call("ByteTokenizer::encode").steps(1).end();
  std::vector<std::string> problems;
  const FunctionCounterparts found = function_counterparts(cpp.trace, python.trace, {}, problems);
  EXPECT_EQ(found.first[0], found.other[1]);
  EXPECT_EQ(found.first[1], found.other[2]);
  EXPECT_EQ(found.first[2], found.other[0]);
  EXPECT_EQ(std::ranges::count(found.other, -1), 0);
}

TEST(FunctionCounterparts, MayBeSaid) {
  EXPECT_EQ(paired({"train", "tune"}, {"train", "fit"}, {{"train", "fit"}}), "train=fit ");
  EXPECT_EQ(paired({"lectern::a", "b"}, {"C.both"}, {{"a", "both"}, {"b", "C.both"}}),
            "lectern::a=C.both b=C.both ");
}

TEST(FunctionCounterparts, ThatThereAreNotAreProblemsAtTheirLines) {
  const auto problem = [](const SiteSettings::FunctionPair& said) {
    std::vector<std::string> problems;
    EXPECT_EQ(paired({"train", "A::run", "B::run"}, {"train_loop", "run"}, {said}, &problems), "");
    return problems.size() == 1 ? problems.front() : std::to_string(problems.size()) + " problems";
  };
  const Place place{.file = "site.toml", .line = 7};
  EXPECT_EQ(problem({"trian", "train_loop", place}),
            "site.toml:7: there is no function `trian` in a.cpp; did you mean `train`?");
  EXPECT_EQ(problem({"train", "training_loop", place}),
            "site.toml:7: there is no function `training_loop` in a.py; did you mean `train_loop`?");
  EXPECT_EQ(problem({"train", "", place}),
            "site.toml:7: there is no function `` in a.py; write a name as it stands there");
  EXPECT_EQ(problem({"run", "run", place}),
            "site.toml:7: `run` may be each of A::run, B::run; write one of these");
}

using Numbers = std::vector<int>;

TEST(StepCounterparts, AreThoseOfTheSameCall) {
  HandRun cpp("cpp"), python("python");
  cpp.call("main").calls("f", 1).calls("g", 2).calls("f", 3);
  python.call("main").calls("f", 1).calls("g", 2).calls("f", 3);
  const Counterparts found = counterparts(cpp, python);
  Numbers same(cpp.trace.steps.size());
  for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<int>(i);
  EXPECT_EQ(found.of_first, same);
  EXPECT_EQ(found.of_other, same);
}

TEST(StepCounterparts, OfCallsThatOnlyOneHasAreNone) {
  HandRun cpp("cpp"), python("python");
  cpp.call("main").calls("f", 1).calls("checked", 2).calls("f", 1);
  python.call("main").calls("f", 1).calls("f", 1).calls("f", 1);
  const Counterparts found = counterparts(cpp, python);
  EXPECT_EQ(found.of_first, (Numbers{0, 1, 2, 2, -1, -1, 2, 3, 4, 5}));
  EXPECT_EQ(found.of_other, (Numbers{0, 1, 2, 7, 8, 9, 9, -1, 9}));
}

TEST(StepCounterparts, AreCountedWithinTheCallAroundThem) {
  HandRun cpp("cpp"), python("python");
  // `mean` is called once more in C++'s `first`; that is no matter in `second`.
  cpp.call("main").step("1").call("first").calls("mean", 1).calls("mean", 1).end();
  cpp.step("2").call("second").calls("mean", 1).end();
  python.call("main").step("1").call("first").calls("mean", 1).end();
  python.step("2").call("second").calls("mean", 1).end();
  const Counterparts found = counterparts(cpp, python);
  EXPECT_EQ(found.of_first, (Numbers{0, 1, 2, 3, 3, -1, 3, 4, 5, 6, 7}));
  EXPECT_EQ(found.of_other, (Numbers{0, 1, 2, 3, 7, 8, 9, 10}));
}

TEST(StepCounterparts, SeeThroughCallsOfFunctionsThatOnlyOneHas) {
  HandRun cpp("cpp"), python("python");
  cpp.call("main").calls("f", 2).calls("f", 2);
  python.call("main").step("timed").call("timer").calls("f", 2).calls("f", 2).end();
  const Counterparts found = counterparts(cpp, python);
  EXPECT_EQ((Numbers{found.of_first[1], found.of_first[2], found.of_first[5], found.of_first[6]}),
            (Numbers{2, 3, 6, 7}));
  EXPECT_EQ(found.of_other[1], -1) << "a step of the timer";
}

TEST(StepCounterparts, OfWhatIsCalledFromElsewhereGoCallByCall) {
  HandRun cpp("cpp"), python("python");
  cpp.call("main").step("1").call("setup").calls("f", 1).end().calls("g", 1);
  python.call("main").step("1").call("setup").steps(1).end().step("2").call("g").calls("f", 1).end();
  const Counterparts found = counterparts(cpp, python);
  EXPECT_EQ(found.of_first[2], 4);
  EXPECT_EQ(found.of_other[4], 2);
}

TEST(StepCounterparts, CountCallsThatWereLeftOut) {
  HandRun cpp("cpp"), python("python");
  cpp.call("main").calls("train", 1).calls("train", 1);
  python.call("main");
  for (int i = 0; i < 5; ++i) python.calls("train", 1);
  // Between the two calls three were left out, as by `@steps first 1 last 1`.
  LeftOut passes{.loop = 0, .stack = 0, .passes = 3, .calls = {{cpp.function("train"), 3}}};
  passes.before = 3;
  cpp.trace.left_out.push_back(passes);
  EXPECT_EQ(counterparts(cpp, python).of_first, (Numbers{0, 1, 2, 12, 13, 14}));
  cpp.trace.left_out[0].calls[0][1] = 100;  // more than the other run has: then by order
  EXPECT_EQ(counterparts(cpp, python).of_first, (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(StepCounterparts, ShowTheSameText) {
  HandRun cpp("cpp"), python("python");
  cpp.call("main").text("# Means").text("The mean.").steps(4).text("The *end*").steps(1);
  python.call("main").steps(3).text("# Means").steps(2).text("A **mean**").text("The end").steps(1);
  const Counterparts found = counterparts(cpp, python);
  EXPECT_EQ(found.of_first, (Numbers{3, 4, 4, 5, 5, 6, 7, 8}));
  EXPECT_EQ(found.of_other, (Numbers{0, 0, 0, 0, 1, 2, 4, 6, 7}))
      << "what is before the first text goes with it";
}

TEST(StepCounterparts, InspectTheSameVariables) {
  HandRun cpp("cpp"), python("python");
  const auto sum = [](const char* name) {
    return std::string("{\"vars\":{\"") + name + R"(":{"type":"int","value":1}}})";
  };
  cpp.call("main").steps(1).step("add", sum("runningSum")).step("add", sum("runningSum")).steps(3);
  python.call("main")
      .steps(4)
      .step("add", sum("self.running_sum"))
      .steps(2)
      .step("add", sum("self.running_sum"));
  const Counterparts found = counterparts(cpp, python);
  EXPECT_EQ(found.of_first, (Numbers{0, 4, 7, 7, 7, 7}));
  EXPECT_EQ(found.of_other, (Numbers{0, 0, 0, 0, 1, 1, 1, 2}));
}

TEST(StepCounterparts, InAnotherOrderKeepTheMostThatAscend) {
  HandRun cpp("cpp"), python("python");
  cpp.call("main").text("moved").text("a").text("b").text("c");
  python.call("main").text("a").text("b").text("c").text("moved");
  const Counterparts found = counterparts(cpp, python);
  EXPECT_EQ(found.of_first, (Numbers{0, 0, 1, 2}));
  EXPECT_EQ(found.of_other, (Numbers{1, 2, 3, 3}));
}

TEST(StepCounterparts, WithoutAnythingInCommonGoByTheirShares) {
  HandRun cpp("cpp"), python("python");
  cpp.call("main").steps(4);
  python.call("main").steps(8);
  const Counterparts found = counterparts(cpp, python);
  EXPECT_EQ(found.of_first, (Numbers{0, 2, 4, 6}));
  EXPECT_EQ(found.of_other, (Numbers{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(StepCounterparts, OfRunsWithoutStepsAreNone) {
  HandRun cpp("cpp"), python("python");
  EXPECT_TRUE(counterparts(cpp, python).of_first.empty());
  cpp.call("main").steps(2);
  EXPECT_EQ(counterparts(cpp, python).of_first, (Numbers{-1, -1}));
}

TEST(StepCounterparts, OfDeepAndLongRunsTakeNoLongerThanTheirSteps) {
  HandRun cpp("cpp"), python("python");
  for (HandRun* run : {&cpp, &python}) {
    run->call("main").steps(1);
    for (int depth = 0; depth < 3000; ++depth) run->call("f").step("s");
    for (int depth = 0; depth < 3000; ++depth) run->end().step("s", {}, true);
    for (int i = 0; i < 30000; ++i) run->text(i % 2 == 0 ? "even" : "odd");
  }
  const Counterparts found = counterparts(cpp, python);
  for (std::size_t i = 0; i < found.of_first.size(); ++i) ASSERT_EQ(found.of_first[i], static_cast<int>(i));
}

}  // namespace
}  // namespace lectern
