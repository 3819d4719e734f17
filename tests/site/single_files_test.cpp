#include "site/single_files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "has.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::has;
namespace fs = std::filesystem;

class SingleFiles : public ::testing::Test {
 protected:
  SingleFiles() {
    options_.output = folder_ / "out";
    options_.templates = LECTERN_SITE_TEMPLATES;
  }

  /// The trace of a lecture that uses a term.
  fs::path record(const std::string& file, const std::string& lecture, bool draft = false) {
    nlohmann::ordered_json trace{{"format", "lectern-trace/1"}, {"lecture", lecture}};
    trace["records"] = nlohmann::ordered_json::parse(R"([
      {"source":0,"path":"a.cpp","language":"cpp","lines":["int main() {","  lecture({});","}"]},
      {"function":0,"name":"main","source":0,"span":[1,1,3,2]},
      {"site":0,"function":0,"span":[2,3,2,15],"kind":"hook"},
      {"stack":0,"function":0},
      {"at":0,"in":0,"enter":1,"show":[{"kind":"front","title":"T"},{"kind":"term","name":"MFU"}]},
      {"end":"return","status":0,"steps":1}])");
    if (draft) trace["records"][4]["show"][0]["draft"] = true;
    write_file(folder_ / file, trace.dump());
    return folder_ / file;
  }

  std::string refused(const std::vector<fs::path>& traces) {
    try {
      render_single_files(traces, options_);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  bool exists(const std::string& name) const { return fs::exists(options_.output / name); }

  const test::TemporaryFolder folder_;
  RenderOptions options_;
};

TEST_F(SingleFiles, ClaimNothingOfOtherLectures) {
  EXPECT_TRUE(render_single_files({record("a.json", "a"), record("b.json", "b")}, options_));
  EXPECT_TRUE(exists("a.html"));
  const std::string page = read_file(options_.output / "b.html");
  EXPECT_TRUE(has(page, "It is not defined here."));
  EXPECT_FALSE(has(page, "No lecture defines it."));
}

TEST_F(SingleFiles, KnowTheTitlesOfThoseMadeWithThem) {
  const fs::path one = record("a.json", "a"), other = record("b.json", "b");
  auto trace = nlohmann::ordered_json::parse(read_file(other));
  trace["records"][4]["show"][0].update({{"title", "Sums & means"}, {"prerequisites", {"a", "algebra"}}});
  write_file(other, trace.dump());
  const auto page_of = [&](const std::vector<fs::path>& traces) {
    EXPECT_TRUE(render_single_files(traces, options_));
    return read_file(options_.output / "b.html");
  };
  EXPECT_TRUE(has(page_of({other}), "It builds on a, algebra."));
  const std::string page = page_of({one, other});
  EXPECT_TRUE(has(page, "It builds on T, algebra."));
  EXPECT_FALSE(has(page, "a/index.html")) << "is not in this file";
}

TEST_F(SingleFiles, OfOneLectureAreRefusedBeforeAnyIsWritten) {
  const std::string said =
      refused({record("a.json", "a"), record("b.json", "b"), record("more/b.json", "b")});
  EXPECT_TRUE(said.starts_with((folder_ / "more/b.json").string() + ": ")) << said;
  EXPECT_TRUE(has(said, (folder_ / "b.json").string() + " is of the same lecture, b")) << said;
  EXPECT_TRUE(has(refused({record("a.json", "a"), folder_ / "missing.json"}), "missing.json"));
  EXPECT_TRUE(has(refused({record("a.json", "a"), record("b.json", "../b")}), "cannot be a folder's"));
  const std::string longest(100, 'b');
  EXPECT_EQ(refused({record("a.json", longest + "b")}),
            (folder_ / "a.json").string() + ": the lecture's name \"" + longest +
                "\u2026\" cannot be a folder's; use letters, digits, \"-\" and \"_\", at most 100");
  EXPECT_FALSE(exists(""));
}

TEST_F(SingleFiles, OfDraftsAreLeftOutAndIfThereIsNoOtherRefused) {
  const fs::path draft = record("a.json", "a", true), other = record("b.json", "b");
  EXPECT_EQ(refused({draft, other}), "");
  EXPECT_TRUE(exists("a.html") && exists("b.html"));
  options_.drafts = false;
  const std::string said = refused({draft});
  EXPECT_TRUE(has(said, draft.string() + ": the lecture a is a draft, and drafts are left out here")) << said;
  EXPECT_TRUE(exists("a.html")) << "nothing is done";
  EXPECT_EQ(refused({draft, other}), "");
  EXPECT_FALSE(exists("a.html"));
  EXPECT_TRUE(exists("b.html"));
}

}  // namespace
}  // namespace lectern
