#include "site/profiles.h"

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "has.h"
#include "site/render.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::has;
namespace fs = std::filesystem;

/// Traces in TRACES/PROFILE/NAME.json, as those of a course are.
class Profiles : public ::testing::Test {
 protected:
  Profiles() {
    options_.output = folder_ / "site";
    options_.templates = folder_ / "templates";
    options_.settings.base_url = "https://example.org/";
    options_.warn = [this](const std::string& warning) { warnings_.push_back(warning); };
    write_file(options_.templates / "assets/style.css", "");
    for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "site_templates")) {
      if (entry.path().extension() == ".mustache")
        fs::copy_file(entry, options_.templates / entry.path().filename());
    }
  }

  struct Recorded {
    std::string comment = {};  ///< in the source
    nlohmann::json device = {};
    bool draft = false;
    std::string link = {};  ///< that it shows
  };
  fs::path record(const std::string& profile, const std::string& lecture) {
    return record(profile, lecture, Recorded{});
  }
  fs::path record(const std::string& profile, const std::string& lecture, const Recorded& how) {
    nlohmann::ordered_json trace{{"format", "lectern-trace/1"}, {"lecture", lecture}};
    trace["profile"] = {{"name", profile}, {"threads", 2}};
    if (!how.device.is_null()) trace["profile"]["device"] = how.device;
    trace["records"] = nlohmann::ordered_json::parse(R"([
      {"source":0,"path":"a.cpp","language":"cpp","lines":["int main() {","  lecture({});","}"]},
      {"function":0,"name":"main","source":0,"span":[1,1,3,2]},
      {"site":0,"function":0,"span":[2,3,2,15],"kind":"hook"},
      {"stack":0,"function":0},
      {"at":0,"in":0,"enter":1,"show":[{"kind":"front","title":"T","series":"S","tags":["memory"]}]},
      {"end":"return","status":0,"steps":1}])");
    trace["records"][0]["lines"][2] = "}" + how.comment;
    nlohmann::ordered_json& show = trace["records"][4]["show"];
    show[0]["title"] = "The " + lecture;
    if (how.draft) show[0]["draft"] = true;
    if (!how.link.empty()) show.push_back({{"kind", "link"}, {"url", how.link}});
    const fs::path file = folder_ / ("traces/" + fs::path(profile).filename().string()) / (lecture + ".json");
    write_file(file, trace.dump());
    return file;
  }

  std::string site_file(const std::string& name) const { return read_file(options_.output / name); }
  bool exists(const std::string& name) const { return fs::exists(options_.output / name); }
  void render_further(const std::vector<fs::path>& traces) {
    RenderOptions further = options_;
    further.first_traces = folder_ / "traces/cpu";
    render_site(traces, further);
  }

  const test::TemporaryFolder folder_;
  RenderOptions options_;
  std::vector<std::string> warnings_;
};

constexpr const char* kStale = "This run was recorded from an earlier version of the lecture.";

TEST_F(Profiles, OfOneLectureArePagesThatLeadToEachOther) {
  render_site({record("cpu", "a"), record("cuda", "a", {.device = "NVIDIA H200"}), record("laptop", "a")},
              options_);
  EXPECT_TRUE(warnings_.empty());
  const std::string first = site_file("a/index.html"), cuda = site_file("a/cuda/index.html");
  EXPECT_TRUE(has(first,
                  "<a href=\"../a/index.html\" data-profile=\"cpu\" aria-current=\"page\">CPU</a>"
                  "<a href=\"../a/cuda/index.html\" data-profile=\"cuda\">NVIDIA H200</a>"
                  "<a href=\"../a/laptop/index.html\" data-profile=\"laptop\">laptop</a>"))
      << first;
  EXPECT_TRUE(has(first, " data-runs=\"cuda laptop\">"));
  EXPECT_TRUE(has(cuda,
                  "<a href=\"../../a/index.html\" data-profile=\"cpu\">CPU</a>"
                  "<a href=\"../../a/cuda/index.html\" data-profile=\"cuda\" aria-current=\"page\">"));
  EXPECT_TRUE(has(cuda, " data-runs=\"\">"));
  for (const char* path : {"href=\"../../assets/style.css\"", "src=\"../../assets/viewer.js\"",
                           "href=\"../../index.html\"", "href=\"../../tags/memory.html\""})
    EXPECT_TRUE(has(cuda, path)) << path;
  EXPECT_FALSE(has(cuda, "\"../assets"));
  EXPECT_FALSE(has(first + cuda, kStale));
}

TEST_F(Profiles, OfOneLectureAreOneToAllOthers) {
  render_site({record("cpu", "a"), record("cuda", "a")}, options_);
  const std::string canonical = "<link rel=\"canonical\" href=\"https://example.org/a/\">";
  EXPECT_TRUE(has(site_file("a/index.html"), canonical));
  EXPECT_TRUE(has(site_file("a/cuda/index.html"), canonical));
  for (const char* file : {"sitemap.xml", "index.html", "search.js", "symbols.html", "tags/memory.html"})
    EXPECT_FALSE(has(site_file(file), "cuda")) << file;
}

TEST_F(Profiles, OfALectureRecordedOnceHaveNoSwitch) {
  render_site({record("cpu", "a")}, options_);
  EXPECT_FALSE(has(site_file("a/index.html"), "runs"));
}

TEST_F(Profiles, KeepTheirPagesWhenOnlyOneIsRendered) {
  const fs::path cpu = record("cpu", "a"), cuda = record("cuda", "a");
  render_site({cpu, cuda}, options_);
  std::map<fs::path, std::string> before;
  for (const fs::path& file : files_below(options_.output)) before[file] = site_file(file);
  render_site({cpu}, options_);
  render_further({cuda});
  render_site({}, options_);
  for (const fs::path& file : files_below(options_.output)) EXPECT_EQ(site_file(file), before[file]) << file;
  EXPECT_EQ(files_below(options_.output).size(), before.size());
}

TEST_F(Profiles, OfEarlierVersionsSaySo) {
  const fs::path cuda = record("cuda", "a");
  render_site({record("cpu", "a"), cuda}, options_);
  render_site({record("cpu", "a", {.comment = " // new"})}, options_);  // no page of cuda is rendered
  EXPECT_TRUE(has(site_file("a/cuda/index.html"), kStale));
  EXPECT_TRUE(has(site_file("a/index.html"), "title=\"An earlier version of the lecture\">GPU</a>"));
  EXPECT_FALSE(has(site_file("a/index.html"), kStale));
  render_further({cuda});
  EXPECT_TRUE(has(site_file("a/cuda/index.html"), kStale));
  render_further({record("cuda", "a", {.comment = " // new"})});
  EXPECT_FALSE(has(site_file("a/cuda/index.html"), kStale));
}

TEST_F(Profiles, ShareTheFilesOfTheSameVersionOnly) {
  const fs::path cpu = record("cpu", "a"), cuda = record("cuda", "a");
  write_file(folder_ / "traces/cpu/a.assets/shared/growth.wasm", "module");
  write_file(folder_ / "traces/cpu/a.assets/figure.svg", "<svg/>");
  write_file(folder_ / "traces/cuda/a.assets/figure.svg", "<svg> </svg>");
  render_site({cpu}, options_);
  render_further({cuda});
  EXPECT_TRUE(exists("a/cuda/calculators/shared/growth.wasm.js"));
  EXPECT_EQ(site_file("a/cuda/assets/figure.svg"), "<svg> </svg>") << "its own comes first";
  render_further({record("cuda", "a", {.comment = " // old"})});
  EXPECT_FALSE(exists("a/cuda/calculators/shared/growth.wasm.js"));
}

TEST_F(Profiles, OfADraftAreNotPublishedWhicheverComesFirst) {
  const fs::path cpu = record("cpu", "a", {.draft = true}), cuda = record("cuda", "a");
  for (const auto& traces : {std::vector{cpu, cuda}, std::vector{cuda, cpu}}) {
    options_.drafts = true;
    render_site(traces, options_);
    EXPECT_TRUE(exists("a/index.html"));
    options_.drafts = false;
    render_site(traces, options_);
    EXPECT_FALSE(exists("a"));
    for (const fs::path& file : files_below(options_.output))
      EXPECT_FALSE(has(site_file(file), "The a")) << file;
  }
  render_further({cuda});
  EXPECT_FALSE(exists("a"));
}

TEST_F(Profiles, ThatAreOfDraftsAreNotPublishedBesideThePage) {
  const fs::path cpu = record("cpu", "a"), cuda = record("cuda", "a", {.draft = true});
  render_site({cpu}, options_);
  render_further({cuda});
  EXPECT_TRUE(exists("a/cuda/index.html"));
  options_.drafts = false;
  render_site({cpu}, options_);
  EXPECT_FALSE(exists("a/cuda"));
  render_further({cuda});
  EXPECT_FALSE(exists("a/cuda"));
  EXPECT_FALSE(has(site_file("a/index.html"), "class=\"runs\""));
}

TEST_F(Profiles, SayWhatIsWrongWhenTheirPagesChange) {
  render_site({record("cpu", "a")}, options_);
  const fs::path cuda = record("cuda", "a", {.link = "ftp://one"});
  render_further({cuda});
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(has(warnings_[0], "a.cpp:2: the link to ftp://one is left out")) << warnings_[0];
  render_further({cuda});
  EXPECT_EQ(warnings_.size(), 1u) << "at each build";
  render_further({record("cuda", "a", {.link = "ftp://two"})});
  EXPECT_EQ(warnings_.size(), 2u);
}

TEST_F(Profiles, StayChosenFromLectureToLecture) {
  render_site(
      {record("cpu", "a"), record("cuda", "a"), record("cpu", "b"), record("cuda", "b"), record("cpu", "c")},
      options_);
  EXPECT_TRUE(has(site_file("a/cuda/index.html"), "rel=\"next\" href=\"../../b/cuda/index.html\""));
  EXPECT_TRUE(has(site_file("b/cuda/index.html"), "rel=\"prev\" href=\"../../a/cuda/index.html\""));
  EXPECT_TRUE(has(site_file("b/cuda/index.html"), "rel=\"next\" href=\"../../c/index.html\""));
  EXPECT_TRUE(has(site_file("a/index.html"), "rel=\"next\" href=\"../b/index.html\""));
}

TEST_F(Profiles, ThatAreGoneLoseTheirPages) {
  render_site({record("cpu", "a"), record("cpu", "b")}, options_);
  const fs::path cuda = record("cuda", "a"), other = record("cuda", "b");
  render_further({cuda, other, record("cuda", "never_built_here")});
  EXPECT_TRUE(exists("a/cuda/index.html") && exists("b/cuda/index.html"));
  EXPECT_FALSE(exists("never_built_here"));
  render_further({other});
  EXPECT_FALSE(exists("a/cuda"));
  EXPECT_FALSE(has(site_file("a/index.html"), "class=\"runs\""));
  EXPECT_TRUE(has(site_file("b/index.html"), "class=\"runs\""));
}

TEST_F(Profiles, MayChangeTheirPlaces) {
  const fs::path cpu = record("cpu", "a"), cuda = record("cuda", "a");
  render_site({cpu, cuda}, options_);
  render_site({cuda}, options_);  // on another machine
  EXPECT_FALSE(exists("a/cuda"));
  EXPECT_FALSE(has(site_file("a/index.html"), "class=\"runs\""));
  render_site({cuda, cpu}, options_);
  EXPECT_TRUE(has(site_file("a/index.html"), "data-profile=\"cuda\" aria-current=\"page\""));
  EXPECT_TRUE(exists("a/cpu/index.html"));
}

TEST_F(Profiles, ThatCannotBePagesAreRefused) {
  const auto refused = [&](const std::string& profile) -> std::string {
    const fs::path cpu = record("cpu", "a"), other = record(profile, "a");
    fs::rename(other, folder_ / "other.json");
    try {
      render_site({record("cpu", "a"), folder_ / "other.json"}, options_);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  for (const char* profile :
       {"", "..", "../b", "a/b", "assets", "fragments", "calculators", "a b", "<b>", "a.b"})
    EXPECT_TRUE(has(refused(profile), "cannot name a folder beneath it")) << profile;
  EXPECT_TRUE(has(refused("cpu"), "is of the same lecture, a, and of the same profile, \"cpu\""));
  EXPECT_EQ(refused("cuda"), "");
}

TEST_F(Profiles, OfAFirstRunRemoveNoOtherFolder) {
  render_site({record("cpu", "b")}, options_);
  for (const char* profile : {"../b", "..", ".", ""}) {
    render_site({record(profile, "a")}, options_);
    EXPECT_TRUE(exists("a/index.html") && exists("b/index.html") && exists("index.html")) << profile;
  }
}

}  // namespace
}  // namespace lectern
