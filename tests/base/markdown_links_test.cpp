#include "base/markdown_links.h"

#include <vector>

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(MarkdownLinks, NameFilesInsideTheirFolder) {
  EXPECT_EQ(linked_file("./a/b.pdf#page=2").name, "a/b.pdf");
  EXPECT_EQ(linked_file("./a/b.pdf#page=2").rest, "#page=2");
  EXPECT_EQ(linked_file("a/../b.png?x").name, "b.png");
  for (const char* other : {"", ".", "a/", "../a.png", "/a.png", "https://e.org/a.png", "#top", "data:x"})
    EXPECT_EQ(linked_file(other).name, "") << other;
}

TEST(MarkdownLinks, LeadElsewhere) {
  std::vector<std::string> seen;
  const auto other = [&](const std::string& address) {
    seen.push_back(address);
    return address == "a.png" ? std::string("x/a.png") : std::string();
  };
  EXPECT_EQ(with_addresses("![i](a.png) [l](b.pdf \"t\") `[c](a.png)` [`d`](a.png)[", other),
            "![i](x/a.png) [l](b.pdf \"t\") `[c](a.png)` [`d`](x/a.png)[");
  EXPECT_EQ(seen, (std::vector<std::string>{"a.png", "b.pdf", "a.png"}));
  EXPECT_EQ(with_addresses("```\n[c](a.png)\n```\n[end](", other), "```\n[c](a.png)\n```\n[end](");
}

}  // namespace
}  // namespace lectern
