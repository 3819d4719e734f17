#include "site/document.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "edtrace/load.h"
#include "has.h"
#include "site/trace_builder.h"
#include "temporary_folder.h"
#include "trace/decode.h"
#include "trace/reader.h"

namespace lectern {
namespace {

using test::has;

const std::filesystem::path kSampleTrace =
    std::filesystem::path(LECTERN_SOURCE_DIR) / "tests/site/sample.json";

Document sample_document(const std::string& folder) {
  const Trace trace = read_trace(kSampleTrace);
  return lecture_document(trace, {.folder = folder, .files = shown_files(trace, kSampleTrace)});
}

TEST(Document, MarkdownHasProseCodeAndWhatItGave) {
  const std::string text = markdown_text(sample_document("sample.assets/"));
  EXPECT_TRUE(text.starts_with("# ")) << text.substr(0, 100);
  EXPECT_TRUE(has(text, "```cpp\nauto counts = count_pairs(ids);")) << text;
  EXPECT_TRUE(has(text, "\n```text\n")) << text;
  EXPECT_TRUE(has(text, "\ncounts = ")) << text;
  EXPECT_TRUE(has(text, "](sample.assets/bits.svg)")) << text;
  EXPECT_TRUE(has(text, "| --- | --- |")) << text;
  EXPECT_FALSE(has(text, "exercise(")) << "hooks are what they show";
  EXPECT_FALSE(has(text, "```cpp\n}\n```")) << text;
  EXPECT_FALSE(has(text, "@inspect counts")) << text;
}

TEST(Document, NotebooksHaveTheirImagesInside) {
  const Json notebook = Json::parse(notebook_text(sample_document("attachment:")));
  EXPECT_EQ(notebook.at("nbformat"), 4);
  std::size_t code = 0, attached = 0, outputs = 0;
  for (const Json& cell : notebook.at("cells")) {
    const std::string source = cell.at("source").is_array() ? cell.at("source").dump() : "";
    if (cell.at("cell_type") == "code") {
      ++code;
      outputs += cell.at("outputs").size();
    } else if (cell.contains("attachments")) {
      ++attached;
      EXPECT_TRUE(has(source, "](attachment:bits.svg)")) << source;
      EXPECT_EQ(cell.at("attachments").at("bits.svg").at("image/svg+xml").get<std::string>().substr(0, 4),
                "PHN2");
    }
  }
  EXPECT_GT(code, 2U);
  EXPECT_GT(outputs, 0U);
  EXPECT_EQ(attached, 1U);
}

TEST(Document, AttachmentsHaveTheNamesThatTheirCellsSay) {
  const test::TemporaryFolder folder;
  write_file(folder / "a.svg", "<svg width=\"1\" height=\"1\"/>");
  test::TraceBuilder built("image(a);\nimage(b);\n");
  built.hook("image(a);", R"([{"kind":"image","src":"a b%.svg"}])");
  built.hook("image(b);", R"([{"kind":"image","src":"\u4e2d.svg"}])");
  const Document document = lecture_document(
      built.trace,
      {.folder = "attachment:", .files = {{"a b%.svg", folder / "a.svg"}, {"\u4e2d.svg", folder / "a.svg"}}});
  std::size_t found = 0;
  for (const auto& [name, bytes] : document.files) {
    found += has(notebook_text(document), "](attachment:" + name + ")") ? 1 : 0;
    EXPECT_TRUE(name.ends_with(".svg"));
    EXPECT_EQ(name.find_first_of("% "), name.npos) << name;
  }
  EXPECT_EQ(found, 2U);
}

TEST(Document, LinksAndImagesInTextsLeadToTheFiles) {
  const test::TemporaryFolder folder;
  write_file(folder / "a.svg", "<svg width=\"1\" height=\"1\"/>");
  write_file(folder / "b.pdf", "%PDF-1.7");
  test::TraceBuilder built("text(a);\nlink(b);\n");
  built.hook(
      "text(a);",
      R"([{"kind":"text","markdown":"![A](./a.svg), [b](b.pdf#page=2), [none](c.pdf), `[a](a.svg)`"}])");
  built.hook("link(b);", R"([{"kind":"link","url":"b.pdf","label":"the paper"}])");
  const Document document = lecture_document(
      built.trace,
      {.folder = "l.assets/", .files = {{"a.svg", folder / "a.svg"}, {"b.pdf", folder / "b.pdf"}}});
  const std::string text = markdown_text(document);
  EXPECT_TRUE(has(text, "![A](l.assets/a.svg), [b](l.assets/b.pdf#page=2), [none](c.pdf), `[a](a.svg)`"))
      << text;
  EXPECT_TRUE(has(text, "[the paper](l.assets/b.pdf)")) << text;
  EXPECT_EQ(document.files.size(), 2U);
}

TEST(Document, AsksNobodyAndRunsNothing) {
  test::TraceBuilder built("text(a);\ncallout(b);\n");
  built.hook("text(a);",
             R"x([{"kind":"text","markdown":"![A](https://e.org/a.png) [b](javascript:alert(1))"}])x");
  built.hook("callout(b);", R"x([{"kind":"callout","type":"note","markdown":"![C](http://e.org/c.png)"}])x");
  const std::string text = markdown_text(lecture_document(built.trace, {}));
  EXPECT_TRUE(has(text, "[A](https://e.org/a.png) [b](#)")) << text;
  EXPECT_TRUE(has(text, "[C](http://e.org/c.png)")) << text;
  EXPECT_FALSE(has(text, "![")) << text;
}

TEST(Document, WhatLooksLikeMarkupIsText) {
  const Trace trace = parse_trace(R"x({"format":"lectern-trace/1","lecture":"l","records":[
{"source":0,"path":"a.cpp","language":"cpp","lines":["void f() {","  show();","}"]},
{"function":0,"name":"f","source":0,"span":[1,1,3,2]},
{"site":0,"function":0,"span":[2,3,2,10],"kind":"hook"},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"show":[{"kind":"text","markdown":"A <b>vector<int></b> for $5, but $x<y$ (see"},
{"kind":"link","url":"https://e.org/a(1)","label":"the [paper]"},{"kind":"text","markdown":")."},
{"kind":"note","markdown":"secret"},{"kind":"image","src":"gone.png","alt":"A figure"}]},
{"end":"return","steps":1}
]})x",
                                  "a.json");
  const std::string text = markdown_text(lecture_document(trace, {}));
  EXPECT_TRUE(has(text,
                  "A &lt;b>vector&lt;int>&lt;/b> for \\$5, but $x<y$ "
                  "(see [the \\[paper\\]](<https://e.org/a(1)>))."))
      << text;
  EXPECT_TRUE(has(text, "*Image: A figure*")) << text;
  EXPECT_FALSE(has(text, "secret")) << text;
}

TEST(Document, StartersAndCaptionsAreInIt) {
  const test::TemporaryFolder folder;
  write_file(folder.path() / "s.cpp", "// Replace <this>.\nint main() {}\n");
  write_file(folder.path() / "a.vtt", "WEBVTT\n\n01:01.000 --> 01:02.000\nIt costs $5, *really*\n");
  test::TraceBuilder built("video(v);\nexercise(e);\n");
  built.hook("video(v);",
             R"([{"kind":"video","src":"v.webm","alt":"A clip","captions":[{"src":"a.vtt","lang":"en"}]}])");
  built.hook("exercise(e);", R"([{"kind":"exercise","markdown":"Why?","starter":"s.cpp"}])");
  const DocumentOptions options{
      .files = {{"s.cpp", folder.path() / "s.cpp"}, {"a.vtt", folder.path() / "a.vtt"}}};
  const std::string text = markdown_text(lecture_document(built.trace, options));
  EXPECT_TRUE(has(text, "*Video: A clip*\n\nTranscript, en:\n\n```text\n1:01 It costs $5, *really*\n```\n"))
      << text;
  EXPECT_TRUE(has(text, "Why?\n\n**starter:** s.cpp\n\n```cpp\n// Replace <this>.\nint main() {}\n```"))
      << text;
  EXPECT_TRUE(has(notebook_text(lecture_document(built.trace, options)), "// Replace <this>."));
  EXPECT_FALSE(has(markdown_text(lecture_document(built.trace, {})), "// Replace"));
}

}  // namespace
}  // namespace lectern
