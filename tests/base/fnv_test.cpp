#include "base/fnv.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Fnv, GivesThePublishedValues) {
  EXPECT_EQ(fnv1a_32(""), 0x811c9dc5U);
  EXPECT_EQ(fnv1a_32("a"), 0xe40c292cU);
  EXPECT_EQ(fnv1a_32("foobar"), 0xbf9cf968U);
  EXPECT_EQ(fnv1a_64(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a_64("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a_64("foobar"), 0x85944171f73967e8U);
}

TEST(Fnv, GoesOnFromAPieceToTheNext) {
  EXPECT_EQ(fnv1a_32("bar", fnv1a_32("foo")), fnv1a_32("foobar"));
  EXPECT_EQ(fnv1a_64("bar", fnv1a_64("foo")), fnv1a_64("foobar"));
}

}  // namespace
}  // namespace lectern
