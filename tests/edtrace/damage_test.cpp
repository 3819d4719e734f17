// Traces in which one value after another is replaced by another kind of value.

#include <array>
#include <filesystem>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "../allocation.h"
#include "base/error.h"
#include "base/files.h"
#include "edtrace/document.h"
#include "edtrace/export.h"
#include "edtrace/fixtures.h"
#include "edtrace/import.h"
#include "trace/decode.h"
#include "trace/reader.h"
#include "trace/writer.h"

namespace lectern {
namespace {

using test::kTests;

/// Every value inside of a document, in order.
void each_value(Json& json, const std::function<void(Json&)>& see) {
  see(json);
  if (!json.is_structured()) return;
  for (Json& inner : json) each_value(inner, see);
}

/// The same document with its value number `at` replaced; kept for the next time.
std::string damaged(const Json& whole, std::size_t at, const Json& by) {
  Json copy = whole;
  std::size_t number = 0;
  Json* target = nullptr;
  each_value(copy, [&](Json& value) {
    if (number++ == at) target = &value;
  });
  *target = by;
  return copy.dump();
}

const std::array<Json, 14>& replacements() {
  static const std::array<Json, 14> all{
      Json(nullptr),
      Json(true),
      Json(-1),
      Json(4294967296),
      Json(1e300),
      Json(""),
      Json("nan"),
      Json("../x.svg"),
      Json::array(),
      Json::array({1, Json::array({"a"}), nullptr}),
      Json::object(),
      Json{{"type", "torch.Tensor"}, {"contents", {1}}, {"shape", {1, 0, 1}}},
      Json{{"float", "nan"}},
      Json{{"type", "link"}, {"kind", "image"}, {"external_link", {1}}}};
  return all;
}

/// Whatever was read: it is a trace, and exports are JSON.
void use(const Trace& trace, const std::string& from) {
  ASSERT_EQ(parse_trace(write_trace(trace), "again.json").steps.size(), trace.steps.size()) << from;
  for (const auto generation : {EdtraceGeneration::of_2025, EdtraceGeneration::later}) {
    const std::string exported = export_edtrace(trace, {.generation = generation});
    ASSERT_TRUE(Json::accept(exported)) << from;
    parse_edtrace(exported, "exported.json");
  }
}

template <typename Read>
void damage(const Json& whole, const Read& read, std::size_t times) {
  std::size_t values = 0, taken = 0;
  Json copy = whole;
  each_value(copy, [&](Json&) { ++values; });
  std::mt19937 random(7);
  for (std::size_t i = 0; i < times; ++i) {
    const std::string text =
        damaged(whole, random() % values, replacements()[random() % replacements().size()]);
    try {
      use(read(text), text);
      ++taken;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()), "");
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(taken, times / 10);
}

Json a_few_steps(const char* fixture) {
  Json whole = Json::parse(with_valid_numbers(read_file(kTests / "edtrace/traces" / fixture)));
  Json few = Json::array();
  for (std::size_t i = 0; i < whole["steps"].size(); ++i) {
    const Json& step = whole["steps"][i];
    if (i < 2 || !step["env"].empty() || !step["renderings"].empty()) few.push_back(step);
  }
  whole["steps"] = few;
  return whole;
}

TEST(EdtraceDamage, TheirsIsReadOrRefused) {
  for (const char* const fixture : {"tensors_2025.json", "tensors_later.json"}) {
    damage(
        a_few_steps(fixture), [](const std::string& text) { return parse_edtrace(text, "damaged.json"); },
        100);
  }
}

TEST(EdtraceDamage, ExportedOursIsReadOrRefused) {
  const std::string exported = export_edtrace(read_trace(kTests / "site/sample.json"),
                                              {.addresses = {{"bits.svg", "var/traces/bits.svg"}}});
  damage(
      Json::parse(exported), [](const std::string& text) { return parse_edtrace(text, "damaged.json"); },
      100);
}

TEST(EdtraceDamage, OursIsExportedWhateverItHolds) {
  const Json whole =
      Json::parse(write_trace(parse_edtrace(a_few_steps("tensors_later.json").dump(), "a.json")));
  damage(
      whole, [](const std::string& text) { return parse_trace(text, "damaged.json"); }, 100);
}

TEST(EdtraceDamage, MemoryIsInProportion) {
  const auto one_step = [](const std::string& environment, const std::string& renderings) {
    return R"({"files":{},"steps":[{"stack":[{"path":"a.py","line_number":1}],"env":{)" + environment +
           R"(},"renderings":[)" + renderings + "]}]}";
  };
  const auto repeated = [](const std::string& part) {
    std::string all = part;
    while (all.size() < 200'000) all += "," + part;
    return all;
  };
  std::vector<std::string> texts{R"({"steps":[)" + repeated("0"), one_step("", repeated("{}")),
                                 one_step("", repeated(R"({"data":0})"))};
  for (const char* const item : {"0", "[]", "{}", "[[]]", "NaN", "\"\"", R"({"":0})", R"({"a":{}})", "null",
                                 R"({"type":"","contents":0})"}) {
    texts.push_back(one_step(R"("x":[)" + repeated(item) + "]", ""));
  }
  texts.push_back(one_step(R"("x":[[)" + repeated("0") + "]]", ""));
  texts.push_back(one_step(repeated(R"("":0)"), ""));
  texts.push_back(one_step(R"("x":{)" + repeated(R"("":0)") + "}", ""));
  texts.push_back(one_step(R"("x":{"type":"T","contents":{)" + repeated(R"("":0)") + "}}", ""));
  for (const std::string& text : texts) {
    const std::size_t memory = test::memory_for([&] {
      try {
        parse_edtrace(text, "large.json");
      } catch (const Error&) {
      }
    });
    EXPECT_LE(memory / text.size(), kEdtraceMemory) << text.substr(0, 100);
  }
}

}  // namespace
}  // namespace lectern
