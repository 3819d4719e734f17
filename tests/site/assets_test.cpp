#include "site/assets.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using namespace std::string_literals;

void expect_size(const std::string& bytes, int width, int height) {
  const auto size = image_size(bytes);
  ASSERT_TRUE(size);
  EXPECT_EQ(size->width, width);
  EXPECT_EQ(size->height, height);
}

TEST(ImageSize, Png) {
  expect_size("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\x40\x08"s, 640, 320);
}

TEST(ImageSize, JpegAfterOtherSegments) {
  expect_size(
      "\xFF\xD8\xFF\xE0\0\x04"
      "ab\xFF\xC4\0\x03z\xFF\xC0\0\x11\x08\x01\x40\x02\x80\x03\0\0"s,
      640, 320);
}

TEST(ImageSize, Gif) {
  expect_size("GIF89a\x80\x02\x40\x01"s, 640, 320);
}

TEST(ImageSize, WebpWithoutLoss) {
  expect_size("RIFF\x1C\0\0\0WEBPVP8L\x0F\0\0\0/\x7F\xC2\x4F\0\0\x07\x10\x11\x88"s, 640, 320);
}

TEST(ImageSize, Svg) {
  expect_size(
      "<?xml version=\"1.0\"?>\n<svg xmlns='http://www.w3.org/2000/svg' width='640' height=\"320px\">", 640,
      320);
  expect_size("<svg stroke-width=\"2\" viewBox=\"0 0 640 320.4\">", 640, 320);
  expect_size("<svg width=\"100%\" height=\"100%\" viewBox=\"0,0,64,32\">", 64, 32);
}

TEST(ImageSize, UnknownOrTorn) {
  for (const std::string& bytes : {""s, "GIF8"s, "\x89PNG"s, "\xFF\xD8\xFF"s, "\xFF\xD8\xFF\xE0\0\0"s,
                                   "<svg>"s, "<svg viewBox=\"0 0\">"s, "RIFF"s, "<svg width=\"1"s}) {
    EXPECT_FALSE(image_size(bytes)) << bytes;
  }
}

TEST(Assets, AreTheFilesThatTheLectureShowed) {
  const test::TemporaryFolder folder;
  write_file(folder / "shown.svg", "<svg width=\"64\" height=\"32\">");
  const Assets assets({{"figures/a b.svg", folder / "shown.svg"}});
  EXPECT_TRUE(assets.contains("figures/a b.svg"));
  EXPECT_EQ(
      assets.image("figures/a b.svg", "two \"figures\""),
      "<img loading=\"lazy\" src=\"assets/figures/a%20b.svg\" alt=\"two &quot;figures&quot;\" width=\"64\" "
      "height=\"32\">");
  EXPECT_FALSE(assets.contains("shown.svg"));
  EXPECT_FALSE(Assets().contains("figures/a b.svg"));
}

}  // namespace
}  // namespace lectern
