#include <cstdlib>

#include "base/depfile.h"
#include "base/files.h"
#include "lecture/dependencies.h"
#include "lecture/hook_test.h"
#include "lecture/hooks.h"
#include "lecture/references_file.h"

namespace lectern {
namespace {

using test::fake;

class Citations : public test::HookTest {
 protected:
  ~Citations() override {
    unsetenv(kReferencesVariable);
    unsetenv(kDepfileVariable);
    unsetenv(kReferencesReasonsVariable);
  }

  void write_references(const std::string& text) { write(kReferencesFile, text); }
};

TEST_F(Citations, AreTheWorksOfTheFileBesideTheLecture) {
  write_references(R"(
@inproceedings{vaswani2017,
  title = {Attention is {All} you Need},
  author = {Vaswani, Ashish and Shazeer, Noam},
  booktitle = {Advances in {NeurIPS}},
  year = 2017, month = dec,
  eprint = {1706.03762}, archiveprefix = {arXiv},
  note = {The {T}ransformer.}
}
@article{hochreiter1997, title={Long Short-Term Memory}, author={Sepp Hochreiter and J{\"u}rgen Schmidhuber},
  journal={Neural Computation}, volume=9, number=8, pages={1735--1780}, year=1997, doi={10.1162/neco.1997.9.8.1735}}
@online{report, title={A Report}, author={{Big Lab}}, date={2024-05-13}, url={https://lab.example/a\_b}}
@misc{plain, title={No Author}, howpublished={\url{https://plain.example}}}
)");
  cite("vaswani2017");
  expect_shown(
      R"({"kind":"link","url":"https://arxiv.org/abs/1706.03762","title":"Attention is All you Need","label":"[Vaswani+ 2017]","authors":["Ashish Vaswani","Noam Shazeer"],"organization":"Advances in NeurIPS","date":"2017-12","notes":"The Transformer.","key":"vaswani2017"})");
  cite("hochreiter1997");
  expect_shown(
      R"({"kind":"link","url":"https://doi.org/10.1162/neco.1997.9.8.1735","title":"Long Short-Term Memory","label":"[Hochreiter+ 1997]","authors":["Sepp Hochreiter","Jürgen Schmidhuber"],"organization":"Neural Computation 9(8):1735–1780","date":"1997","key":"hochreiter1997"})");
  cite("report");
  expect_shown(
      R"({"kind":"link","url":"https://lab.example/a_b","title":"A Report","label":"[Big Lab 2024]","authors":["Big Lab"],"date":"2024-05-13","key":"report"})");
  cite("plain");
  expect_shown(R"({"kind":"link","url":"https://plain.example","title":"No Author","key":"plain"})");
}

TEST_F(Citations, OfUnknownKeysAreRefused) {
  expect_refused([] { cite("a"); }, "there is no references.bib beside the lecture; write one");
  write_references("@misc{vaswani2017, title={A}}\n");
  expect_refused([] { cite("vaswani2107"); },
                 "references.bib has no entry \"vaswani2107\"; did you mean \"vaswani2017\"?");
  expect_refused([] { cite("zz"); }, "add it, or correct the key");
}

TEST_F(Citations, WhatIsWrongInTheFileHasItsLine) {
  write_references("@misc{a,\n title={A}\n year=1}");
  expect_refused([] { cite("a"); }, "cite: references.bib:3: in this @misc `a` a comma is missing");
  fake().folder = fake().folder / "more";
  write_references(
      "@misc{year, title={A}, year={in press}}\n@misc{untitled, year=1}\n@misc{url, title={A}, "
      "url={ftp://x}}\n");
  expect_refused([] { cite("year"); },
                 "cite: references.bib:1: `year` has the year \"in press\"; write it as 2017");
  expect_refused([] { cite("untitled"); }, "references.bib:2: `untitled` has no title; give it one");
  expect_refused([] { cite("url"); }, "references.bib:3: `url` has a url that is no address");
  for (const char* address : {"notes.pdf", "mailto:a@b.example", "https://a b"}) {
    fake().folder = fake().folder / "more";
    write_references(std::string("@misc{url, title={A}, url={") + address + "}}");
    expect_refused([] { cite("url"); }, "write one of http or https, without blanks");
  }
}

TEST_F(Citations, MayLeaveAuthorsOut) {
  write_references("@misc{a, title={A}, author={Ada One and others}, year=2017}");
  cite("a");
  expect_shown(
      R"({"kind":"link","title":"A","label":"[One+ 2017]","authors":["Ada One","et al."],"date":"2017","key":"a"})");
}

TEST_F(Citations, MayComeFromWhereTheSiteSays) {
  const auto elsewhere = root_ / "course.bib";
  setenv(kReferencesVariable, elsewhere.c_str(), 1);
  expect_refused([] { cite("a"); }, "there is no course.bib where site.toml says; correct `references`");
  write_file(elsewhere, "@misc{a, title={Elsewhere}}");
  cite("a");
  expect_shown(R"({"kind":"link","title":"Elsewhere","key":"a"})");
  write_references("@misc{a, title={Beside}}");
  cite("a");
  expect_shown(R"({"kind":"link","title":"Beside","key":"a"})");
}

TEST_F(Citations, TheBuildSystemLearnsWhatWasRead) {
  const auto depfile = root_ / "run.d";
  write_file(depfile, "out.json:");
  setenv(kDepfileVariable, depfile.c_str(), 1);
  write_references("@misc{a, title={A}}");
  cite("a");
  cite("a");
  const std::string rule = "out.json: \\\n  " + escape_for_make(fake().folder / kReferencesFile);
  EXPECT_EQ(read_file(depfile), rule);
}

TEST_F(Citations, TheBuildSystemLearnsWhyItWasRead) {
  const auto depfile = root_ / "run.d", named = root_ / "course.bib";
  const std::string reasons = prerequisite_for_make(root_ / "site.toml");
  write_file(depfile, "out.json:");
  write_file(named, "@misc{a, title={A}}");
  setenv(kDepfileVariable, depfile.c_str(), 1);
  setenv(kReferencesVariable, named.c_str(), 1);
  setenv(kReferencesReasonsVariable, reasons.c_str(), 1);
  cite("a");
  cite("a");
  const std::string rule = "out.json:" + prerequisite_for_make(named) + reasons;
  EXPECT_EQ(read_file(depfile), rule);
  write_references("@misc{a, title={A}}");
  cite("a");
  EXPECT_EQ(read_file(depfile), rule + prerequisite_for_make(fake().folder / kReferencesFile))
      << "whatever site.toml says";
}

TEST_F(Citations, PrintWhereNothingIsRecorded) {
  fake().recording = false;
  testing::internal::CaptureStdout();
  cite("nobody");
  term("MFU", "model FLOPs utilization");
  term("MFU");
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "[nobody]\nMFU: model FLOPs utilization\nMFU\n");
}

TEST_F(Citations, TermsAreDefinedAndUsed) {
  term("MFU", "\n    the *share*\n    of the peak");
  expect_shown(R"({"kind":"term","name":"MFU","definition":"the *share*\nof the peak"})");
  term("MFU");
  expect_shown(R"({"kind":"term","name":"MFU"})");
  expect_refused([] { term(" "); }, "the term has no name; give it one");
}

}  // namespace
}  // namespace lectern
