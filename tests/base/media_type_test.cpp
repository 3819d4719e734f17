#include "base/media_type.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace lectern {
namespace {

using namespace std::literals;

TEST(MediaType, BySignature) {
  for (const auto& [beginning, ending] :
       {std::pair("\x89PNG\r\n\x1A\n and more"sv, ".png"), std::pair("\xFF\xD8\xFF\xE0"sv, ".jpg"),
        std::pair("GIF89a"sv, ".gif"), std::pair("RIFF\0\0\0\0WEBPVP8 "sv, ".webp"),
        std::pair("\0\0\0 ftypavif"sv, ".avif"), std::pair("\0\0\0 ftypisom"sv, ".mp4"),
        std::pair("\x1A\x45\xDF\xA3"sv, ".webm"), std::pair("OggS\0"sv, ".ogv")}) {
    EXPECT_EQ(media_ending(beginning), ending);
  }
}

TEST(MediaType, SvgByItsRoot) {
  for (const char* const svg :
       {"<svg>", "<svg/>", "\xEF\xBB\xBF  <svg width=\"1\">", "<?xml version=\"1.0\"?><svg\n>",
        "<!-- <html> --><!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"svg11.dtd\">\n<svg >",
        "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg>"}) {
    EXPECT_EQ(media_ending(svg), ".svg") << svg;
  }
}

TEST(MediaType, CaptionsByTheirFirstLine) {
  for (const char* const captions :
       {"WEBVTT", "WEBVTT\n\n", "WEBVTT - a title\n", "WEBVTT\r\n", "\xEF\xBB\xBFWEBVTT\n"}) {
    EXPECT_EQ(media_ending(captions), ".vtt") << captions;
    EXPECT_EQ(media_type(captions), "text/vtt") << captions;
  }
  for (const char* const other :
       {"WEBVTTS\n", " WEBVTT\n", "webvtt\n", "1\n00:00:01,000 --> 00:00:02,000\nSubRip\n"})
    EXPECT_EQ(media_ending(other), "") << other;
}

TEST(MediaType, NothingElse) {
  for (const std::string_view other :
       {""sv, "<"sv, "<svg"sv, "<svgs>"sv, "text <svg>"sv, "<html><svg></svg></html>"sv, "<!-- <svg>"sv,
        "<?xml"sv, "<!DOCTYPE svg ["sv, "\x89PN"sv, "%PDF-1.7"sv, "RIFF\0\0\0\0WAVEfmt "sv, "-----BEGIN"sv}) {
    EXPECT_EQ(media_ending(other), "") << other;
  }
}

}  // namespace
}  // namespace lectern
