// Works that lectures cite and terms that they define, on their pages and on those of the site.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "has.h"
#include "site/glossary.h"
#include "site/site_bibliography.h"
#include "site/site_pages.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::has;
namespace fs = std::filesystem;
using Shown = nlohmann::ordered_json;

Shown cited(const std::string& key) {
  return {{"kind", "link"},
          {"url", "https://example.org/" + key},
          {"title", "The " + key},
          {"label", "[" + key + "+ 2017]"},
          {"authors", {"A. " + key, "B. Two"}},
          {"date", "2017"},
          {"key", key}};
}
Shown term(const std::string& name, const std::string& definition = {}) {
  Shown shown{{"kind", "term"}, {"name", name}};
  if (!definition.empty()) shown["definition"] = definition;
  return shown;
}
Shown text(const std::string& markdown) {
  return {{"kind", "text"}, {"markdown", markdown}};
}

class Mentions : public ::testing::Test {
 protected:
  Mentions() {
    options_.output = folder_ / "site";
    options_.templates = folder_ / "templates";
    options_.warn = [this](const std::string& warning) { warnings_.push_back(warning); };
    write_file(options_.templates / "assets/style.css", "");
    for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "site_templates")) {
      if (entry.path().extension() == ".mustache")
        fs::copy_file(entry, options_.templates / entry.path().filename());
    }
  }

  /// The trace of a lecture whose statements, from line 2 on, show these.
  fs::path record(const std::string& name, const std::vector<Shown>& statements,
                  const std::string& profile = "cpu") {
    std::vector<std::string> lines{"int main() {"}, sites, steps;
    for (std::size_t i = 0; i < statements.size(); ++i) {
      lines.push_back("  hook" + std::to_string(i) + "();");
      const auto line = static_cast<int>(i) + 2;
      sites.push_back(
          Shown{{"site", i}, {"function", 0}, {"span", {line, 3, line, 11}}, {"kind", "hook"}}.dump());
      Shown show = statements[i].is_array() ? statements[i] : Shown::array({statements[i]});
      Shown step{{"at", i}, {"in", 0}, {"show", show}};
      if (i == 0) step["enter"] = 1;
      steps.push_back(step.dump());
    }
    lines.emplace_back("}");
    std::string records =
        Shown{{"source", 0}, {"path", name + ".cpp"}, {"language", "cpp"}, {"lines", lines}}.dump();
    records +=
        ",\n" +
        Shown{{"function", 0}, {"name", "main"}, {"source", 0}, {"span", {1, 1, lines.size(), 2}}}.dump();
    for (const std::string& site : sites) records += ",\n" + site;
    records += ",\n{\"stack\":0,\"function\":0}";
    for (const std::string& step : steps) records += ",\n" + step;
    records += ",\n" + Shown{{"end", "return"}, {"status", 0}, {"steps", steps.size()}}.dump();
    const fs::path trace = folder_ / (profile == "cpu" ? name + ".json" : profile + "/" + name + ".json");
    write_file(trace, "{\"format\":\"lectern-trace/1\",\n\"lecture\":\"" + name + R"(","profile":{"name":")" +
                          profile + "\"},\"records\":[\n" + records + "\n]}");
    return trace;
  }
  void render(const std::string& name, const std::vector<Shown>& statements) {
    warnings_.clear();
    render_site({record(name, statements)}, options_);
  }

  std::string site_file(const std::string& name) const { return read_file(options_.output / name); }
  bool exists(const std::string& name) const { return fs::exists(options_.output / name); }

  const test::TemporaryFolder folder_;
  RenderOptions options_;
  std::vector<std::string> warnings_;
};

TEST_F(Mentions, CitationsLeadToTheReferencesOfTheirPage) {
  render("a",
         {Shown::array({text("As in"), cited("One"), text("and"), cited("Two"), text(".")}), cited("One")});
  const std::string page = site_file("a/index.html");
  EXPECT_TRUE(
      has(page, "href=\"#reference.1\" aria-describedby=\"site0.card0\" data-ref=\"1\">[One+ 2017]</a>"))
      << page;
  EXPECT_TRUE(has(page, "href=\"#reference.2\""));
  EXPECT_TRUE(has(page,
                  "<li id=\"reference.1\" data-url=\"https://example.org/One\">A. One, B. Two. "
                  "<a href=\"https://example.org/One\">The One</a>. 2017.</li>"));
  EXPECT_TRUE(has(page, "<li id=\"reference.2\""));
  EXPECT_FALSE(has(page, "<li id=\"reference.3\""));
  EXPECT_TRUE(has(site_file("a/search.json"), "[1,\"A. One, B. Two. The One. 2017.\",\"s0-2\"]"));
}

TEST_F(Mentions, TheBibliographyHasEveryWorkOnceAndWhereItIsCited) {
  render("a", {text("No work.")});
  EXPECT_FALSE(exists("bibliography.html"));
  EXPECT_FALSE(has(site_file("index.html"), "bibliography.html"));
  render("b", {cited("Two"), text("x"), cited("Two"), cited("One")});
  render("c", {cited("Two")});
  const std::string page = site_file("bibliography.html");
  EXPECT_TRUE(has(page, "2 works"));
  EXPECT_TRUE(has(page,
                  "The Two</a>. 2017.\n<span class=\"places\">Cited in "
                  "<a href=\"b/index.html#s0-2\">b, line 2</a>, <a href=\"b/index.html#s0-4\">line 4</a>, "
                  "<a href=\"c/index.html#s0-2\">c, line 2</a>.</span>"))
      << page;
  EXPECT_LT(page.find("The One"), page.find("The Two"));
  EXPECT_TRUE(has(site_file("index.html"), "<a href=\"bibliography.html\">Bibliography</a>"));
  fs::remove_all(options_.output / "b");
  fs::remove_all(options_.output / "c");
  render_site({}, options_);
  EXPECT_FALSE(exists("bibliography.html"));
}

TEST_F(Mentions, ReferencesThatNobodyCitesAreWarnedOf) {
  render("a", {cited("One"), cited("Part")});
  const fs::path file = folder_ / "references.bib";
  write_file(file,
             "@misc{One, title={1}}\n\n@misc{Two, title={2}}\n@inbook{Part, title={P}, crossref={Book}}\n"
             "@book{Book, title={B}}\n");
  EXPECT_EQ(unused_references(read_site(options_), file),
            std::vector{file.string() + ":3: no lecture cites `Two`; cite it, or remove it"});
  write_file(file, "@misc{One, title={1}");
  EXPECT_THROW(unused_references(read_site(options_), file), Error);
}

TEST_F(Mentions, TermsHaveTheirDefinitionOnEveryPageThatUsesThem) {
  render("b", {Shown::array({text("The"), term("mfu"), text("is low.")})});
  EXPECT_TRUE(has(site_file("b/index.html"),
                  "<span class=\"term\"><a class=\"ref\" href=\"#term.mfu\" "
                  "aria-describedby=\"term.mfu\">mfu</a></span>"));
  EXPECT_TRUE(has(site_file("b/index.html"), "<dd id=\"term.mfu\">It is not defined here.</dd>"))
      << "alone, a page knows nothing of others";
  render("c", {text("More.")});
  EXPECT_TRUE(has(site_file("b/index.html"), "<dd id=\"term.mfu\">No lecture defines it.</dd>"));
  EXPECT_EQ(undefined_terms(read_site(options_)),
            std::vector<std::string>{"b.cpp:2: no lecture defines the term \"mfu\"; define it where it is "
                                     "introduced: term(\"mfu\", \"…\")"});
  render("a", {text("Begin."), term("MFU", "the *share* of $x < y$ & `<b>`")});
  EXPECT_TRUE(undefined_terms(read_site(options_)).empty());
  EXPECT_TRUE(warnings_.empty());
  const std::string page = site_file("a/index.html");
  EXPECT_TRUE(has(page,
                  "<dfn class=\"term\"><a href=\"#term.mfu\">MFU</a></dfn> "
                  "<span class=\"meaning\">(the <em>share</em> of "))
      << page;
  for (const char* name : {"a/index.html", "b/index.html"}) {
    EXPECT_TRUE(has(site_file(name),
                    "<dt><a href=\"../glossary.html#term.mfu\">MFU</a></dt>"
                    "<dd id=\"term.mfu\">the <em>share</em> of "))
        << name;
    EXPECT_TRUE(has(site_file(name), "assets/katex.css"));
  }
  EXPECT_FALSE(has(site_file("b/index.html"), "No lecture defines it."));
  const std::string glossary = site_file("glossary.html");
  EXPECT_TRUE(has(glossary, "<dt id=\"term.mfu\">MFU</dt>\n<dd><p>the <em>share</em>")) << glossary;
  EXPECT_TRUE(has(glossary, "<code>&lt;b&gt;</code>"));
  EXPECT_TRUE(has(glossary, "assets/katex.css"));
  EXPECT_TRUE(has(glossary,
                  "Defined in <a href=\"a/index.html#s0-3\">a, line 3</a>. "
                  "Used in <a href=\"b/index.html#s0-2\">b, line 2</a>."));
  EXPECT_TRUE(has(site_file("index.html"), "<a href=\"glossary.html\">Glossary</a>"));
  render_site({}, options_);
  const std::string again = site_file("b/index.html");
  EXPECT_EQ(again.find("id=\"term.mfu\""), again.rfind("id=\"term.mfu\""))
      << "once, however often it is made anew";
  fs::remove_all(options_.output / "a");
  render_site({}, options_);
  EXPECT_TRUE(has(site_file("b/index.html"), "No lecture defines it."));
}

TEST_F(Mentions, TwoDefinitionsOfATermAreWarnedOfWithBothPlaces) {
  const std::string remedy = "; keep one of them, and write term(\"MFU\") in the other place";
  const auto conflicts = [this] { return conflicting_definitions(read_site(options_)); };
  render("a", {term("MFU", "one"), term("mfu", "one"), term("MFU", "two")});
  const std::string within = "a.cpp:4: term: \"MFU\" has another definition at a.cpp:2" + remedy;
  EXPECT_EQ(conflicts(), std::vector{within});
  render("b", {term("MFU", "three")});
  EXPECT_EQ(conflicts(),
            (std::vector{within, "b.cpp:2: term: \"MFU\" has another definition at a.cpp:2" + remedy}));
  render("a", {term("MFU", "three")});
  EXPECT_TRUE(conflicts().empty());
}

TEST_F(Mentions, DefinitionsThatWouldNotStandElsewhereAreShownAsTheyAreWritten) {
  for (const char* definition : {"one\n\ntwo", "- a list", "# A heading", "[a](../b.html) *b*"}) {
    render("a", {term("T", definition)});
    ASSERT_EQ(warnings_.size(), 1U) << definition;
    EXPECT_TRUE(has(warnings_.back(), "a.cpp:2: term: the definition of \"T\" is shown as it is written"))
        << warnings_.back();
    EXPECT_FALSE(has(site_file("glossary.html"), "<em>"));
  }
  render("a", {term("T", "[a](https://e.org) *b*")});
  EXPECT_TRUE(warnings_.empty());
  EXPECT_TRUE(has(site_file("glossary.html"), "<em>b</em>"));
}

TEST_F(Mentions, OfOneRunAreThoseOfItsLecture) {
  const Shown both = term("both", "b");
  render_site({record("a", {both, term("cpu only"), cited("One")}),
               record("a", {both, term("gpu only"), cited("One"), cited("Two")}, "cuda"),
               record("b", {term("GPU only", "g"), term("CPU only", "c")})},
              options_);
  const std::string first = site_file("a/index.html"), cuda = site_file("a/cuda/index.html");
  EXPECT_TRUE(has(first, "<dd id=\"term.cpu-only\">c</dd>") && !has(first, "id=\"term.gpu-only\""));
  EXPECT_TRUE(has(cuda, "<dd id=\"term.gpu-only\">g</dd>") && !has(cuda, "id=\"term.cpu-only\""));
  fs::remove_all(options_.output / "b");
  render_site({record("a", {term("gpu only")}), record("a", {term("GPU only", "g"), term("x")}, "cuda")},
              options_);
  EXPECT_TRUE(has(site_file("a/index.html"), "<dd id=\"term.gpu-only\">g</dd>"));
  EXPECT_TRUE(has(site_file("a/cuda/index.html"), "<dd id=\"term.x\">"));
  const std::string glossary = site_file("glossary.html");
  EXPECT_TRUE(has(glossary,
                  "Defined in <a href=\"a/cuda/index.html#s0-2\">a, line 2</a>. "
                  "Used in <a href=\"a/index.html#s0-2\">a, line 2</a>."))
      << glossary;
  fs::remove_all(options_.output / "a");
  render_site({record("a", {text("x")}), record("a", {both, cited("Two")}, "cuda")}, options_);
  EXPECT_TRUE(has(site_file("a/cuda/index.html"), "<h2 id=\"terms\">Terms</h2>\n<dl><dt>"))
      << "no empty list";
  EXPECT_TRUE(has(site_file("index.html"), "glossary.html") &&
              has(site_file("index.html"), "bibliography.html"));
  EXPECT_TRUE(has(site_file("bibliography.html"), "<a href=\"a/cuda/index.html#s0-3\">a, line 3</a>"));
}

TEST_F(Mentions, OneWorkUnderSeveralKeysIsOne) {
  Shown other = cited("One");
  other["key"] = "one2017";
  other["label"] = "[One et al. 2017]";
  render("a", {cited("One")});
  render("b", {other});
  const std::string merged = site_file("bibliography.html");
  EXPECT_TRUE(has(merged, "1 work "));
  EXPECT_TRUE(has(merged, "a, line 2</a>, <a href=\"b/index.html#s0-2\">b, line 2</a>")) << merged;
  other["title"] = "Another part";
  render("b", {cited("One"), other});
  const std::string apart = site_file("bibliography.html");
  EXPECT_TRUE(has(apart, "2 works")) << "one lecture tells them apart";
  EXPECT_TRUE(has(apart,
                  "The One</a>. 2017.\n<span class=\"places\">Cited in <a href=\"a/index.html#s0-2\">"
                  "a, line 2</a>, <a href=\"b/index.html#s0-2\">"))
      << apart;
}

TEST_F(Mentions, ListsLeadToAddressesOnTheWebOnly) {
  for (const char* address : {"notes.pdf", "mailto:a@b.example", "../b/index.html"}) {
    Shown work = cited("One");
    work["url"] = address;
    work.erase("key");
    render("a", {work});
    EXPECT_TRUE(has(site_file("a/index.html"), std::string("href=\"") + address + "\" aria-describedby"))
        << "in the text it leads where it says";
    EXPECT_TRUE(has(site_file("a/index.html"), "<li id=\"reference.1\">A. One, B. Two. The One. 2017.</li>"));
    EXPECT_TRUE(has(site_file("bibliography.html"), "<li>A. One, B. Two. The One. 2017."));
  }
}

TEST_F(Mentions, WhatIsHiddenMentionsNothing) {
  render("a", {cited("One"), term("T", "t")});
  std::string trace = read_file(folder_ / "a.json");
  for (std::size_t at = 0; (at = trace.find("\"kind\":\"hook\"", at)) != std::string::npos; at += 30)
    trace.insert(at, "\"hide\":true,");
  write_file(folder_ / "a.json", trace);
  render_site({folder_ / "a.json"}, options_);
  EXPECT_FALSE(exists("bibliography.html"));
  EXPECT_FALSE(exists("glossary.html"));
}

}  // namespace
}  // namespace lectern
