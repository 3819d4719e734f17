#include "base/file_mapping.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.h"
#include "base/files.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

TEST(FileMapping, ShowsTheFileAndLeavesItAsItIs) {
  const test::TemporaryFolder folder;
  write_file(folder / "file", "some bytes");
  const FileMapping mapping(folder / "file");
  EXPECT_EQ(mapping.text(), "some bytes");
  mapping.data()[0] = std::byte{'S'};
  EXPECT_EQ(mapping.text(), "Some bytes");
  EXPECT_EQ(read_file(folder / "file"), "some bytes");
  write_file(folder / "file", "new");
  EXPECT_EQ(mapping.text(), "Some bytes");
}

TEST(FileMapping, TakesNoMemoryForWhatIsNotLookedAt) {
  const test::TemporaryFolder folder;
  write_file(folder / "huge", "x");
  ASSERT_EQ(::truncate((folder / "huge").c_str(), off_t{1} << 42), 0);
  const FileMapping mapping(folder / "huge");
  EXPECT_EQ(mapping.size(), std::size_t{1} << 42);
  EXPECT_EQ(mapping.data()[mapping.size() - 1], std::byte{0});
}

TEST(FileMapping, OfAnEmptyFileIsEmpty) {
  const test::TemporaryFolder folder;
  write_file(folder / "empty", "");
  EXPECT_EQ(FileMapping(folder / "empty").text(), "");
}

TEST(FileMapping, RefusesWhatIsNoFile) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(FileMapping(folder / "missing"), Error);
  EXPECT_THROW(FileMapping{folder.path()}, Error);
  EXPECT_THROW(FileMapping{"/dev/null"}, Error);
}

}  // namespace
}  // namespace lectern
