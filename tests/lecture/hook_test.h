#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "lecture/fake_recorder.h"
#include "temporary_folder.h"

namespace lectern::test {

/// What hooks show or refuse, in a lecture of one folder that has a figure and a video.
class HookTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fake() = {};
    fake().folder = root_ / "lectures";
    fake().assets = root_ / "run.assets";
    std::filesystem::create_directories(fake().folder / "figures");
    write("figures/a.svg", "<svg/>");
    write("clip.mp4", "video");
  }

  void write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories((fake().folder / name).parent_path());
    std::ofstream(fake().folder / name) << content;
  }

  static void expect_shown(const std::string& json) {
    ASSERT_EQ(fake().renderings.size(), 1U);
    EXPECT_EQ(fake().renderings[0], json);
    EXPECT_TRUE(nlohmann::json::accept(json));
    fake().renderings.clear();
  }

  /// The rendering that was shown last.
  static nlohmann::json take_shown() {
    nlohmann::json rendering = nlohmann::json::parse(fake().renderings.at(0));
    fake().renderings.clear();
    return rendering;
  }

  template <typename Hook>
  static void expect_refused(Hook hook, const std::string& message) {
    try {
      hook();
      ADD_FAILURE() << "accepted; expected: " << message;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("lecture.cpp:7: ")) << error.what();
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("; "), std::string::npos) << "what to do? " << error.what();
    }
    EXPECT_TRUE(fake().renderings.empty());
  }

  const test::TemporaryFolder root_;
};

}  // namespace lectern::test
