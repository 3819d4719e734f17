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

TEST(Reload, WakesWhoWaits) {
  Rebuilds rebuilds;
  std::thread builder([&] { rebuilds.add(); });
  EXPECT_EQ(rebuilds.wait_after(0), 1);
  builder.join();
  rebuilds.stop();
  EXPECT_EQ(rebuilds.wait_after(1), 1) << "does not wait once stopped";
}

}  // namespace
}  // namespace lectern::cli
