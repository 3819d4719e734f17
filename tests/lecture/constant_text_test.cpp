#include "lecture/constant_text.h"

#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "lecture/hook_test.h"
#include "lecture/hooks.h"
#include "record/inspect.h"

namespace lectern {
namespace {

class CitedWorks : public test::HookTest {};

// What a header of works has: no source that includes it initialises or destroys anything.
inline constexpr Reference attention = {
    .title = "Attention", .authors = {"Ashish Vaswani", "Noam Shazeer"}, .date = "2017"};
static_assert(attention.authors.size() == 2 && attention.title == "Attention");
static_assert(std::is_trivially_destructible_v<Reference> && std::is_trivially_copyable_v<Reference>);

constexpr const char* kAttention =
    R"({"kind":"link","title":"Attention","label":"[Vaswani+ 2017]","authors":["Ashish Vaswani","Noam Shazeer"],"date":"2017"})";

TEST_F(CitedWorks, AReferenceIsAConstant) {
  link(attention);
  expect_shown(kAttention);
}

Reference made_of_variables() {
  char title[] = "Attention";
  const std::string first = "Ashish Vaswani";
  std::vector<std::string> authors = {first, "Noam Shazeer"};
  Reference reference = {.title = title, .authors = authors, .date = std::string("20") + "17"};
  title[0] = 'x';
  authors.clear();
  return reference;
}

TEST_F(CitedWorks, OthersAreKept) {
  const Reference reference = made_of_variables();
  link(reference);
  expect_shown(kAttention);
  const std::string name = "Ashish Vaswani";
  link({.title = attention.title, .authors = {name.c_str(), std::string("Noam Shazeer")}, .date = "2017"});
  expect_shown(kAttention);
}

TEST_F(CitedWorks, AreAsManyAsThereAre) {
  const ConstantTexts list = {"1",  "2",  "3",  "4",  "5",  "6",  "7",  "8", "9",
                              "10", "11", "12", "13", "14", "15", "16", "17"};
  EXPECT_EQ(std::vector<std::string>(list.begin(), list.end()).back(), "17");
  const ConstantTexts many = std::vector<std::string>(1000, "Author");
  EXPECT_EQ(many.size(), 1000U);
  EXPECT_EQ(*(many.end() - 1), "Author");
  EXPECT_TRUE(ConstantTexts().empty());
}

TEST_F(CitedWorks, AreShownAsTexts) {
  EXPECT_EQ(value_text(attention.title), R"({"type":"lectern::ConstantText","value":"Attention"})");
  EXPECT_EQ(value_text(attention.authors),
            R"({"type":"lectern::ConstantTexts","items":["Ashish Vaswani","Noam Shazeer"]})");
  EXPECT_EQ(value_text(std::string("a text")), R"({"type":"std::string","value":"a text"})");
}

}  // namespace
}  // namespace lectern
