#include "record/claim.h"

#include <compare>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "lecture/fake_recorder.h"
#include "record/inspect.h"

namespace lectern {
namespace {

using lectern::test::ClaimFailed;
using lectern::test::fake;

class Claim : public ::testing::Test {
 protected:
  void SetUp() override { fake() = {}; }

  static void expect_recorded(const std::string& json) {
    ASSERT_EQ(fake().claims.size(), 1U);
    EXPECT_EQ(fake().claims[0], json);
    fake().claims.clear();
  }
  static std::string last() { return fake().claims.empty() ? "" : fake().claims.back(); }
};

TEST_F(Claim, HoldsAndShowsBothOperands) {
  const int n = 128;
  LECTERN_ASSERT_COMPARE(n == 128);
  expect_recorded(R"({"ok":true,"op":"==","left":128,"right":128})");
  LECTERN_ASSERT_COMPARE(n + 1 > 100);
  expect_recorded(R"({"ok":true,"op":">","left":129,"right":100})");
  LECTERN_ASSERT_COMPARE(n <= 0.5e3);
  expect_recorded(R"({"ok":true,"op":"<=","left":128,"right":500.0})");
  LECTERN_ASSERT_COMPARE(n != 1);
  LECTERN_ASSERT_COMPARE(n >= 1);
  LECTERN_ASSERT_COMPARE(n < 1000);
  EXPECT_EQ(fake().claims.size(), 3U);
}

TEST_F(Claim, FailsWithTheOperandsInItsMessage) {
  const std::vector<int> v{1, 2};
  try {
    LECTERN_ASSERT_COMPARE(v.size() == 3);
    FAIL() << "a claim that does not hold went through";
  } catch (const ClaimFailed& failed) {
    EXPECT_STREQ(failed.what(), "lecture.cpp:7: claim failed: v.size() == 3  (left 2, right 3)");
  }
  expect_recorded(R"({"ok":false,"op":"==","left":2,"right":3})");
  fake().recording = false;
  EXPECT_THROW(LECTERN_ASSERT_COMPARE(v.size() == 3), ClaimFailed);
  EXPECT_TRUE(fake().claims.empty());
}

TEST_F(Claim, OfAnExerciseGoesOnWhenItFails) {
  fake().exercise = true;
  LECTERN_ASSERT_COMPARE(1 + 1 == 3);
  expect_recorded(R"({"ok":false,"op":"==","left":2,"right":3})");
  const std::string word;
  LECTERN_ASSERT_COMPARE(!word.empty());
  expect_recorded(R"({"ok":false})");
}

TEST_F(Claim, EvaluatesItsExpressionOnce) {
  int calls = 0;
  const auto next = [&calls] { return ++calls; };
  LECTERN_ASSERT_COMPARE(next() == 1);
  LECTERN_ASSERT_COMPARE(2 == next());
  EXPECT_EQ(calls, 2);
  EXPECT_THROW(LECTERN_ASSERT_COMPARE(next() == 0), ClaimFailed);
  EXPECT_EQ(calls, 3);
}

struct Bits {
  unsigned low : 3;
  bool set : 1;
};
struct Constants {
  static const int kThree = 3;  // declared, never defined
};
struct Mutable {
  int n;
  bool operator==(const Mutable& other) { return n == other.n; }  // not const
};
struct Explicit {
  bool held;
  explicit operator bool() const { return held; }
};
struct ExplicitResult {
  Explicit operator==(int n) const { return {n == 1}; }
};
struct NoValue {
  explicit NoValue(int) {}
  NoValue(const NoValue&) = delete;
  bool operator==(const NoValue&) const { return true; }

 private:
  [[maybe_unused]] int hidden_ = 0;
};
template <typename A, typename B>
int both() {
  return static_cast<int>(sizeof(A) + sizeof(B));
}
enum class Color { red, green };
int a_function() {
  return 1;
}

TEST_F(Claim, CompilesWhatAPlainAssertCompiles) {
  const Bits bits{5, true};
  LECTERN_ASSERT_COMPARE(bits.low == 5);
  expect_recorded(R"({"ok":true,"op":"==","left":5,"right":5})");
  LECTERN_ASSERT_COMPARE(bits.set == true);
  int* pointer = nullptr;
  LECTERN_ASSERT_COMPARE(pointer == 0);
  LECTERN_ASSERT_COMPARE(pointer == NULL);
  LECTERN_ASSERT_COMPARE(pointer == nullptr);
  LECTERN_ASSERT_COMPARE(0 == pointer);
  const std::unique_ptr<int> unique;
  LECTERN_ASSERT_COMPARE(unique == nullptr);
  LECTERN_ASSERT_COMPARE(Constants::kThree == 3);
  const std::string text = "text";
  fake().claims.clear();
  LECTERN_ASSERT_COMPARE(text == "text");
  expect_recorded(R"({"ok":true,"op":"==","left":"text","right":"text"})");
  LECTERN_ASSERT_COMPARE("text" == text);
  const std::vector<int> v(4);
  LECTERN_ASSERT_COMPARE(v.size() == 4);
  const int four = 4;
  LECTERN_ASSERT_COMPARE(four == v.size());
  LECTERN_ASSERT_COMPARE(both<int, char>() == 5);
  LECTERN_ASSERT_COMPARE(std::tuple<int, int>(1, 2) == std::tuple{1, 2});
  LECTERN_ASSERT_COMPARE((1 <=> 2) < 0);
  LECTERN_ASSERT_COMPARE((Mutable{1}) == (Mutable{1}));
  LECTERN_ASSERT_COMPARE(ExplicitResult{} == 1);
  LECTERN_ASSERT_COMPARE(NoValue(1) == NoValue(2));
  LECTERN_ASSERT_COMPARE(Color::red != Color::green);
  LECTERN_ASSERT_COMPARE(a_function == &a_function);
  LECTERN_ASSERT_COMPARE((four & 4) == 4);
  LECTERN_ASSERT_COMPARE(four << 1 == 8);
  LECTERN_ASSERT_COMPARE(four * 2 + 1 == 9);
  volatile int changing = 2;
  LECTERN_ASSERT_COMPARE(changing == 2);
  char buffer[3] = {'a', 'b', '\0'};
  LECTERN_ASSERT_COMPARE(text != buffer);
  LECTERN_ASSERT_COMPARE([](int n) { return n; }(3) == 3);
  LECTERN_ASSERT_COMPARE(Explicit{true});
  LECTERN_ASSERT_COMPARE(four == 4 && !text.empty());
  EXPECT_THROW(LECTERN_ASSERT_COMPARE(Explicit{false}), ClaimFailed);
  EXPECT_EQ(last(), R"({"ok":false})");
  // As an expression of type void, in the places where assert may stand.
  const int chosen = (LECTERN_ASSERT_COMPARE(four == 4), 7);
  EXPECT_EQ(chosen, 7);
  if (four == 4)
    LECTERN_ASSERT_COMPARE(four == 4);
  else
    FAIL();
  static_assert(std::is_void_v<decltype(LECTERN_ASSERT_COMPARE(four == 4))>);
}

constexpr int checked(int n) {
  LECTERN_ASSERT_COMPARE(n > 0);
  return n;
}
static_assert(checked(3) == 3);

TEST_F(Claim, InConstexprFunctionsAtRunTime) {
  EXPECT_EQ(checked(2), 2);
  expect_recorded(R"({"ok":true,"op":">","left":2,"right":0})");
  EXPECT_THROW(checked(0), ClaimFailed);
}

struct Loud {
  friend std::ostream& operator<<(std::ostream&, const Loud&) { throw std::runtime_error("no"); }
  friend bool operator==(const Loud&, const Loud&) { return true; }

 private:
  [[maybe_unused]] int hidden_ = 0;
};

TEST_F(Claim, ShowingAnOperandNeverChangesTheOutcome) {
  LECTERN_ASSERT_COMPARE(Loud() == Loud());
  expect_recorded(R"({"ok":true,"op":"==","left":{"cut":true},"right":{"cut":true}})");
  EXPECT_EQ(fake().pauses, fake().resumed);
}

TEST_F(Claim, PlainAssertRecordsThatItHeld) {
  const bool yes = true;
  LECTERN_ASSERT(yes && !fake().claims.size());
  expect_recorded(R"({"ok":true})");
  EXPECT_THROW(LECTERN_ASSERT(!yes), ClaimFailed);
}

TEST_F(Claim, OperandsAreBounded) {
  const std::vector<int> large(100'000, 7);
  LECTERN_ASSERT_COMPARE(large == large);
  EXPECT_LT(last().size(), 2200U);
}

}  // namespace
}  // namespace lectern
