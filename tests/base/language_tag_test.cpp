#include "base/language_tag.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(LanguageTag, HasTheFormOfBcp47) {
  for (const char* const tag : {"en", "pt-BR", "zh-Hant", "de-1996", "es-419", "x-klingon"}) {
    const bool is_private = tag[0] == 'x';  // of one letter: a subtag of its own is meant, no language
    EXPECT_EQ(is_language_tag(tag), !is_private) << tag;
  }
  for (const char* const tag : {"", "e", "deutsch!", "fr_FR", "-en", "en-", "en--US", "123", "abcdefghi"})
    EXPECT_FALSE(is_language_tag(tag)) << tag;
}

TEST(LanguageTag, TellsWhereALanguageIsWrittenFromTheRight) {
  for (const char* const tag : {"ar", "AR", "he-IL", "fa-IR", "ur", "ku-Arab", "az-arab-IR", "yi"})
    EXPECT_TRUE(is_right_to_left(tag)) << tag;
  for (const char* const tag : {"", "en", "de", "ar-Latn", "ku", "ja", "zh-Hant", "arn", "sd-Deva"})
    EXPECT_FALSE(is_right_to_left(tag)) << tag;
}

}  // namespace
}  // namespace lectern
