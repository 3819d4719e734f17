#include "base/files.h"

#include <csignal>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }

  mode_t mode(const char* file) const {
    struct stat found {};
    EXPECT_EQ(::stat((folder_ / file).c_str(), &found), 0);
    return found.st_mode & 07777;
  }

  test::TemporaryFolder folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string content("a\0b\n\xff", 5);
  write_file(folder_ / "deep/er/file", content);
  EXPECT_EQ(read_file(folder_ / "deep/er/file"), content);
}

TEST_F(Files, ReplacingLeavesNothingBeside) {
  write_file(folder_ / "file", "old");
  write_file(folder_ / "file", "new");
  EXPECT_EQ(read_file(folder_ / "file"), "new");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, AnUnchangedFileIsNotWritten) {
  EXPECT_TRUE(write_file_if_changed(folder_ / "file", "same"));
  const auto before = fs::last_write_time(folder_ / "file");
  EXPECT_FALSE(write_file_if_changed(folder_ / "file", "same"));
  EXPECT_EQ(fs::last_write_time(folder_ / "file"), before);
  EXPECT_TRUE(write_file_if_changed(folder_ / "file", "other"));
}

TEST_F(Files, AMissingFileIsNamed) {
  try {
    read_file(folder_ / "none");
    FAIL() << "read a file that is not there";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("none: cannot be read: No such file"), std::string::npos);
  }
}

TEST_F(Files, AFolderIsNoFile) {
  EXPECT_THROW(read_file(folder_.path()), Error);
  EXPECT_THROW(write_file(folder_.path(), "text"), Error);
  EXPECT_EQ(files_in_folder(), 0U);
}

// The limit on file sizes stands for a full disk.
TEST_F(Files, WhenWritingFailsTheOldFileStays) {
  write_file(folder_ / "file", "old");
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{1000, 1000};
    ::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(3);
    try {
      write_file(folder_ / "file", std::string(100'000, 'x'));
    } catch (const Error&) {
      ::_exit(0);
    }
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(read_file(folder_ / "file"), "old");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, PieceByPiece) {
  write_file(folder_ / "file", [](const Append& append) {
    append("one ");
    append("two");
  });
  EXPECT_EQ(read_file(folder_ / "file"), "one two");
  const auto torn = [](const Append& append) {
    append("half");
    throw std::runtime_error("torn");
  };
  EXPECT_THROW(write_file(folder_ / "file", torn), std::runtime_error);
  EXPECT_EQ(read_file(folder_ / "file"), "one two");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, WhatAKilledWriterLeftIsTakenOver) {
  write_file(folder_ / "file.writing", "half of someth");
  write_file(folder_ / "file", "new");
  EXPECT_EQ(read_file(folder_ / "file"), "new");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, TheUmaskHoldsForNewOnes) {
  for (const mode_t mask : {0022U, 0077U, 0002U}) {
    const mode_t before = ::umask(mask);
    write_file(folder_ / "file", "text");
    ::umask(before);
    EXPECT_EQ(mode("file"), 0666U & ~mask);
    fs::remove(folder_ / "file");
  }
}

TEST_F(Files, AReplacedOneKeepsItsMode) {
  for (const mode_t kept : {0600U, 0640U, 0666U, 0755U, 0444U}) {
    write_file(folder_ / "file", "old");
    ASSERT_EQ(::chmod((folder_ / "file").c_str(), kept), 0);
    write_file(folder_ / "file", [&](const Append& append) {
      append("new");
      EXPECT_EQ(mode("file.writing") & 0077, 0U);
    });
    EXPECT_EQ(mode("file"), kept);
    EXPECT_EQ(read_file(folder_ / "file"), "new");
  }
}

TEST_F(Files, WhatAKilledWriterLeftHasNoSayInTheMode) {
  write_file(folder_ / "file.writing", "half of someth");
  ASSERT_EQ(::chmod((folder_ / "file.writing").c_str(), 0666), 0);
  const mode_t before = ::umask(0077);
  write_file(folder_ / "file", "new");
  ::umask(before);
  EXPECT_EQ(mode("file"), 0600U);
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, LinksStayAndWhatTheyNameIsWritten) {
  write_file(folder_ / "real/file", "old");
  fs::create_directory(folder_ / "links");
  fs::create_symlink("../real/file", folder_ / "links/link");
  fs::create_symlink(folder_ / "links/link", folder_ / "second");
  write_file(folder_ / "second", "new");
  EXPECT_EQ(read_file(folder_ / "real/file"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "second") && fs::is_symlink(folder_ / "links/link"));
  EXPECT_TRUE(write_file_if_changed(folder_ / "links/link", "newer"));
  EXPECT_EQ(read_file(folder_ / "real/file"), "newer");
  EXPECT_EQ(files_below(folder_.path()), std::set<fs::path>{"real/file"});
}

TEST_F(Files, ALinkToNothingMakesIt) {
  fs::create_symlink("sub/file", folder_ / "link");
  write_file(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "sub/file"), "new");
}

TEST_F(Files, LinksInACircleAreRefused) {
  fs::create_symlink("b", folder_ / "a");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_THROW(write_file(folder_ / "a", "text"), Error);
  EXPECT_EQ(files_in_folder(), 2U);
}

TEST_F(Files, APipeIsWrittenToAndStays) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("pipe", folder_ / "link");
  for (const char* const name : {"pipe", "link"}) {
    std::string read;
    std::thread reader([&] { read = read_file(pipe); });
    EXPECT_TRUE(write_file_if_changed(folder_ / name, "through " + std::string(name)));
    reader.join();
    EXPECT_EQ(read, "through " + std::string(name));
  }
  EXPECT_TRUE(fs::is_fifo(pipe) && fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(files_in_folder(), 2U);
}

TEST_F(Files, ADeviceIsWrittenToAndAFullOneIsAnError) {
  const fs::path full = folder_ / "full";
  if (::mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0) GTEST_SKIP() << "no device can be made here";
  try {
    write_file(full, "text");
    FAIL() << "wrote to a full device";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("full: cannot be written: No space left on device"),
              std::string::npos)
        << error.what();
  }
  EXPECT_TRUE(fs::is_character_file(full));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, StandardOutputIsThisProcessesOwn) {
  const fs::path file = folder_ / "out";
  const pid_t child = ::fork();
  if (child == 0) {
    const int out = ::open(file.c_str(), O_WRONLY | O_CREAT, 0600);
    ::dup2(out, STDOUT_FILENO);
    for (const char* const name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
      write_file(name, "a line\n");
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(read_file(file), "a line\na line\na line\n");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, TwoWritersAtOnceBothWriteWhole) {
  const auto write_often = [&](char letter) {
    for (int i = 0; i < 50; ++i) write_file(folder_ / "file", std::string(100'000, letter));
  };
  std::thread other(write_often, 'a');
  write_often('b');
  other.join();
  const std::string content = read_file(folder_ / "file");
  EXPECT_EQ(content, std::string(100'000, content.front()));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, AreMovedOverOthersThatStay) {
  for (const char* file : {"from/a", "from/deep/b", "to/deep/b", "to/c"}) write_file(folder_ / file, file);
  move_files(folder_ / "from", folder_ / "to");
  EXPECT_FALSE(fs::exists(folder_ / "from"));
  EXPECT_EQ(files_below(folder_ / "to"), (std::set<fs::path>{"a", "c", "deep/b"}));
  EXPECT_EQ(read_file(folder_ / "to/deep/b"), "from/deep/b");
  move_files(folder_ / "none", folder_ / "to");
  keep_files(folder_ / "to", {"a"});
  EXPECT_EQ(files_below(folder_ / "to"), std::set<fs::path>{"a"});
  keep_files(folder_ / "to", {});
  EXPECT_FALSE(fs::exists(folder_ / "to"));
}

TEST_F(Files, ACopyEqualsItsOriginal) {
  write_file(folder_ / "from", "bytes");
  copy_file_if_changed(folder_ / "from", folder_ / "sub/to");
  EXPECT_EQ(read_file(folder_ / "sub/to"), "bytes");
}

}  // namespace
}  // namespace lectern
