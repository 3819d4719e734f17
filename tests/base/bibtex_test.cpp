#include "base/bibtex.h"

#include <gtest/gtest.h>

#include "base/bibtex_text.h"
#include "base/error.h"

namespace lectern {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_bibtex(text, "r.bib");
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string field(const BibEntry& entry, const char* name) {
  const BibEntry::Field* const found = entry.find(name);
  return found == nullptr ? "(none)" : found->value;
}

TEST(Bibtex, EntriesHaveFieldsInBracesQuotesAndNumbers) {
  const auto entries = parse_bibtex(
      "Notes, me@example.org\n"
      "% @misc{commented, title={out}}\n"
      "@Article{vaswani2017,\n"
      "  Title = {Attention {Is} All You \"Need\"},\n"
      "  author = \"Vaswani, Ashish and {Google {Brain}}\" , % the first\n"
      "  year = 2017,\n"
      "  url={https://example.org/a_b%20c?x=#y},\n"
      "}\n"
      "@book(knuth:84, title = \"The {\\TeX}book\")",
      "r.bib");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].type, "article");
  EXPECT_EQ(entries[0].key, "vaswani2017");
  EXPECT_EQ(entries[0].line, 3);
  EXPECT_EQ(field(entries[0], "title"), "Attention {Is} All You \"Need\"");
  EXPECT_EQ(entries[0].find("title")->line, 4);
  EXPECT_EQ(field(entries[0], "author"), "Vaswani, Ashish and {Google {Brain}}");
  EXPECT_EQ(field(entries[0], "year"), "2017");
  EXPECT_EQ(field(entries[0], "url"), "https://example.org/a_b%20c?x=#y");
  EXPECT_EQ(field(entries[0], "pages"), "(none)");
  EXPECT_EQ(entries[1].key, "knuth:84");
  EXPECT_EQ(field(entries[1], "title"), "The {\\TeX}book");
}

TEST(Bibtex, StringsArePutInAndCommentsLeftOut) {
  const auto entries = parse_bibtex(
      "@comment{jabref-meta: databaseType:bibtex;}\n"
      "@comment this is one, too\n"
      "@preamble{\"\\newcommand{\\x}{y}\"}\n"
      "@STRING{jmlr = \"Journal of \" # {Machine Learning}}\n"
      "@article{a, title={T}, journal = JMLR # \" Research\", month = jun}",
      "r.bib");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(field(entries[0], "journal"), "Journal of Machine Learning Research");
  EXPECT_EQ(field(entries[0], "month"), "June");
}

TEST(Bibtex, PartsOfABookHaveWhatTheyLackFromIt) {
  const auto entries = parse_bibtex(
      "@inproceedings{part, title={Part}, crossref={BOOK}}\n"
      "@proceedings{book, title={The Book}, year=2018, publisher={P}}",
      "r.bib");
  EXPECT_EQ(entries[0].parent, "book");
  EXPECT_EQ(field(entries[0], "title"), "Part");
  EXPECT_EQ(field(entries[0], "booktitle"), "The Book");
  EXPECT_EQ(field(entries[0], "year"), "2018");
  EXPECT_EQ(entries[1].parent, "");
}

TEST(Bibtex, WhatIsWrongIsAnErrorAtItsLine) {
  EXPECT_EQ(refusal("\n@article{a,\n title={T}\n year=2017}"),
            "r.bib:4: in this @article `a` a comma is missing after `title`; write one, or balance the "
            "braces before");
  EXPECT_EQ(refusal("@article{a title={T}}"),
            "r.bib:1: in this @article `a` a comma is missing after its key; write one, or balance the "
            "braces before");
  EXPECT_EQ(refusal("@article{,title={T}}"), "r.bib:1: this @article has no key; write @article{key, …}");
  EXPECT_EQ(refusal("\n@article"),
            "r.bib:2: after @ an entry's type and { are missing; write @article{key, title = {…}}");
  EXPECT_EQ(refusal("@misc{a,\n title={T},\n title={U}}"),
            "r.bib:3: this @misc `a` has `title` twice; keep one");
  EXPECT_EQ(refusal("@misc{a, title={T}}\n\n@misc{A, title={U}}"),
            "r.bib:3: the key `A` is that of line 1, too; give one of them another");
  EXPECT_EQ(refusal("@misc{a,\n title={T},\n"),
            "r.bib:1: this @misc `a` has no end; add the } that is missing");
  EXPECT_EQ(
      refusal("@misc{a,\n title={T\n}\n@misc{b, title={U}}"),
      "r.bib:4: in this @misc `a` a comma is missing after `title`; write one, or balance the braces before");
  EXPECT_EQ(refusal("@misc{a,\n title=\"T}\",\n}"),
            "r.bib:2: in this @misc `a` a } has no {; remove it, or add the {");
  EXPECT_EQ(refusal("@misc{a,\n title={T,\n year=1"),
            "r.bib:2: the value that begins here, in this @misc `a`, has no end; balance its braces");
  EXPECT_EQ(refusal("@misc{a, title=}"), "r.bib:1: in this @misc `a` a value is missing; write it in braces");
  EXPECT_EQ(refusal("@misc{a, title {T}}"), "r.bib:1: after `title` a = is missing; write title = {…}");
  EXPECT_EQ(refusal("@misc{a, = {T}}"), "r.bib:1: in this @misc `a` a field has no name; write title = {…}");
  EXPECT_EQ(refusal("@string{jmlr={J}}\n@misc{a, journal=jmrl}"),
            "r.bib:2: no @string defines `jmrl`; did you mean `jmlr`?");
  EXPECT_EQ(refusal("@misc{a, journal=elsewhere}"),
            "r.bib:1: no @string defines `elsewhere`; define it, or write the value in braces");
  EXPECT_EQ(refusal("@string{a={J} b={K}}"), "r.bib:1: this @string goes on after its value; end it with }");
  EXPECT_EQ(refusal("@comment{a {b}\n"), "r.bib:1: this @comment has no end; add a }");
  EXPECT_EQ(refusal("@misc{a, title={T}, crossref={b}}"),
            "r.bib:1: there is no other entry `b`; correct this crossref");
  EXPECT_EQ(refusal("@misc{a, title={T}}\n@misc{b, title={\xE9}}"),
            "r.bib:2: is not UTF-8; save the file in this encoding");
}

TEST(Bibtex, StringsThatDoubleEachOtherEnd) {
  std::string text = "@string{s0 = {xxxxxxxxxxxxxxxx}}\n";
  for (int i = 1; i < 60; ++i) {
    const std::string before = "s" + std::to_string(i - 1);
    text += "@string{s" + std::to_string(i) + " = " + before + " # " + before + "}\n";
  }
  EXPECT_EQ(refusal(text), "r.bib:14: in this @string a value is longer than 64 KB; shorten it");
}

TEST(Bibtex, AnyBeginningOfAFileIsReadOrRefused) {
  const std::string text =
      "@string{j = \"J\"}\n@comment(c)\n@article{a,\n title = {A {B} \\\"o}, journal = j # 1, crossref = "
      "{b}\n}\n"
      "@book(b, title = \"C\")\n";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string said = refusal(text.substr(0, size));
    EXPECT_TRUE(said == "accepted" || said.starts_with("r.bib:")) << said;
  }
  EXPECT_EQ(refusal(std::string(100000, '{')), "accepted") << "it is comment";
  EXPECT_TRUE(refusal("@misc{a, title=" + std::string(100000, '{')).starts_with("r.bib:1: the value"));
}

TEST(BibtexText, AccentsAndSignsAreCharacters) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"Schr{\\\"o}dinger", "Schrödinger"},
      {"G{\\\"{o}}del, M\\\"uller", "Gödel, Müller"},
      {"\\'{e} \\`a \\^{\\i} \\'{\\i} \\~n \\=a \\.z \\c{c} \\c c \\v{s} \\H{o} \\k{a} \\r a \\u{g} \\d{o}",
       "é à î í ñ ā ż ç ç š ő ą å ğ ọ"},
      {"Stra{\\ss}e {\\O}re \\AA{} \\aa ngstr\\\"om \\L{}ukasz \\oe uvre",
       "Straße Øre Å ångström Łukasz œuvre"},
      {"1735--1780 --- ``quoted'' a~b", "1735–1780 — “quoted” a b"},
      {"R\\&D 5\\% \\$3 \\#1 a\\_b", "R&D 5% $3 #1 a_b"},
      {"{BERT}: {P}re-training of $k$-means", "BERT: Pre-training of k-means"},
      {"\\emph{Very} \\textbf{bold} {\\it text}", "Very bold text"},
      {"two\n   lines\\\\ here", "two lines here"},
      {"\\unknown{x}", "\\unknown x"},
      {"hy\\-phen", "hyphen"},
      {"\\'", ""},
      {"a\\", "a"},
      {"\\\"q", "q\u0308"},
      {"\\'{\\^e}", "ê\u0301"},
      {"東京 {\\\"A}", "東京 Ä"},
  };
  for (const auto& [latex, text] : cases) EXPECT_EQ(text_of_latex(latex), text) << latex;
  std::string accents;
  for (int i = 0; i < 100000; ++i) accents += "\\'";
  EXPECT_LT(text_of_latex(accents).size(), 100000U);
}

TEST(BibtexText, NamesAreWrittenFirstOrLast) {
  const auto names = names_of_latex(
      "Vaswani, Ashish and Noam Shazeer\n and van den Oord, A{\\\"a}ron and Ludwig van Beethoven and "
      "{OpenAI} and {Barnes and Noble} and King, Jr, Martin Luther AND others");
  std::vector<std::pair<std::string, std::string>> read;
  read.reserve(names.size());
  for (const BibName& name : names) read.emplace_back(name.whole, name.family);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"Ashish Vaswani", "Vaswani"},
      {"Noam Shazeer", "Shazeer"},
      {"Aäron van den Oord", "van den Oord"},
      {"Ludwig van Beethoven", "van Beethoven"},
      {"OpenAI", "OpenAI"},
      {"Barnes and Noble", "Barnes and Noble"},
      {"Martin Luther King Jr", "King"},
      {"et al.", ""}};
  EXPECT_EQ(read, expected);
  EXPECT_TRUE(names_of_latex(" and and ").empty());
  EXPECT_TRUE(names_of_latex("").empty());
  EXPECT_EQ(names_of_latex("others")[0].whole, "others") << "than whom?";
}

TEST(BibtexText, AddressesKeepWhatIsTheirs) {
  EXPECT_EQ(url_of_latex("https://a.example/~x\\_y--z?a\\&b"), "https://a.example/~x_y--z?a&b");
  EXPECT_EQ(url_of_latex("\\url{https://a.example}"), "https://a.example");
}

}  // namespace
}  // namespace lectern
