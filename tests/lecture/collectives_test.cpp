#include <gtest/gtest.h>

#include "distributed/observer.h"
#include "lecture/hook_test.h"
#include "lecture/hooks.h"
#include "lecture/tensor_meter.h"

namespace lectern {
namespace {

using test::fake;

TEST(Collectives, AreRecordedWithTheirNumbers) {
  ASSERT_TRUE(record::tensors_are_metered);
  fake() = {};
  distributed::notify_observer({"all_reduce", 0, 7, 24, 48});
  distributed::notify_observer({"send", 2, 1, 4, 0, 1, 0, 9});
  EXPECT_EQ(fake().collectives,
            (std::vector<std::string>{
                R"({"name":"all_reduce","sequence":7,"sent":24,"received":48})",
                R"({"name":"send","group":2,"sequence":1,"sent":4,"from":1,"to":0,"tag":9})"}));
  fake().recording = false;
  distributed::notify_observer({"all_reduce", 0, 8, 24, 48});
  EXPECT_EQ(fake().collectives.size(), 2U);
  fake() = {};
}

using Processes = test::HookTest;

TEST_F(Processes, ThatNobodyStartedAreRefused) {
  fake().processes = 0;
  expect_refused([] { lecture({.title = "T", .date = "2026-01-31", .processes = 2}); },
                 ".processes is read before the lecture runs");
  fake().processes = 3;
  EXPECT_NO_THROW(lecture({.title = "T", .date = "2026-01-31", .processes = 2})) << "as the command said";
}

}  // namespace
}  // namespace lectern
