// What a page shows of the other processes of a run.
#include "site/ranks.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "has.h"
#include "site/rank_steps.h"
#include "site/trace_builder.h"

namespace lectern {
namespace {

using std::string_literals::operator""s;
using test::has;
using test::Page;
using test::TraceBuilder;
using Steps = std::vector<int>;

const std::string kLong = "say(\"" + std::string(500, 'a') + "\");";
const std::string kSource = "init();\nx = rank;\nonly();\nreduce(x);\nsend(x);\nrecv(y);\n" + kLong + "\n";

/// A rank of a run, by its steps: the statement of each, with details.
class RankBuilder : public TraceBuilder {
 public:
  explicit RankBuilder(int rank) : TraceBuilder(kSource) {
    for (const std::string& statement :
         {"init();"s, "x = rank;"s, "only();"s, "reduce(x);"s, "send(x);"s, "recv(y);"s, kLong})
      sites_[statement] = site(statement);
    trace.profile = Profile{.name = "cpu", .rank = rank, .world_size = 2};
  }
  RankBuilder& run(const std::string& statement, const std::string& details = {}) {
    step(sites_.at(statement), details);
    return *this;
  }
  /// The same as a collective with this number.
  RankBuilder& meet(const std::string& statement, int sequence, const std::string& name = "all_reduce") {
    return run(statement, R"({"collectives":[{"name":")" + name + R"(","sequence":)" +
                              std::to_string(sequence) + R"(,"sent":24,"received":24}]})");
  }
  RankBuilder& message(const std::string& statement, int sequence) {
    return run(statement, R"({"collectives":[{"name":"message","sequence":)" + std::to_string(sequence) +
                              R"(,"from":0,"to":1}]})");
  }

 private:
  std::map<std::string, int> sites_;
};

TEST(RankSteps, ACollectiveIsAtTheSameMoment) {
  RankBuilder first(0), other(1);
  first.run("x = rank;")
      .run("only();")
      .run("only();")
      .meet("reduce(x);", 7)
      .run("x = rank;")
      .meet("reduce(x);", 8);
  other.run("x = rank;").meet("reduce(x);", 7).run("x = rank;").meet("reduce(x);", 8).run("only();");
  const RankSteps found = rank_steps(first.trace, other.trace);
  EXPECT_EQ(found.steps, (Steps{0, 0, 0, 1, 2, 3}));
  EXPECT_EQ(found.alone, (Steps{1, 2}));
  EXPECT_EQ(rank_steps(other.trace, first.trace).steps, (Steps{0, 3, 4, 5, 5}));
}

TEST(RankSteps, WithoutItEqualStatementsGoTogether) {
  RankBuilder first(0), other(1);
  for (int i = 0; i < 3; ++i) first.run("x = rank;").run("only();");
  other.run("init();");
  for (int i = 0; i < 3; ++i) other.run("x = rank;");
  EXPECT_EQ(rank_steps(first.trace, other.trace).steps, (Steps{1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(rank_steps(first.trace, RankBuilder(1).trace).steps, Steps(6, -1)) << "it has not begun";
  EXPECT_EQ(rank_steps(RankBuilder(0).trace, other.trace).steps, Steps());
}

TEST(RankSteps, AMessageIsWhereItIsSentAndWhereItIsReceived) {
  RankBuilder first(0), other(1);
  first.run("x = rank;").message("send(x);", 1).run("x = rank;").message("send(x);", 2).run("only();");
  other.message("recv(y);", 1).message("recv(y);", 2).run("only();");
  EXPECT_EQ(rank_steps(first.trace, other.trace).steps, (Steps{-1, 0, 0, 1, 2}));
}

TEST(RankSteps, ASecondMeetingNumbersItsCollectivesAnew) {
  RankBuilder first(0), other(1);
  for (RankBuilder* rank : {&first, &other}) {
    rank->meet("init();", 1, "init_process_group").meet("reduce(x);", 2);
    if (rank == &other) rank->run("only();").run("only();");
    rank->meet("init();", 1, "init_process_group").meet("reduce(x);", 2);
  }
  EXPECT_EQ(rank_steps(first.trace, other.trace).steps, (Steps{0, 1, 4, 5}));
}

nlohmann::json data_of(const std::string& script) {
  const std::size_t begin = script.find('(') + 1;
  return nlohmann::json::parse(script.substr(begin, script.rfind(')') - begin));
}

TEST(RanksOnPage, HaveTheOthersRunsAndSayWhereTheyDiffer) {
  RankBuilder first(0), other(1);
  first.run("x = rank;", R"({"vars":{"x":{"type":"int","value":0},"y":{"type":"int","value":5}}})")
      .meet("reduce(x);", 2);
  other
      .run("x = rank;", R"({"vars":{"x":{"type":"int","value":1},"y":{"type":"int","value":5}},)"
                        R"("show":[{"kind":"text","markdown":"of rank 1 only"}]})")
      .meet("reduce(x);", 2);
  const Page page(first.trace);
  const RanksOnPage ranks = ranks_on_page(page.trace, page.steps, {other.trace});
  const nlohmann::json data = data_of(ranks.script);
  EXPECT_EQ(data["calls"]["1"], "all_reduce \u00B7 24 B sent, 24 B received");
  ASSERT_EQ(data["ranks"].size(), 1U);
  EXPECT_EQ(data["ranks"][0]["rank"], 1);
  EXPECT_EQ(data["ranks"][0]["statements"][1], "x = rank;");
  EXPECT_EQ(data["ranks"][0]["statements"][2], "") << "which it never ran";
  EXPECT_EQ(data["ranks"][0]["page"]["names"], (nlohmann::json{"x", "y"}));
  EXPECT_FALSE(has(ranks.script, "of rank 1 only"));
  EXPECT_TRUE(has(ranks.section, "What the 2 ranks held"));
  EXPECT_TRUE(has(ranks.section, "<td>2</td><th scope=\"row\">x</th><td>0</td><td>1</td>")) << ranks.section;
  EXPECT_FALSE(has(ranks.section, ">y<")) << "which is the same";
}

TEST(RanksOnPage, HaveTheBeginningOfALongStatement) {
  RankBuilder first(0), other(1);
  first.run(kLong);
  other.run(kLong);
  const Page page(first.trace);
  const nlohmann::json data = data_of(ranks_on_page(page.trace, page.steps, {other.trace}).script);
  EXPECT_EQ(data["ranks"][0]["statements"][6], kLong.substr(0, 120) + "\u2026");
}

TEST(RanksOnPage, OfOneProcessAreNothing) {
  const RankBuilder alone(0);
  const Page page(alone.trace);
  const RanksOnPage ranks = ranks_on_page(page.trace, page.steps, {});
  EXPECT_EQ(ranks.script + ranks.section, "");
}

}  // namespace
}  // namespace lectern
