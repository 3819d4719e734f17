#include "cli/reload.h"

#include <thread>

#include <gtest/gtest.h>

namespace lectern::cli {
namespace {

TEST(Reload, AddsTheScriptAndLetsItConnect) {
  const std::string page = add_reload_script(
      "<head><meta content=\"default-src 'none'; script-src 'self'\"></head><body>default-src</body>");
  EXPECT_EQ(page,
            "<head><meta content=\"connect-src 'self'; default-src 'none'; script-src 'self'\">"
            "<script defer src=\"/lectern-reload.js\"></script>\n</head><body>default-src</body>");
}

TEST(Reload, LeavesWhatIsNoPageAlone) {
  EXPECT_EQ(add_reload_script("<p>nothing</p>"), "<p>nothing</p>");
}

TEST(Reload, TellsWhoWaitsHowTheBuildsStand) {
  BuildNews news;
  BuildState state;
  const int first = news.wait_after(0, state);
  EXPECT_EQ(state.json(), R"({"pages":0,"building":false,"problems":""})") << "at once";
  std::thread builder([&] {
    news.begin();
    news.end(true, "a.cpp:1: \"no\"\n");
  });
  int newest = first;
  while (state.pages == 0) newest = news.wait_after(newest, state);
  builder.join();
  EXPECT_EQ(state.json(), R"({"pages":1,"building":false,"problems":"a.cpp:1: \"no\"\n"})");
  news.stop();
  EXPECT_EQ(news.wait_after(newest, state), newest) << "does not wait once stopped";
}

}  // namespace
}  // namespace lectern::cli
