#include "trace/reader.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "allocation.h"
#include "base/error.h"
#include "temporary_folder.h"
#include "trace/decode.h"
#include "trace/writer.h"

namespace lectern {
namespace {

const std::string kSmall =
    R"({"format":"lectern-trace/1",
"lecture":"small",
"profile":{"name":"cpu","threads":1},
"records":[
{"source":0,"path":"small.cpp","language":"cpp","lines":[
"int f() { return 1; }",
"int main() { f(); \"]},\"; }"]},
{"function":0,"name":"f","source":0,"span":[1,1,1,22]},
{"function":1,"name":"main","source":0,"span":[2,1,2,22],"untraced":"a reason"},
{"site":0,"function":0,"span":[1,11,1,20],"kind":"return","hide":true},
{"site":1,"function":1,"span":[2,14,2,18],"over":true,"volatile":["x"],"tolerance":[{"names":["x"],"rel":0.0001,"abs":0.0}]},
{"stack":0,"function":1},
{"at":1,"in":0,"enter":1,"ns":12},
{"stack":1,"function":0,"name":"f<int>","parent":0,"call":1},
{"at":0,"in":1,"enter":1,"vars":{"x":{"type":"int","value":5}},"show":[{"kind":"text","markdown":"é\n"}]},
{"at":1,"in":0,"after":true,"out":"printed","ended":{"by":"exit","status":3},"ns":5},
{"end":"exit","status":3,"steps":3,"out":"late"}
]}
)";

Trace parse(const std::string& text) {
  return parse_trace(text, "t.json");
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Reader, CeilingsOfDevicesAreOfTheProfile) {
  const std::string told = with(
      kSmall, R"("threads":1})",
      R"("threads":1,"ceilings":{"cpu":{"flops":{"float32":166000000000.0},"bytes":2.5e10,"measured":true},"cuda:0":{}}})");
  const Trace trace = parse(told);
  const Ceilings& ceilings = trace.profile.value().ceilings;
  ASSERT_EQ(ceilings.size(), 2U);
  EXPECT_EQ(*ceilings.find("cpu"), (Ceiling{{{"float32", 1.66e11}}, 2.5e10, true, {}}));
  EXPECT_EQ(parse(write_trace(trace)), trace);
  for (const char* const odd :
       {R"({"cpu":{"bytes":"many"}})", R"({"cpu":{"flops":[1]}})", R"({"":{"later":1}})"}) {
    const Trace kept =
        parse(with(kSmall, R"("threads":1})", std::string(R"("threads":1,"ceilings":)") + odd + "}"));
    EXPECT_EQ(kept.profile.value().ceilings[0].second.bytes, 0) << odd;
    EXPECT_TRUE(write_trace(kept).find(odd) != std::string::npos) << "kept, as what a later version may mean";
  }
  EXPECT_NE(error_of(with(kSmall, R"("threads":1})", R"("threads":1,"ceilings":"high"})")), "");
}

TEST(Reader, ReadsEveryField) {
  const Trace trace = parse(kSmall);
  EXPECT_EQ(trace.lecture, "small");
  EXPECT_EQ(trace.profile.value().threads, 1);
  ASSERT_EQ(trace.sources.size(), 1U);
  EXPECT_EQ(trace.sources[0].lines[1], "int main() { f(); \"]},\"; }");
  EXPECT_EQ(trace.functions[1].untraced, "a reason");
  EXPECT_EQ(trace.sites[0].kind, SiteKind::return_);
  EXPECT_TRUE(trace.sites[0].hide);
  EXPECT_TRUE(trace.sites[1].over);
  EXPECT_EQ(trace.sites[1].volatile_names, std::vector<std::string>{"x"});
  EXPECT_EQ(trace.sites[1].tolerances.at(0).rel, 1e-4);
  EXPECT_EQ(trace.stacks[1].name, "f<int>");
  EXPECT_EQ(trace.stacks[1].call, 1);
  EXPECT_EQ(trace.stacks[1].depth, 2);
  ASSERT_EQ(trace.steps.size(), 3U);
  EXPECT_EQ(trace.steps[0].ns, 12);
  EXPECT_TRUE(trace.steps[0].text.empty());
  const StepDetails details = trace.steps[1].details();
  EXPECT_EQ(*details.vars.find("x"), (Value{.type = "int", .form = std::int64_t{5}}));
  EXPECT_EQ(details.show.at(0).as<rendering::Text>()->markdown, "é\n");
  EXPECT_TRUE(trace.steps[2].after);
  EXPECT_EQ(trace.end.by, "exit");
  EXPECT_EQ(trace.end.status, 3);
  EXPECT_EQ(trace.end.out.bytes, "late");
  EXPECT_TRUE(trace.complete());
}

TEST(Reader, WriterGivesTheSameBytes) {
  EXPECT_EQ(write_trace(parse(kSmall)), kSmall);
}

TEST(Reader, AnyLayoutOfTheSameDocumentIsTheSameTrace) {
  EXPECT_EQ(write_trace(parse(Json::parse(kSmall).dump(2))), kSmall);
  EXPECT_EQ(write_trace(parse(Json::parse(kSmall).dump())), kSmall);
}

TEST(Reader, FieldsOfARecordMayStandInAnyOrder) {
  std::string text =
      with(kSmall, R"({"at":1,"in":0,"enter":1,"ns":12})", R"({"ns":12,"enter":1,"in":0,"at":1})");
  text = with(text, R"({"site":0,"function":0,)", R"({"function":0,"site":0,)");
  text = with(text, R"("name":"main","source":0,)", R"("source":0,"name":"main",)");
  EXPECT_EQ(write_trace(parse(text)), kSmall);
}

TEST(Reader, KeepsWhatItDoesNotKnow) {
  std::string text = with(kSmall, R"("records":[)", R"("later":{"a":[1,2]},
"records":[)");
  text = with(text, R"("untraced":"a reason"})", R"("untraced":"a reason","colour":"red"})");
  text = with(text, R"(,"enter":1,"ns":12})", R"(,"enter":1,"heat":[1, 2],"ns":12})");
  text = with(text, R"({"stack":1,)", R"({"remark":"between"},
{"stack":1,)");
  const Trace trace = parse(text);
  EXPECT_EQ(trace.unknown.text, R"({"later":{"a":[1,2]}})");
  EXPECT_EQ(trace.functions[1].unknown.text, R"({"colour":"red"})");
  EXPECT_EQ(trace.steps[0].details().unknown.text, R"({"heat":[1,2]})");
  ASSERT_EQ(trace.others.size(), 1U);
  EXPECT_EQ(Json::parse(write_trace(parse(write_trace(trace)))), Json::parse(write_trace(trace)));
  for (const char* kept : {"later", "colour", "heat", "remark"}) {
    EXPECT_NE(write_trace(trace).find(kept), std::string::npos) << kept;
  }
}

TEST(Reader, ATailTornAtAnyByteIsDropped) {
  const std::size_t records = kSmall.find(R"("records":[)") + std::string(R"("records":[)").size();
  const std::size_t last_step = kSmall.find(R"({"end")");
  std::size_t before = 0;
  for (std::size_t length = 0; length < kSmall.size(); ++length) {
    const std::string torn = kSmall.substr(0, length);
    if (length < records) {
      EXPECT_NE(error_of(torn), "") << length;
      continue;
    }
    const Trace trace = parse(torn);
    EXPECT_GE(trace.steps.size(), before) << length;
    before = trace.steps.size();
    EXPECT_EQ(trace.complete(), length >= kSmall.find("\n]}")) << length;
    if (length >= last_step) {
      EXPECT_EQ(trace.steps.size(), 3U) << length;
    }
    // As the recorder's mapping leaves it: zeros behind what was written.
    EXPECT_EQ(parse(torn + std::string(100, '\0')).steps.size(), before);
    EXPECT_NO_THROW(parse(write_trace(trace)));
  }
  EXPECT_EQ(before, 3U);
}

TEST(Reader, RefusesOtherVersionsAndOtherFiles) {
  EXPECT_EQ(error_of(with(kSmall, "lectern-trace/1", "lectern-trace/2")),
            "t.json:1: the trace is of version 2, this program reads version 1; use a Lectern of that "
            "version, or record "
            "the lecture again");
  EXPECT_EQ(parse(with(kSmall, "lectern-trace/1", "lectern-trace/1.4")).steps.size(), 3U);
  EXPECT_NE(error_of(with(kSmall, "lectern-trace/1", "lectern-trace/10")).find("version 10"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"files":{},"steps":[]})").find("no Lectern trace"), std::string::npos);
  EXPECT_NE(error_of(""), "");
  EXPECT_NE(error_of("\xFF\xFE"), "");
  EXPECT_NE(error_of("[1]"), "");
  EXPECT_NE(error_of("null"), "");
}

struct Damage {
  const char* from;
  const char* to;
  const char* message;
};

TEST(Reader, NamesTheLineOfWhatIsWrong) {
  const Damage damages[] = {
      {R"({"at":0,"in":1)", R"({"at":7,"in":1)", R"(t.json:15: bad record: "at":7 names nothing)"},
      {R"({"at":0,"in":1)", R"({"at":0,"in":-1)", R"(t.json:15: bad record: "in":-1 names nothing)"},
      {R"({"at":0,"in":1)", R"({"at":0)", R"("in":-1 names nothing)"},
      {R"({"at":0,"in":1)", R"({"at":1e99,"in":1)", R"(t.json:15: bad record: "at" is not a whole number)"},
      {R"({"at":0,"in":1,"enter":1)", R"({"at":0,"in":1,"enter":3)", "more frames than the stack has"},
      {R"("parent":0)", R"("parent":1)", R"(t.json:14: bad record: "parent":1 names nothing)"},
      {R"("call":1)", R"("call":99)", R"("call":99 names nothing)"},
      {R"({"site":0,"function":0)", R"({"site":0,"function":2)", R"("function":2 names nothing)"},
      {R"({"site":0)", R"({"site":5)", "not the next number"},
      {R"("span":[1,11,1,20])", R"("span":[1,11,1])", R"("span" has another form)"},
      {R"("span":[1,11,1,20])", R"("span":[0,11,1,20])", R"("span" has another form)"},
      {R"("kind":"return")", R"("kind":"dance")", R"("kind" has another form)"},
      {R"("path":"small.cpp",)", "", R"("path" is missing)"},
      {R"("path":"small.cpp",)", R"("path":5,)", R"("path" has another form)"},
      {R"("vars":{"x")", R"("vars":{x")", "t.json:15: this is not JSON: "},
      {R"("late"})", "\"late\"},\n{\"at\":0,\"in\":1}", "past the closing one"},
  };
  for (const Damage& damage : damages) {
    const std::string error = error_of(with(kSmall, damage.from, damage.to));
    EXPECT_NE(error.find(damage.message), std::string::npos) << damage.to << " gave: " << error;
  }
}

TEST(Reader, HostileTextEndsInAnError) {
  EXPECT_NE(
      error_of(with(kSmall, R"("vars":{)",
                    R"("deep":)" + std::string(100'000, '[') + std::string(100'000, ']') + R"(,"vars":{)"))
          .find("nested too deeply"),
      std::string::npos);
  EXPECT_NE(error_of(std::string(1'000'000, '[')), "");
  // Any single byte changed gives a trace or an error, nothing else.
  for (std::size_t i = 0; i < kSmall.size(); ++i) {
    for (const char byte : {'\0', '"', '{', '9', '\xFF', '\\'}) {
      std::string text = kSmall;
      text[i] = byte;
      try {
        for (const Step& step : parse(text).steps) EXPECT_NO_THROW(step.details());
      } catch (const Error& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("t.json")) << error.what();
      }
    }
  }
}

TEST(Reader, NamesWithEscapesAreTheSameNames) {
  EXPECT_EQ(parse(with(with(kSmall, R"("late")", R"("late","\u007f":1)"), R"({"at":0,"in":1)",
                       R"({"\u0061t":0,"in":1)"))
                .steps,
            parse(kSmall).steps);
  const Trace odd = parse(with(kSmall, R"("records":[)", R"("l\u007f\"":1,"records":[)"));
  EXPECT_EQ(Json::parse(odd.unknown.text), (Json{{"l\x7f\"", 1}}));
  EXPECT_EQ(parse(write_trace(odd)), odd);
}

TEST(Reader, NothingIsConvertedToWholeNumbers) {
  for (const char* number :
       {"1.0", "1e3", "1e300", "2147483648", "-2147483649", "18446744073709551615", "true", "\"1\""}) {
    const std::string error = error_of(with(kSmall, "[1,11,1,20]", std::string("[1,11,1,") + number + "]"));
    EXPECT_NE(error.find("\"span\" has another form"), std::string::npos) << number << error;
    EXPECT_NE(error_of(with(kSmall, R"({"stack":1,)",
                            R"({"at":1,"in":0,"ran":[)" + std::string(number) + "]},{\"stack\":1,")),
              "")
        << number;
  }
}

TEST(Reader, WhatPythonCanWriteAndNobodyCanHoldIsRefused) {
  for (const char* text :
       {R"("\ud800")", R"("\udc00")", R"("\ud800\ud800")", R"("\ud83d x")", "1e999", "-1e999"}) {
    const std::string error =
        error_of(with(kSmall, R"("vars":{)", std::string(R"("odd":)") + text + R"(,"vars":{)"));
    EXPECT_NE(error.find("t.json:15: this is not JSON: "), std::string::npos) << text << error;
  }
  EXPECT_NO_THROW(parse(with(kSmall, R"("vars":{)", R"("odd":["\ud83d\ude00",1e300,1e-999],"vars":{)"))
                      .steps[1]
                      .details());
}

TEST(Reader, EmptyNamesAndBytesOfStreamsComeBack) {
  std::string text =
      with(with(kSmall, R"("path":"small.cpp")", R"("path":"")"), R"("name":"f")", R"("name":"")");
  text = with(text, R"("out":"late")", R"("out":{"bytes":"ff00"},"err":"{\"bytes\":")");
  const Trace trace = parse(text);
  EXPECT_EQ(trace.end.out.bytes, std::string("\xff\0", 2));
  EXPECT_EQ(parse(write_trace(trace)), trace);
}

TEST(Reader, StatementsThatOverlapWithoutEndAreRefused) {
  std::string sites;
  for (int i = 2; i < 1000; ++i)
    sites += R"({"site":)" + std::to_string(i) + R"(,"function":0,"span":[1,1,2147483647,2147483647]},)";
  EXPECT_EQ(error_of(with(kSmall, R"({"stack":0)", sites + R"({"stack":0)")),
            "t.json: the statements of small.cpp overlap more than 200 deep; record the lecture again");
}

TEST(Reader, TakesMemoryInProportionToTheText) {
  const auto repeated = [](std::string_view part) {
    std::string text;
    while (text.size() < 100'000) text += part;
    return text;
  };
  const std::vector<std::pair<std::string, std::string>> texts = {
      {R"("records":[)", R"("a":[)" + repeated("0,") + R"(0],"records":[)"},
      {R"("records":[)", R"("a":[)" + repeated("[],") + R"([]],"records":[)"},
      {R"("records":[)", R"("a":[)" + repeated("{},") + R"({}],"records":[)"},
      {R"("records":[)", R"("a":[)" + repeated("\"\",") + R"(""],"records":[)"},
      {R"("records":[)", R"("a":[)" + repeated("{\"\":0},") + R"({}],"records":[)"},
      {R"("lines":[)", R"("lines":[)" + repeated("\"\",")},
      {R"("volatile":["x"])", R"("volatile":[)" + repeated("\"\",") + R"("x"])"},
      {R"({"stack":0)", repeated("{},") + R"({"stack":0)"},
      {R"({"stack":1)", repeated(R"({"at":0,"in":0},)") + R"({"stack":1)"},
      {R"({"stack":1)", R"({"at":0,"in":0,"a":")" + std::string(100'000, 'x') + R"("},{"stack":1)"},
  };
  for (const auto& [from, to] : texts) {
    const std::string text = with(kSmall, from, to);
    const std::size_t memory = test::memory_for([&] { parse(text); });
    EXPECT_GT(memory, text.size() / 100) << to.substr(0, 30);
    EXPECT_LE(memory, kReaderMemory * text.size() + (64 << 10)) << to.substr(0, 30);
  }
}

TEST(Reader, PointsToThePartialFileOfARunThatDidNotEnd) {
  const test::TemporaryFolder folder;
  const std::filesystem::path missing = folder / "run.json";
  std::ofstream(folder / "run.json.partial") << kSmall.substr(0, kSmall.size() - 30);
  try {
    read_trace(missing);
    FAIL() << "a trace that is not there was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("run.json.partial beside it"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(read_trace(folder / "run.json.partial").complete());
  std::filesystem::remove(folder / "run.json.partial");
  EXPECT_THROW(read_trace(missing), Error);
}

}  // namespace
}  // namespace lectern
