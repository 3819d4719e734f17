#include "site/bibliography.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

rendering::Link work(const std::string& title, const std::string& url) {
  rendering::Link link;
  link.title = title;
  link.url = url;
  link.authors = {"A. <One>", "B. Two"};
  link.organization = "ACL";
  link.date = "2018";
  return link;
}

TEST(Bibliography, HasEachWorkOnceInTheOrderOfItsMention) {
  Bibliography works;
  EXPECT_EQ(works.html(), "");
  EXPECT_EQ(works.number(work("B", "https://b.example")), 1);
  EXPECT_EQ(works.number(work("A", "")), 2);
  EXPECT_EQ(works.number(work("The same", "https://b.example")), 1);
  EXPECT_EQ(works.number(work("A", "")), 2);
  const std::string html = works.html();
  EXPECT_LT(html.find("<li id=\"reference.1\" data-url=\"https://b.example\">A. &lt;One&gt;, B. Two. <a "
                      "href=\"https://b.example\">B</a>. ACL, 2018.</li>"),
            html.find("<li id=\"reference.2\">A. &lt;One&gt;, B. Two. A. ACL, 2018.</li>"));
  EXPECT_EQ(html.find("The same"), std::string::npos);
}

TEST(Bibliography, KnowsCitedWorksByTheirKeys) {
  Bibliography works;
  rendering::Link cited = work("B", "https://b.example");
  EXPECT_EQ(works.number(cited), 1);
  cited.key = "b";
  cited.title = "Cited";
  EXPECT_EQ(works.number(cited), 1) << "the same work, linked to before";
  EXPECT_TRUE(works.html().find("Cited") != std::string::npos);
  cited.key = "c";
  EXPECT_EQ(works.number(cited), 2) << "the author told them apart";
  EXPECT_EQ(works.number(cited), 2);
  EXPECT_EQ(works.number(work("B", "https://b.example")), 1);
}

TEST(Bibliography, AuthorsThatAreNotNamedAreAlii) {
  rendering::Link link = work("B", "");
  link.authors = {"A. One", "et al."};
  EXPECT_EQ(author_list(link.authors), "A. One et al.");
  EXPECT_EQ(work_html(link), "A. One et al. B. ACL, 2018.");
  EXPECT_EQ(reference_label(link), "[One+ 2018]");
  link.authors = {"A. One", "B. Two", "C. Three", "et al."};
  EXPECT_EQ(author_list(link.authors), "A. One, B. Two, C. Three et al.");
  EXPECT_EQ(work_authors(link), "A. One, B. Two, C. Three et al. ");
  link.authors = {"A. One", "B. Two", "C. Three", "D. Four"};
  EXPECT_EQ(author_list(link.authors), "A. One, B. Two, C. Three et al.");
  EXPECT_EQ(author_list({"A. One", "B. Two", "C. Three"}), "A. One, B. Two and C. Three");
  EXPECT_EQ(author_list({"A. One"}), "A. One");
  EXPECT_EQ(author_list({}), "");
  link.authors = {"M. King Jr."};
  EXPECT_EQ(work_authors(link), "M. King Jr. ");
}

TEST(Bibliography, LinksOnlyWhereLinksMayLead) {
  Bibliography works;
  works.number(work("C", "javascript:alert(1)"));
  EXPECT_EQ(works.html().find("javascript"), std::string::npos);
  EXPECT_NE(works.html().find("Two. C. ACL"), std::string::npos);
}

}  // namespace
}  // namespace lectern
