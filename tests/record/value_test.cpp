#include <any>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <compare>
#include <complex>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <forward_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <queue>
#include <ranges>
#include <set>
#include <source_location>
#include <span>
#include <sstream>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <valarray>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include "lecture/fake_recorder.h"
#include "record/inspect.h"

/// What `lectern instrument` gives a class.
#define FIELDS(type, ...)                                                                            \
  static auto lectern_fields(type*) {                                                                \
    return []([[maybe_unused]] const auto& lectern_out, [[maybe_unused]] const auto& lectern_self) { \
      __VA_ARGS__                                                                                    \
    };                                                                                               \
  }
#define ONE(type, name) FIELDS(type, LECTERN_FIELD(name))
#define TWO(type, one, two) FIELDS(type, LECTERN_FIELD(one) LECTERN_FIELD(two))
#define THREE(type, one, two, three) FIELDS(type, LECTERN_FIELD(one) LECTERN_FIELD(two) LECTERN_FIELD(three))

namespace shapes {

struct Point {
  double x, y;
  TWO(Point, x, y)
};
struct Unnamed {
  double x, y;
};
struct Line {
  Point from, to;
  std::string name;
  THREE(Line, from, to, name)
};
enum class Color { red = 1, green = 2, blue = 250 };
enum Plain { low = -3, high = 7 };
enum class Narrow : std::uint8_t { on = 200 };
enum class Switch : bool { off, on };
enum class Flags : unsigned { a = 1, b = 2 };

struct Custom {
  int secret = 3;
  friend void to_value(lectern::ValueWriter& out, const Custom& custom) {
    out.begin_fields("Custom");
    out.field("secret");
    lectern::write_value(out, custom.secret);
    out.end();
  }
};
class Printed {
 public:
  explicit Printed(int n) : n_(n) {}
  friend std::ostream& operator<<(std::ostream& out, const Printed& p);

 private:
  int n_;
};
std::ostream& operator<<(std::ostream& out, const Printed& p) {
  return out << "Printed " << p.n_;
}
class Throwing {
 public:
  friend std::ostream& operator<<(std::ostream&, const Throwing&) { throw std::runtime_error("no"); }

 private:
  [[maybe_unused]] int n_ = 0;
};
class Closed {
  [[maybe_unused]] int hidden_ = 0;
};
struct Node {
  int id;
  Node* next;
  TWO(Node, id, next)
};
struct Shared {
  int id;
  std::vector<std::shared_ptr<Shared>> friends;
  TWO(Shared, id, friends)
};
struct Tree {
  int key;
  std::unique_ptr<Tree> left, right;
  THREE(Tree, key, left, right)
};
struct Bits {
  unsigned low : 3;
  unsigned high : 5;
  bool set : 1;
  THREE(Bits, low, high, set)
};
struct Arrays {
  int a[2][2];
  char name[300];
  double tail;
  THREE(Arrays, a, name, tail)
};
struct Derived : Point, private std::string {
  int z;
  FIELDS(Derived, lectern_out.base(static_cast<const Point&>(lectern_self));
         lectern_out.base(static_cast<const std::string&>(lectern_self)); LECTERN_FIELD(z))
};
struct Origin {
  int origin = 1;
  ONE(Origin, origin)
};
struct Left : virtual Origin {
  int left = 2;
  FIELDS(Left, lectern_out.base(static_cast<const Origin&>(lectern_self)); LECTERN_FIELD(left))
};
struct Right : virtual Origin {
  int right = 3;
  FIELDS(Right, lectern_out.base(static_cast<const Origin&>(lectern_self)); LECTERN_FIELD(right))
};
struct Diamond : Left, Right {
  FIELDS(Diamond, lectern_out.base(static_cast<const Left&>(lectern_self));
         lectern_out.base(static_cast<const Right&>(lectern_self));)
};
struct OfUnnamed {
  struct {
    int x = 1, y = 2;
    static auto lectern_unnamed_fields() {
      return [](const auto& lectern_out, const auto& lectern_self) { LECTERN_FIELD(x) LECTERN_FIELD(y) };
    }
  } at;
  ONE(OfUnnamed, at)
};
struct Interface {
  virtual ~Interface() = default;
  virtual double area() const = 0;
};
struct Square : Interface {
  double side = 2;
  double area() const override { return side * side; }
  FIELDS(Square, lectern_out.base(static_cast<const Interface&>(lectern_self)); LECTERN_FIELD(side))
};
struct OfOtherFile : Point {
  int not_shown = 0;
};
struct WithUnion {
  int tag;
  union {
    int i;
    float f;
  };
  FIELDS(WithUnion, LECTERN_FIELD(tag) lectern_out.anonymous_union();)
};
union PlainUnion {
  int i;
  float f;
};
union PrintedUnion {
  int i;
  float f;
  friend std::ostream& operator<<(std::ostream& out, const PrintedUnion& value) {
    return out << "i = " << value.i;
  }
};
class Account {
 public:
  explicit Account(double balance) : balance_(balance) {}
  TWO(Account, balance_, no_member)

 private:
  double balance_;
};
class Both {
 public:
  friend std::ostream& operator<<(std::ostream& out, const Both& both) { return out << "both " << both.n_; }
  ONE(Both, n_)

 private:
  int n_ = 1;
};
struct ParseError : std::runtime_error {
  using std::runtime_error::runtime_error;
  int line = 3;
  FIELDS(ParseError, lectern_out.base(static_cast<const std::runtime_error&>(lectern_self));
         LECTERN_FIELD(line))
};
struct NoDefault {
  explicit NoDefault(int n) : n_(n) {}
  friend bool operator==(const NoDefault&, const NoDefault&) = default;

 private:
  int n_;
};
struct Needs {
  NoDefault first;
  int second;
  TWO(Needs, first, second)
};
struct Wide {
  int a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
};
struct Naturals {
  struct Iterator {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    int n = 0;
    int operator*() const { return n; }
    Iterator& operator++() { return ++n, *this; }
    Iterator operator++(int) { return Iterator{n++}; }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {1}; }
  Iterator end() const { return {-1}; }
};
struct Words {
  mutable std::istringstream text{"a b c"};
  std::istream_iterator<std::string> begin() const { return std::istream_iterator<std::string>(text); }
  std::istream_iterator<std::string> end() const { return {}; }
};
struct Points {
  struct Iterator {
    using value_type = Point;
    using difference_type = std::ptrdiff_t;
    int n = 0;
    Point operator*() const { return {double(n), 0}; }
    Iterator& operator++() { return ++n, *this; }
    Iterator operator++(int) { return Iterator{n++}; }
    bool operator==(const Iterator&) const = default;
  };
  Iterator begin() const { return {0}; }
  Iterator end() const { return {3}; }
};
struct Throws {
  std::string text;
  explicit Throws(int n) { throw n; }
};
inline int twice(int n) {
  return 2 * n;
}
template <typename T>
T same(T value) {
  return value;
}
struct MoveOnly {
  std::unique_ptr<int> p;
  const int c;
};

}  // namespace shapes

namespace lectern {
namespace {

using shapes::Color;

void expect_value(const std::string& text, const std::string& expected) {
  EXPECT_EQ(text, expected);
  EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}
#define EXPECT_VALUE(value, expected) expect_value(value_text(value), expected)

class Value : public ::testing::Test {
 protected:
  void SetUp() override { lectern::test::fake() = {}; }
};

TEST_F(Value, NumbersOfEveryWidth) {
  EXPECT_VALUE(5, R"({"type":"int","value":5})");
  EXPECT_VALUE(static_cast<signed char>(-5), R"({"type":"signed char","value":-5})");
  EXPECT_VALUE(std::uint8_t{200}, R"({"type":"unsigned char","value":200})");
  EXPECT_VALUE(std::int16_t{-300}, R"({"type":"short","value":-300})");
  EXPECT_VALUE(std::numeric_limits<std::int64_t>::min(), R"({"type":"long","value":-9223372036854775808})");
  EXPECT_VALUE(std::numeric_limits<std::uint64_t>::max(),
               R"({"type":"unsigned long","value":18446744073709551615})");
  EXPECT_VALUE(true, R"({"type":"bool","value":true})");
  EXPECT_VALUE(nullptr, R"({"type":"std::nullptr_t","value":null})");
  const volatile int changing = 3;
  EXPECT_VALUE(changing, R"({"type":"int","value":3})");
  EXPECT_VALUE(std::atomic<int>{8}, R"({"type":"std::atomic<int>","value":8})");
}

#ifdef __FLT16_MANT_DIG__
TEST_F(Value, Float16) {
  const auto half = static_cast<_Float16>(1.5F);
  EXPECT_VALUE(half, R"({"type":"_Float16","value":1.5})");
  EXPECT_VALUE((std::vector<_Float16>{half, -half}),
               R"({"type":"std::vector<_Float16>","items":[1.5,-1.5]})");
  EXPECT_VALUE(&half, R"({"type":"const _Float16*","to":1.5})");
}
#endif

TEST_F(Value, Int128) {
  values::Int128 big = std::numeric_limits<std::int64_t>::max();
  EXPECT_VALUE(big * 10, R"({"type":"__int128","text":"92233720368547758070"})");
  EXPECT_VALUE(-big * 10, R"({"type":"__int128","text":"-92233720368547758070"})");
  EXPECT_VALUE(static_cast<values::UInt128>(0), R"({"type":"unsigned __int128","text":"0"})");
}

TEST_F(Value, FloatsReadBackAndSayWhatJsonCannot) {
  EXPECT_VALUE(0.1, R"({"type":"double","value":0.1})");
  EXPECT_VALUE(0.1F, R"({"type":"float","value":0.1})");
  EXPECT_VALUE(3.0, R"({"type":"double","value":3.0})");
  EXPECT_VALUE(-0.0, R"({"type":"double","value":-0.0})");
  EXPECT_VALUE(1e300, R"({"type":"double","value":1e+300})");
  EXPECT_VALUE(5e-324, R"({"type":"double","value":5e-324})");
  EXPECT_VALUE(std::nan(""), R"({"type":"double","value":{"float":"nan"}})");
  EXPECT_VALUE(-std::numeric_limits<float>::infinity(), R"({"type":"float","value":{"float":"-inf"}})");
  EXPECT_VALUE(2.5L, R"({"type":"long double","value":2.5})");
  EXPECT_VALUE(1.0L / 3, R"({"type":"long double","text":"0.33333333333333333334"})");
  EXPECT_VALUE(-1e4000L, R"({"type":"long double","text":"-1e+4000"})");
  EXPECT_VALUE(std::nanl(""), R"({"type":"long double","value":{"float":"nan"}})");
}

TEST_F(Value, Characters) {
  EXPECT_VALUE('a', R"({"type":"char","value":"a"})");
  EXPECT_VALUE('\0', R"({"type":"char","value":"\u0000"})");
  EXPECT_VALUE('\xE4', R"({"type":"char","value":{"bytes":"e4"}})");
  EXPECT_VALUE(U'\u4F60', "{\"type\":\"char32_t\",\"value\":\"\u4F60\"}");
  EXPECT_VALUE(L'w', R"({"type":"wchar_t","value":"w"})");
  EXPECT_VALUE(u8'x', R"({"type":"char8_t","value":"x"})");
  EXPECT_VALUE(char16_t{0xD800}, R"({"type":"char16_t","text":"'\\xd800'"})");
  EXPECT_VALUE(char32_t{0x110000}, R"({"type":"char32_t","text":"'\\x110000'"})");
}

TEST_F(Value, Strings) {
  EXPECT_VALUE(std::string("a\"\\\n\x01"), R"({"type":"std::string","value":"a\"\\\n\u0001"})");
  EXPECT_VALUE(std::string_view("view"), R"({"type":"std::string_view","value":"view"})");
  EXPECT_VALUE("array", R"({"type":"char[6]","value":"array"})");
  const char* pointer = "pointer";
  EXPECT_VALUE(pointer, R"({"type":"const char*","value":"pointer"})");
  pointer = nullptr;
  EXPECT_VALUE(pointer, R"({"type":"const char*","to":null})");
  char open[3] = {'a', 'b', 'c'};
  EXPECT_VALUE(open, R"({"type":"char[3]","value":"abc"})");
  EXPECT_VALUE(std::string("\xE4\xBD"), R"({"type":"std::string","value":{"bytes":"e4bd"}})");
  EXPECT_VALUE(std::u8string(u8"\u4F60"), "{\"type\":\"std::u8string\",\"value\":\"\u4F60\"}");
  EXPECT_VALUE(std::u16string(u"\U0001F600"), "{\"type\":\"std::u16string\",\"value\":\"\U0001F600\"}");
  EXPECT_VALUE(std::u32string(1, char32_t{0xD800}), "{\"type\":\"std::u32string\",\"value\":\"\uFFFD\"}");
  EXPECT_VALUE(std::wstring(L"w\u4F60"), "{\"type\":\"std::wstring\",\"value\":\"w\u4F60\"}");
  EXPECT_VALUE(std::pmr::string("own"), R"({"type":"std::basic_string<char, std::char_traits<char>, )"
                                        R"(std::pmr::polymorphic_allocator<char>>","value":"own"})");
}

TEST_F(Value, Enumerators) {
  EXPECT_VALUE(Color::red, R"({"type":"shapes::Color","text":"red","value":1})");
  EXPECT_VALUE(Color::blue, R"({"type":"shapes::Color","text":"blue","value":250})");
  EXPECT_VALUE(static_cast<Color>(9), R"({"type":"shapes::Color","value":9})");
  EXPECT_VALUE(static_cast<Color>(70000), R"({"type":"shapes::Color","value":70000})");
  EXPECT_VALUE(shapes::low, R"({"type":"shapes::Plain","text":"low","value":-3})");
  EXPECT_VALUE(shapes::Narrow::on, R"({"type":"shapes::Narrow","text":"on","value":200})");
  EXPECT_VALUE(shapes::Switch::on, R"({"type":"shapes::Switch","text":"on","value":1})");
  EXPECT_VALUE(static_cast<shapes::Flags>(3), R"({"type":"shapes::Flags","value":3})");
  EXPECT_VALUE(std::byte{7}, R"({"type":"std::byte","value":7})");
}

TEST_F(Value, Sequences) {
  EXPECT_VALUE((std::vector<int>{1, 2}), R"({"type":"std::vector<int>","items":[1,2]})");
  EXPECT_VALUE((std::vector<int>{}), R"({"type":"std::vector<int>","items":[]})");
  EXPECT_VALUE((std::vector<bool>{true, false}), R"({"type":"std::vector<bool>","items":[true,false]})");
  EXPECT_VALUE((std::deque<char>{'a'}),
               R"({"type":"std::deque<char>","items":[{"type":"char","value":"a"}]})");
  EXPECT_VALUE((std::list<float>{0.5F}), R"({"type":"std::list<float>","items":[0.5]})");
  EXPECT_VALUE((std::forward_list<int>{1, 2}), R"({"type":"std::forward_list<int>","items":[1,2]})");
  EXPECT_VALUE((std::set<std::string>{"a"}), R"({"type":"std::set<std::string>","items":["a"]})");
  EXPECT_VALUE((std::array<int, 3>{1, 2, 3}), R"({"type":"std::array<int, 3>","items":[1,2,3]})");
  const int array[2][2] = {{1, 2}, {3, 4}};
  EXPECT_VALUE(
      array,
      R"({"type":"int[2][2]","items":[{"type":"int[2]","items":[1,2]},{"type":"int[2]","items":[3,4]}]})");
  std::vector<int> numbers{1, 2};
  EXPECT_VALUE(std::span(numbers), R"({"type":"std::span<int>","items":[1,2]})");
  std::vector<bool> flags{true};
  EXPECT_VALUE(flags[0], R"({"type":"std::_Bit_reference","value":true})");
  EXPECT_VALUE(std::bitset<4>(5), R"({"type":"std::bitset<4>","text":"0101"})");
  EXPECT_VALUE((std::stack<int>(std::deque<int>{1, 2})), R"({"type":"std::stack<int>","items":[1,2]})");
}

TEST_F(Value, Maps) {
  EXPECT_VALUE((std::map<std::string, int>{{"a", 1}, {"b", 2}}),
               R"({"type":"std::map<std::string, int>","entries":[["a",1],["b",2]]})");
  EXPECT_VALUE(
      (std::unordered_map<int, std::vector<int>>{{1, {2}}}),
      R"({"type":"std::unordered_map<int, std::vector<int>>","entries":[[1,{"type":"std::vector<int>","items":[2]}]]})");
  EXPECT_VALUE(
      (std::multimap<std::pair<int, int>, char>{{{1, 2}, 'x'}}),
      R"({"type":"std::multimap<std::pair<int, int>, char>","entries":[[{"type":"std::pair<int, int>","items":[1,2]},{"type":"char","value":"x"}]]})");
}

TEST_F(Value, ViewsWithoutEndOrOfOnePassOnly) {
  const std::string endless = value_text(shapes::Naturals{});
  EXPECT_TRUE(nlohmann::json::accept(endless));
  EXPECT_TRUE(endless.ends_with(R"(,{"cut":true}]})")) << endless.substr(endless.size() - 40);
  EXPECT_LE(endless.size(), ValueWriter::kDefaultBudget);
  const shapes::Words words;
  EXPECT_EQ(value_text(words).find(R"("a")"), std::string::npos);
  std::string first;
  words.text >> first;
  EXPECT_EQ(first, "a") << "showing must not consume";
}

TEST_F(Value, TuplesOptionalsVariants) {
  EXPECT_VALUE((std::pair<int, std::string>{1, "a"}),
               R"({"type":"std::pair<int, std::string>","items":[1,"a"]})");
  EXPECT_VALUE((std::tuple<int, double, char>{1, 2, 'c'}),
               R"({"type":"std::tuple<int, double, char>","items":[1,2.0,{"type":"char","value":"c"}]})");
  EXPECT_VALUE(
      (std::pair(nullptr, true)),
      R"({"type":"std::pair<std::nullptr_t, bool>","items":[{"type":"std::nullptr_t","value":null},true]})");
  EXPECT_VALUE(std::tuple<>{}, R"({"type":"std::tuple<>","items":[]})");
  EXPECT_VALUE(std::optional<int>{}, R"({"type":"std::optional<int>","to":null})");
  EXPECT_VALUE(std::optional<int>{3}, R"({"type":"std::optional<int>","to":3})");
  EXPECT_VALUE((std::variant<int, std::string>{"s"}),
               R"({"type":"std::variant<int, std::string>","to":{"type":"std::string","value":"s"}})");
  EXPECT_VALUE((std::variant<int, char>{'c'}),
               R"({"type":"std::variant<int, char>","to":{"type":"char","value":"c"}})");
  EXPECT_VALUE((std::variant<std::monostate, int>{}),
               R"({"type":"std::variant<std::monostate, int>","to":{"type":"std::monostate"}})");
  std::variant<int, shapes::Throws> broken;
  EXPECT_THROW(broken.emplace<shapes::Throws>(1), int);
  EXPECT_VALUE(broken, R"({"type":"std::variant<int, shapes::Throws>","text":"valueless"})");
  EXPECT_VALUE(std::any{}, R"({"type":"std::any","to":null})");
  EXPECT_VALUE(std::any{3}, R"({"type":"std::any","to":{"type":"int","value":3}})");
  EXPECT_VALUE(std::any{std::string("s")}, R"({"type":"std::any","to":{"type":"std::string","value":"s"}})");
  EXPECT_VALUE(std::any{'c'}, R"({"type":"std::any","to":{"type":"char","value":"c"}})");
  EXPECT_VALUE((std::any{shapes::Point{1, 2}}), R"({"type":"std::any","to":{"type":"shapes::Point"}})");
  EXPECT_VALUE(std::chrono::milliseconds(12),
               R"({"type":"std::chrono::duration<long, std::ratio<1, 1000>>","quantity":12,"unit":"ms"})");
  EXPECT_VALUE(std::chrono::nanoseconds(9007199254740993),
               R"({"type":"std::chrono::duration<long, std::ratio<1, 1000000000>>",)"
               R"("quantity":9007199254740993,"unit":"ns"})");
  EXPECT_VALUE(
      (std::chrono::duration<double, std::ratio<1, 3>>(0.5)),
      R"({"type":"std::chrono::duration<double, std::ratio<1, 3>>","quantity":0.5,"unit":"× 1/3 s"})");
  EXPECT_VALUE(std::filesystem::path("/a/b"), R"({"type":"std::filesystem::path","text":"\"/a/b\""})");
}

TEST_F(Value, ComplexNumbersHaveBothPartsInFull) {
  EXPECT_VALUE(std::complex<double>(0.1, -2),
               R"({"type":"std::complex<double>","fields":[["real",0.1],["imag",-2.0]]})");
  EXPECT_VALUE(std::complex<float>(1.0F / 3, std::nanf("")),
               R"({"type":"std::complex<float>","fields":[["real",0.33333334],["imag",{"float":"nan"}]]})");
  EXPECT_VALUE((std::vector<std::complex<double>>{{0, 1}}),
               R"({"type":"std::vector<std::complex<double>>","items":[)"
               R"({"type":"std::complex<double>","fields":[["real",0.0],["imag",1.0]]}]})");
}

TEST_F(Value, Aggregates) {
  EXPECT_VALUE((shapes::Point{1, 2}), R"({"type":"shapes::Point","fields":[["x",1.0],["y",2.0]]})");
  EXPECT_VALUE(
      (shapes::Line{{0, 0}, {1, 1}, "l"}),
      R"({"type":"shapes::Line","fields":[["from",{"type":"shapes::Point","fields":[["x",0.0],["y",0.0]]}],)"
      R"(["to",{"type":"shapes::Point","fields":[["x",1.0],["y",1.0]]}],["name","l"]]})");
  EXPECT_VALUE((shapes::Bits{5, 17, true}),
               R"({"type":"shapes::Bits","fields":[["low",5],["high",17],["set",true]]})");
  EXPECT_VALUE(
      (shapes::Arrays{{{1, 2}, {3, 4}}, "n", 0.5}),
      R"({"type":"shapes::Arrays","fields":[["a",{"type":"int[2][2]","items":[{"type":"int[2]","items":[1,2]},{"type":"int[2]","items":[3,4]}]}],["name","n"],["tail",0.5]]})");
  EXPECT_VALUE((shapes::Needs{shapes::NoDefault(1), 2}),
               R"({"type":"shapes::Needs","fields":[["first",{"type":"shapes::NoDefault"}],["second",2]]})");
  struct Local {
    int n;
    ONE(Local, n)
  };
  EXPECT_VALUE(Local{4}, R"({"type":"lectern::Value_Aggregates_Test::TestBody::Local","fields":[["n",4]]})");
  EXPECT_EQ(aggregates::count<shapes::Wide>(), 24U);
  EXPECT_EQ(aggregates::count<shapes::MoveOnly>(), 2U);
}

TEST_F(Value, ClassesOfOtherFilesHaveFieldsWithoutNames) {
  EXPECT_VALUE((shapes::Unnamed{1, 2}), R"({"type":"shapes::Unnamed","items":[1.0,2.0]})");
  EXPECT_VALUE(shapes::Closed{}, R"({"type":"shapes::Closed"})");
  EXPECT_EQ(value_text([](int) {}).find("{\"type\":\"lectern::"), 0U);
}

TEST_F(Value, ClassesShowTheirFieldsAlsoPrivateOnes) {
  EXPECT_VALUE(shapes::Account(1.5), R"({"type":"shapes::Account","fields":[["balance_",1.5]]})");
  shapes::Derived derived;
  derived.x = derived.y = 1;
  derived.z = 3;
  EXPECT_VALUE(derived,
               R"({"type":"shapes::Derived","fields":[["x",1.0],["y",1.0],["std::string",""],["z",3]]})");
  EXPECT_VALUE(shapes::Square(), R"({"type":"shapes::Square","fields":[["side",2.0]]})");
  EXPECT_VALUE(shapes::Diamond(),
               R"({"type":"shapes::Diamond","fields":[["origin",1],["left",2],["right",3]]})");
  EXPECT_VALUE(shapes::OfUnnamed(),
               R"~({"type":"shapes::OfUnnamed","fields":[["at",)~"
               R"~({"type":"shapes::OfUnnamed::(unnamed)","fields":[["x",1],["y",2]]}]]})~");
  const shapes::Square square;
  EXPECT_VALUE(static_cast<const shapes::Interface&>(square), R"({"type":"shapes::Square"})");
  EXPECT_VALUE(shapes::OfOtherFile{}, R"({"type":"shapes::OfOtherFile"})");
  EXPECT_VALUE((shapes::WithUnion{1, {2}}),
               R"({"type":"shapes::WithUnion","fields":[["tag",1],["union",{"type":"anonymous union"}]]})");
  EXPECT_VALUE(shapes::PlainUnion{1}, R"({"type":"union shapes::PlainUnion"})");
  EXPECT_VALUE(shapes::PrintedUnion{1}, R"({"type":"shapes::PrintedUnion","text":"i = 1"})");
  EXPECT_VALUE(shapes::Both{}, R"({"type":"shapes::Both","text":"both 1"})");
  EXPECT_VALUE(
      shapes::ParseError("no"),
      R"({"type":"shapes::ParseError","fields":[["std::runtime_error",{"type":"shapes::ParseError","text":"no"}],["line",3]]})");
}

TEST_F(Value, LibraryTypes) {
  EXPECT_VALUE((std::valarray<int>{1, 2}), R"({"type":"std::valarray<int>","items":[1,2]})");
  EXPECT_VALUE((std::initializer_list<int>{1, 2}), R"({"type":"std::initializer_list<int>","items":[1,2]})");
  EXPECT_VALUE(std::runtime_error("no"), R"({"type":"std::runtime_error","text":"no"})");
  const std::out_of_range error("index");
  const std::exception& base = error;
  EXPECT_VALUE(base, R"({"type":"std::out_of_range","text":"index"})");
  using namespace std::chrono;
  EXPECT_VALUE(1 <=> 2, R"({"type":"std::strong_ordering","text":"less"})");
  EXPECT_VALUE(2 <=> 2, R"({"type":"std::strong_ordering","text":"equal"})");
  EXPECT_VALUE(std::weak_ordering::equivalent, R"({"type":"std::weak_ordering","text":"equivalent"})");
  EXPECT_VALUE(2.0 <=> 1.0, R"({"type":"std::partial_ordering","text":"greater"})");
  EXPECT_VALUE(1.0 <=> std::nan(""), R"({"type":"std::partial_ordering","text":"unordered"})");
  EXPECT_VALUE(2026y / 1 / 31, R"({"type":"std::chrono::year_month_day","text":"2026-01-31"})");
  EXPECT_EQ(value_text(time_point<steady_clock, seconds>(seconds(5))).find(R"("quantity":5,"unit":"s"})") ==
                std::string::npos,
            false);
}

#if !defined(__clang__) || __clang_major__ >= 16  // which know these parts of libstdc++
TEST_F(Value, SourceLocationsAndViews) {
  const auto place = std::source_location::current();
  EXPECT_VALUE(place, R"({"type":"std::source_location","text":"value_test.cpp:)" +
                          std::to_string(place.line()) + R"("})");
  const std::vector<int> numbers{1, 2, 3, 4};
  auto even = numbers | std::views::filter([](int n) { return n % 2 == 0; });
  EXPECT_NE(value_text(even).find(R"("items":[2,4]})"), std::string::npos) << value_text(even);
  EXPECT_NE(value_text(std::views::iota(1)).find(R"(,100,{"cut":true}]})"), std::string::npos);
  std::istringstream words("a b");
  EXPECT_EQ(value_text(std::views::istream<std::string>(words)).find("items"), std::string::npos);
  std::string first;
  words >> first;
  EXPECT_EQ(first, "a") << "showing must not consume";
}
#endif

TEST_F(Value, AHundredElementsOfAContainer) {
  const auto cut = [](const auto& value) { return nlohmann::json::parse(value_text(value)); };
  EXPECT_EQ(cut(std::vector<int>(1000, 1))["items"].size(), 100U);
  EXPECT_EQ(cut(std::vector<int>(1000, 1))["size"], 1000);
  EXPECT_FALSE(cut(std::vector<int>(100, 1)).contains("size"));
  std::map<int, int> map;
  for (int i = 0; i < 1000; ++i) map[i] = i;
  EXPECT_EQ(cut(map)["entries"].size(), 100U);
  EXPECT_EQ(cut(map)["size"], 1000);
  const auto nested = cut(std::vector<std::vector<bool>>(3, std::vector<bool>(200)));
  EXPECT_EQ(nested["items"][1]["items"].size(), 100U);
  EXPECT_EQ(nested["items"][1]["size"], 200);
}

TEST_F(Value, CustomAndStreamed) {
  EXPECT_VALUE(shapes::Custom{}, R"({"type":"Custom","fields":[["secret",3]]})");
  EXPECT_VALUE(shapes::Printed{3}, R"({"type":"shapes::Printed","text":"Printed 3"})");
  EXPECT_VALUE(shapes::Throwing{},
               R"j({"type":"shapes::Throwing","text":"(thrown while this was shown: no)"})j");
}

TEST_F(Value, PointersShowWhatTheyPointTo) {
  int n = 3;
  int* none = nullptr;
  int* one = &n;
  EXPECT_VALUE(&n, R"({"type":"int*","to":3})");
  EXPECT_VALUE(&one, R"({"type":"int**","to":{"type":"int*","to":3}})");
  shapes::Point point{1, 2};
  EXPECT_VALUE(&point,
               R"({"type":"shapes::Point*","to":{"type":"shapes::Point","fields":[["x",1.0],["y",2.0]]}})");
  EXPECT_VALUE(none, R"({"type":"int*","to":null})");
  auto* nowhere = reinterpret_cast<shapes::Point*>(std::uintptr_t{8});
  EXPECT_VALUE(nowhere, R"({"type":"shapes::Point*","address":"0x8"})");
  EXPECT_VALUE(reinterpret_cast<const char*>(nowhere), R"({"type":"const char*","address":"0x8"})");
  EXPECT_VALUE(static_cast<void*>(nowhere), R"({"type":"void*","address":"0x8"})");
  struct Unknown;
  EXPECT_NE(value_text(reinterpret_cast<Unknown*>(&n)).find(R"(Unknown*","address":"0x)"), std::string::npos);
  EXPECT_VALUE(std::make_unique<int>(4), R"({"type":"std::unique_ptr<int>","to":4})");
  EXPECT_VALUE(std::unique_ptr<int>(), R"({"type":"std::unique_ptr<int>","to":null})");
  EXPECT_VALUE(std::make_shared<std::string>("s"), R"({"type":"std::shared_ptr<std::string>","to":"s"})");
  EXPECT_VALUE(std::make_unique<int[]>(3), R"({"type":"std::unique_ptr<int[]>","to":0})");
  const auto shared = std::make_shared<int>(1);
  EXPECT_VALUE(std::weak_ptr<int>(shared), R"({"type":"std::weak_ptr<int>","to":1})");
  EXPECT_VALUE(std::weak_ptr<int>(), R"({"type":"std::weak_ptr<int>","to":null})");
  EXPECT_VALUE(std::ref(n), R"({"type":"std::reference_wrapper<int>","value":3})");
}

TEST_F(Value, SharedObjectsAreWrittenOnce) {
  const auto shared = std::make_shared<int>(7);
  EXPECT_VALUE(
      (std::vector{shared, shared, std::make_shared<int>(7)}),
      R"({"type":"std::vector<std::shared_ptr<int>>","items":[{"type":"std::shared_ptr<int>","to":{"id":1,"value":7}},)"
      R"({"type":"std::shared_ptr<int>","to":{"ref":1}},{"type":"std::shared_ptr<int>","to":7}]})");
}

TEST_F(Value, CyclesEnd) {
  const auto a = std::make_shared<shapes::Shared>(shapes::Shared{1, {}});
  const auto b = std::make_shared<shapes::Shared>(shapes::Shared{2, {a}});
  a->friends = {b, a};
  EXPECT_VALUE(
      *a,
      R"({"id":1,"type":"shapes::Shared","fields":[["id",1],["friends",{"type":"std::vector<std::shared_ptr<shapes::Shared>>","items":[)"
      R"({"type":"std::shared_ptr<shapes::Shared>","to":{"type":"shapes::Shared","fields":[["id",2],["friends",{"type":"std::vector<std::shared_ptr<shapes::Shared>>","items":[{"type":"std::shared_ptr<shapes::Shared>","to":{"ref":1}}]}]]}},)"
      R"({"type":"std::shared_ptr<shapes::Shared>","to":{"ref":1}}]}]]})");
  a->friends.clear();
}

TEST_F(Value, StringsAtTheEndOfReadableMemory) {
  const auto page = static_cast<std::size_t>(getpagesize());
  auto* const memory =
      static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  std::fill(memory, memory + page, 'x');
  const char* const open_end = memory + page - 4;
  EXPECT_NE(value_text(open_end).find(R"("address":"0x)"), std::string::npos);
  memory[page - 1] = '\0';
  EXPECT_VALUE(open_end, R"({"type":"const char*","value":"xxx"})");
  EXPECT_NE(value_text(reinterpret_cast<const shapes::Point*>(open_end)).find(R"("address":"0x)"),
            std::string::npos)
      << "only its beginning can be read";
  munmap(memory, 2 * page);
}

TEST_F(Value, PointersToFunctionsAreTheirNames) {
  using Function = int (*)(int);
  Function function = shapes::twice;
  EXPECT_VALUE(function, R"j({"type":"int (*)(int)","text":"shapes::twice"})j");
  EXPECT_VALUE(shapes::twice, R"j({"type":"int (int)","text":"shapes::twice"})j");
  function = shapes::same;
  EXPECT_VALUE(function, R"j({"type":"int (*)(int)","text":"shapes::same<int>"})j");
  std::vector<int> (*const of_vectors)(std::vector<int>) = shapes::same;
  EXPECT_NE(value_text(of_vectors).find(R"("text":"shapes::same<std::vector<int>>")"), std::string::npos);
  function = [](int n) { return n; };
  EXPECT_NE(value_text(function).find("::TestBody::lambda"), std::string::npos) << value_text(function);
  void* (*const allocate)(std::size_t) = operator new;
  EXPECT_NE(value_text(allocate).find(R"j("text":"operator new(unsigned long)")j"), std::string::npos);
  EXPECT_NE(value_text(&std::abort).find(R"("text":"abort")"), std::string::npos);
  function = reinterpret_cast<Function>(reinterpret_cast<std::uintptr_t>(&shapes::twice) + 1);
  EXPECT_NE(value_text(function).find(R"("address":"0x)"), std::string::npos);
  function = reinterpret_cast<Function>(8);
  EXPECT_VALUE(function, R"j({"type":"int (*)(int)","address":"0x8"})j");
}

TEST_F(Value, RawPointersIntoTheSameValueAreReferences) {
  std::vector<shapes::Node> ring{{1, nullptr}, {2, nullptr}};
  ring[0].next = &ring[1];
  ring[1].next = &ring[0];
  EXPECT_VALUE(
      ring,
      R"({"type":"std::vector<shapes::Node>","items":[{"id":1,"type":"shapes::Node","fields":[["id",1],["next",{"type":"shapes::Node*","to":{"id":2,"type":"shapes::Node","fields":[["id",2],)"
      R"(["next",{"type":"shapes::Node*","to":{"ref":1}}]]}}]]},{"ref":2}]})");
}

TEST_F(Value, TemporariesAreNeverTakenForOneAnother) {
  EXPECT_EQ(value_text(shapes::Points{}).find("ref"), std::string::npos);
  EXPECT_NE(value_text(shapes::Points{}).find("2.0"), std::string::npos);
}

TEST_F(Value, BudgetHoldsForEveryForm) {
  const std::vector<std::string> numbers(1'000'000, std::string(50, '1'));
  std::map<int, std::string> map;
  for (int i = 0; i < 10'000; ++i) map[i] = "entry";
  const std::string text = value_text(numbers);
  EXPECT_LE(text.size(), ValueWriter::kDefaultBudget);
  EXPECT_GT(text.size(), 3000U);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["size"], 1'000'000);
  EXPECT_LT(json["items"].size(), 1000U);
  const std::string map_text = value_text(map);
  EXPECT_LE(map_text.size(), ValueWriter::kDefaultBudget);
  const auto map_json = nlohmann::json::parse(map_text);
  EXPECT_EQ(map_json["size"], 10'000);
  for (const auto& entry : map_json["entries"]) EXPECT_EQ(entry.size(), 2U);
  const std::vector<std::vector<std::string>> nested(100,
                                                     std::vector<std::string>(100, std::string(300, 'x')));
  EXPECT_LE(value_text(nested).size(), ValueWriter::kDefaultBudget);
  EXPECT_TRUE(nlohmann::json::accept(value_text(nested)));
}

TEST_F(Value, EveryBudgetGivesAWholeValue) {
  const shapes::Line line{{0, 1}, {2, 3}, std::string(500, '"')};
  const std::map<std::string, std::vector<shapes::Line>> map{{"a", {line, line}}, {"b", {line}}};
  for (std::size_t budget = 0; budget < 5000; ++budget) {
    const std::string text = value_text(map, budget);
    ASSERT_TRUE(nlohmann::json::accept(text)) << budget << ": " << text;
    ASSERT_LE(text.size(), std::max<std::size_t>(budget, 200)) << text;
  }
}

TEST_F(Value, LongStringsAreCutWithTheirLength) {
  const std::string text(10'000, 'a');
  const auto json = nlohmann::json::parse(value_text(text));
  EXPECT_EQ(json["type"], "std::string");
  EXPECT_EQ(json["size"], 10'000);
  EXPECT_GT(json["value"].get<std::string>().size(), 3500U);
  EXPECT_LE(value_text(text).size(), ValueWriter::kDefaultBudget);
  EXPECT_LE(value_text(std::string(10'000, '\x01')).size(), ValueWriter::kDefaultBudget);
  EXPECT_LE(value_text(std::string(10'000, '\xFF')).size(), ValueWriter::kDefaultBudget);
  std::string wide;
  for (int i = 0; i < 4000; ++i) wide += "\u4F60";
  EXPECT_TRUE(nlohmann::json::accept(value_text(wide)));
  const auto list = nlohmann::json::parse(value_text(std::vector<std::string>{text, text, "end"}));
  EXPECT_EQ(list["items"].size(), 3U) << "one string must not hide the others";
  EXPECT_EQ(list["items"][0]["size"], 10'000);
}

TEST_F(Value, FullShowsEverything) {
  const std::vector<int> numbers(5000, 7);
  const auto json = nlohmann::json::parse(value_text(numbers, ValueWriter::kUnlimited));
  EXPECT_EQ(json["items"].size(), 5000U);
  EXPECT_FALSE(json.contains("size"));
}

TEST_F(Value, RawFormsFitTheRoomTheyAreGiven) {
  std::string text;
  ValueWriter alone(text, 100);
  EXPECT_EQ(alone.room_for_value(), 100U);
  alone.raw(R"({"type":"T","numbers":[1,2,3]})");
  EXPECT_EQ(text, R"({"type":"T","numbers":[1,2,3]})");

  text.clear();
  ValueWriter several(text, 400);
  several.begin_items("list", 9);
  for (int i = 0; i < 9; ++i) {
    const std::size_t room = several.room_for_value();
    EXPECT_LE(room, 100U);
    if (room > 2) several.raw("\"" + std::string(room - 2, 'x') + "\"");
  }
  several.end();
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["size"], 9);
  EXPECT_GE(json["items"].size(), 3U) << "what was told to fit must not be cut";
  EXPECT_LE(text.size(), 400U);

  text.clear();
  ValueWriter unlimited(text, ValueWriter::kUnlimited);
  EXPECT_EQ(unlimited.room_for_value(), ValueWriter::kUnlimited);
  unlimited.begin_fields("F");
  unlimited.field("a");
  unlimited.raw("1");
  unlimited.end();
  EXPECT_EQ(text, R"({"type":"F","fields":[["a",1]]})");
}

TEST_F(Value, CyclesBeyondTheBudgetEnd) {
  const auto a = std::make_shared<shapes::Shared>(shapes::Shared{1, {}});
  a->friends = {a, std::make_shared<shapes::Shared>(shapes::Shared{2, {a, a}})};
  for (const std::size_t budget : {0U, 100U, 200U, 300U, 400U}) {
    EXPECT_TRUE(nlohmann::json::accept(value_text(*a, budget))) << budget;
  }
  a->friends.clear();
}

TEST_F(Value, DepthIsBounded) {
  auto root = std::make_unique<shapes::Tree>();
  shapes::Tree* tree = root.get();
  for (int i = 0; i < 100'000; ++i) {
    tree->left = std::make_unique<shapes::Tree>();
    tree = tree->left.get();
  }
  for (const std::size_t budget : {ValueWriter::kDefaultBudget, ValueWriter::kUnlimited}) {
    const std::string text = value_text(root, budget);
    EXPECT_TRUE(nlohmann::json::accept(text));
    EXPECT_NE(text.find(R"({"cut":true})"), std::string::npos);
    EXPECT_LT(text.size(), 10'000U);
  }
  while (root) root = std::move(root->left);
}

}  // namespace
}  // namespace lectern
