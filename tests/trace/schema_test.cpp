#include "trace/schema.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/files.h"

namespace lectern {
namespace {

TEST(Schema, OfTheRepositoryFollowsFromTheModel) {
  const std::filesystem::path file =
      std::filesystem::path(LECTERN_SOURCE_DIR) / "traces/lectern-trace-1.schema.json";
  EXPECT_TRUE(read_file(file) == trace_schema())
      << "write it anew: build/release/bin/lectern schema > traces/lectern-trace-1.schema.json";
}

}  // namespace
}  // namespace lectern
