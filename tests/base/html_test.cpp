#include "base/html.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/files.h"

namespace lectern {
namespace {

TEST(Html, EscapesWhatHasAMeaning) {
  EXPECT_EQ(escape_html("a < b && c > \"d\""), "a &lt; b &amp;&amp; c &gt; &quot;d&quot;");
  EXPECT_EQ(escape_html("naïve 中 🦉"), "naïve 中 🦉");
}

TEST(Html, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(escape_html("a\xE4\xBDz"), "a\uFFFD\uFFFDz");
  EXPECT_EQ(escape_html(std::string_view("a\0b", 3)), "a\uFFFDb");
}

TEST(Html, ShowsWhatWouldNotBeSeenOrWouldTurnTheTextAround) {
  EXPECT_EQ(escape_html("a\u202Eb\u2066c\u2069d"), "a\\u{202E}b\\u{2066}c\\u{2069}d");
  EXPECT_EQ(escape_html("\t\r\n\x1B\x7F\u0085"), "\t\r\n\u241B\u2421\\u{85}");
  const std::string harmless = "\u00A0\u00E9\u200E\u2010\u2029\u202F\u2065\u206A\u05D0 \u0627";
  EXPECT_EQ(escape_html(harmless), harmless);
  EXPECT_EQ(with_pictures("<\u202E\x01"), "<\\u{202E}\u2401");
  EXPECT_EQ(with_pictures("\xC2\xFF"), "\xC2\xFF");
}

TEST(Html, LetsOnlyHarmlessLinksPass) {
  for (const char* url : {"https://example.org/a?b=c:d", "http://x", "HTTPS://x", "mailto:a@b.c",
                          "notes.html", "a/b#c", "#top", "?q=1", "../lecture_02/index.html", ""}) {
    EXPECT_TRUE(safe_link(url)) << url;
  }
  for (const char* url :
       {"javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
        "java\nscript:x", "\x01javascript:x", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
        "//evil.example/x", "/etc/passwd", "\\\\evil\\x", "blob:x", "view-source:x", "a\\b"}) {
    EXPECT_FALSE(safe_link(url)) << url;
  }
}

TEST(Html, KnowsAddressesOfTheWeb) {
  for (const char* url : {"https://example.org/a?b=c:d", "http://x", "HTTPS://x"})
    EXPECT_TRUE(is_web_address(url)) << url;
  for (const char* url : {"mailto:a@b.c", "notes.html", "https", "https:notes.html", "//x", "ftp://x",
                          " http://x", "a/http://x", "javascript://x", ""})
    EXPECT_FALSE(is_web_address(url)) << url;
}

TEST(Html, KnowsWhatStaysInsideAFolder) {
  for (const char* path : {"a.png", "figures/a.png", "a..b.png", ".hidden"})
    EXPECT_TRUE(inside_folder(path)) << path;
  for (const char* path :
       {"", "/a", "../a", "a/../b", "a/..", "./a", "a//b", "C:a", "a\\b", "http://x/a.png", "a/"}) {
    EXPECT_EQ(inside_folder(path), std::string_view(path) == "a/") << path;
  }
}

TEST(Html, TextOfHtmlIsWhatWasEscaped) {
  const std::string text = "x < y & \"z\" > 0";
  EXPECT_EQ(html_to_text("<b class=\"q\">" + escape_html(text) + "</b>"), text);
}

}  // namespace
}  // namespace lectern
