#include "supervise/sanitizer_report.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(SanitizerReport, OfAddressesHasTheAuthorsFrames) {
  std::string text =
      "from a child\n"
      "=================================================================\n"
      "==7709==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x55 bp 0x7f sp "
      "0x7f\n"
      "READ of size 4 at 0x602000000010 thread T0\n"
      "    #0 0x55f4cc3ea83e in std::vector<int, std::allocator<int> >::front() "
      "/usr/include/c++/12/bits/x.h:9\n"
      "    #1 0x55f4cc3ea83e in first(int const*) /a course/lectures/name/part.cpp:10\n"
      "    #2 0x55f4cc3ea83e in main /a course/lectures/name.cpp:31:3\n"
      "    #3 0x7f023f445249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58\n"
      "\n"
      "0x602000000010 is located 0 bytes inside of 12-byte region [0x602000000010,0x60200000001c)\n"
      "freed by thread T0 here:\n"
      "    #0 0x7f02402ba038 in operator delete[](void*) ../../asan_new_delete.cpp:155\n"
      "    #1 0x55f4cc3ea7de in main /a course/lectures/name.cpp:30\n"
      "\n"
      "previously allocated by thread T0 here:\n"
      "    #1 0x55f4cc3ea73b in main /a course/lectures/name.cpp:12\n"
      "\n"
      "SUMMARY: AddressSanitizer: heap-use-after-free /a course/lectures/name.cpp:10 in main\n"
      "Shadow bytes around the buggy address:\n";
  const auto report = take_sanitizer_report(text, "/a course/lectures");
  ASSERT_TRUE(report);
  EXPECT_EQ(text, "from a child");
  EXPECT_EQ(report->sanitizer, "AddressSanitizer");
  EXPECT_EQ(
      report->what,
      "heap-use-after-free: READ of size 4 in first (name/part.cpp:10), called from main (name.cpp:31:3); "
      "freed in main (name.cpp:30); previously allocated in main (name.cpp:12)");
  EXPECT_EQ(report->path, "name/part.cpp");
  EXPECT_EQ(report->line, 10);
  EXPECT_EQ(report->column, 0);
}

std::string stack_overflow(int places) {
  std::string text =
      "==1==ERROR: AddressSanitizer: stack-overflow on address 0x7ffc (pc 0x56 bp 0x0 sp 0x7f T0)\n";
  for (int i = 0; i < 200; ++i)
    text += "    #" + std::to_string(i) + " 0x5620 in deep(int) /l/a.cpp:" + std::to_string(6 + i % places) +
            "\n";
  text += "\nSUMMARY: AddressSanitizer: stack-overflow /l/a.cpp:6 in deep(int)\n";
  const auto report = take_sanitizer_report(text, "/l");
  EXPECT_EQ(text, "");
  return report ? report->what : "";
}

TEST(SanitizerReport, CutsDeepStacks) {
  EXPECT_EQ(stack_overflow(1), "stack-overflow in deep (a.cpp:6)");
  const std::string cut = stack_overflow(100);
  EXPECT_TRUE(cut.starts_with("stack-overflow in deep (a.cpp:6), called from deep (a.cpp:7), called from"))
      << cut;
  EXPECT_LT(cut.size(), 400U);
}

TEST(SanitizerReport, OfUndefinedBehaviorHasItsPlace) {
  std::string text =
      "/l/a.cpp:11:36: runtime error: signed integer overflow: 2 + 2147483647 cannot be represented\n";
  const auto report = take_sanitizer_report(text, "/l");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->what, "signed integer overflow: 2 + 2147483647 cannot be represented");
  EXPECT_EQ(report->path, "a.cpp");
  EXPECT_EQ(report->line, 11);
  EXPECT_EQ(report->column, 36);
  text = "/usr/include/x.h:1:2: runtime error: elsewhere\n";
  EXPECT_EQ(take_sanitizer_report(text, "/l")->path, "");
}

TEST(SanitizerReport, IsNotWhatAProgramPrints) {
  std::string text = "an error: of its own\n";
  EXPECT_FALSE(take_sanitizer_report(text, "/l"));
  EXPECT_EQ(text, "an error: of its own\n");
}

}  // namespace
}  // namespace lectern
