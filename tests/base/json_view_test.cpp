#include "base/json_view.h"

#include <gtest/gtest.h>

#include "base/json_text.h"

namespace lectern {
namespace {

TEST(JsonView, MembersInTheirOrder) {
  const std::vector<JsonMember> members =
      json_members(R"({"a" : [1, {"b": "}"}] , "c\n":null,"a":"x\"y","":{}})");
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(members[0].name, "a");
  EXPECT_EQ(members[0].value, R"([1, {"b": "}"}])");
  EXPECT_EQ(members[1].name, R"(c\n)");
  EXPECT_EQ(json_member(members, "a"), R"("x\"y")");
  EXPECT_EQ(json_member(members, R"(c\n)"), "");
  EXPECT_EQ(json_member(members, "d"), "");
  EXPECT_EQ(json_member(members, ""), "{}");
  EXPECT_TRUE(json_members("[1]").empty());
  EXPECT_TRUE(json_members("").empty());
}

TEST(JsonView, Elements) {
  const std::vector<std::string_view> elements = json_elements(R"([1, "a,b" ,[2,3],{}])");
  ASSERT_EQ(elements.size(), 4U);
  EXPECT_EQ(elements[1], R"("a,b")");
  EXPECT_EQ(elements[2], "[2,3]");
  EXPECT_TRUE(json_elements("{}").empty());
  EXPECT_TRUE(json_elements("[]").empty());
}

TEST(JsonView, Strings) {
  EXPECT_EQ(json_string(R"("a\"\\\/\b\f\n\r\t")"), "a\"\\/\b\f\n\r\t");
  EXPECT_EQ(json_string(R"("\u00e4\ud83d\ude00")"), "\u00e4\U0001F600");
  EXPECT_EQ(json_string(R"("\ud83dx\ude00")"), "\uFFFDx\uFFFD");
  EXPECT_EQ(json_string(R"("\ud83d")"), "\uFFFD");
  EXPECT_EQ(json_string("12"), "");
  EXPECT_EQ(json_string("\""), "");
}

}  // namespace
}  // namespace lectern
