#include "site/site_map.h"

#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace lectern {
namespace {

LectureSummary lecture_of(const std::string& name, const std::string& series = "", int order = 0,
                          const std::string& subseries = "", const std::vector<std::string>& tags = {}) {
  LectureSummary summary;
  summary.name = summary.title = name;
  summary.front.series = series;
  summary.front.subseries = subseries;
  summary.front.order = order;
  summary.front.tags = tags;
  return summary;
}

std::string names_in(const SiteMap& map) {
  std::string names;
  for (const LectureSummary& lecture : map.lectures) names += lecture.name;
  return names;
}

TEST(SiteMap, ReadsSeriesBySeriesAndTheRestByName) {
  std::vector<LectureSummary> lectures = {lecture_of("z", "A", 1),         lecture_of("y", "A", 2, "late"),
                                          lecture_of("x", "A", 9),         lecture_of("w", "A"),
                                          lecture_of("v", "A", 5, "late"), lecture_of("b", "B"),
                                          lecture_of("d", "", 0, "", {}),  lecture_of("c")};
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(lectures.begin(), lectures.end(), random);
    EXPECT_EQ(names_in(SiteMap(lectures)), "zyvxwbcd");
  }
}

TEST(SiteMap, NeighboursAreThoseOfTheSeries) {
  const SiteMap map({lecture_of("a", "S", 2), lecture_of("b", "S", 1), lecture_of("c"), lecture_of("d"),
                     lecture_of("e", "T")});
  const auto around = [&](const char* name) {
    const auto [previous, next] = map.neighbours(name);
    return (previous ? previous->name : "-") + name + (next ? next->name : "-");
  };
  EXPECT_EQ(around("b"), "-ba");
  EXPECT_EQ(around("a"), "ba-") << "the next series is another course";
  EXPECT_EQ(around("e"), "-e-");
  EXPECT_EQ(around("c"), "-cd");
  EXPECT_EQ(around("d"), "cd-");
  EXPECT_EQ(around("none"), "-none-");
}

TEST(SiteMap, GroupsNamesThatDifferInCaseOnly) {
  const SiteMap map(
      {lecture_of("a", "", 0, "", {"GPU", "gpu", "memory"}), lecture_of("b", "", 0, "", {"Gpu"})});
  const auto& tags = map.groups[kTags];
  ASSERT_EQ(tags.size(), 2u);
  EXPECT_EQ(tags[0].name, "GPU");
  EXPECT_EQ(tags[0].lectures, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(tags[1].slug, "memory");
  EXPECT_TRUE(map.groups[kSeries].empty());
}

TEST(SiteMap, SlugsAreNamesOfFilesAndTellNamesApart) {
  EXPECT_EQ(file_slug("Byte-pair  encoding"), "byte-pair-encoding");
  EXPECT_EQ(file_slug("FLOPs"), "flops");
  EXPECT_EQ(file_slug(""), "");
  const std::vector<std::string> names = {"C",
                                          "C++",
                                          "C#",
                                          "c*",
                                          "../x",
                                          "x",
                                          "Größe",
                                          "日本",
                                          "..",
                                          "\xE4",
                                          "\"<>",
                                          " ",
                                          "-",
                                          std::string(70, 'a'),
                                          std::string(71, 'a')};
  std::set<std::string> slugs;
  for (const std::string& name : names) {
    const std::string of = file_slug(name);
    EXPECT_TRUE(slugs.insert(of).second) << of;
    EXPECT_EQ(of.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos) << of;
    EXPECT_LE(of.size(), 70u);
    EXPECT_FALSE(of.empty());
  }
  EXPECT_EQ(file_slug("C++"), file_slug("c++"));
  EXPECT_EQ(group_path(kTags, "Big O"), "tags/big-o.html");
}

}  // namespace
}  // namespace lectern
