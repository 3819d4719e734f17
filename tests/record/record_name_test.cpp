#include <gtest/gtest.h>

#include "record/template_name.h"
#include "record/utf8_tail.h"

namespace lectern {
namespace {

struct Case {
  const char* gnu;
  const char* clang;
  const char* expected;
};

class InstantiatedName : public testing::TestWithParam<Case> {};

TEST_P(InstantiatedName, IsTheSameFromBothCompilers) {
  EXPECT_EQ(instantiated_name("lm::f", GetParam().gnu), GetParam().expected);
  EXPECT_EQ(instantiated_name("lm::f", GetParam().clang), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    Types, InstantiatedName,
    testing::Values(
        Case{"void f(T) [with T = int]", "void f(T) [T = int]", "lm::f<int>"},
        Case{"void f(T) [with T = std::__cxx11::basic_string<char>]",
             "void f(T) [T = std::basic_string<char>]", "lm::f<std::string>"},
        Case{"void f(T) [with T = std::vector<std::__cxx11::basic_string<char> >]",
             "void f(T) [T = std::vector<std::basic_string<char>>]", "lm::f<std::vector<std::string>>"},
        Case{"void f(T) [with T = std::map<int, long int>]", "void f(T) [T = std::map<int, long>]",
             "lm::f<std::map<int, long>>"},
        Case{"void f(T) [with T = const char*]", "void f(T) [T = const char *]", "lm::f<const char*>"},
        Case{"void f(T) [with T = main()::<lambda()>]", "void f(T) [T = (lambda at /home/me/pf.cpp:14:97)]",
             "lm::f<lambda>"},
        Case{"void f(T) [with T = long unsigned int]", "void f(T) [T = unsigned long]",
             "lm::f<unsigned long>"},
        Case{"void f(T) [with T = {anonymous}::An]", "void f(T) [T = (anonymous namespace)::An]",
             "lm::f<(anonymous namespace)::An>"},
        Case{"void f(T) [with T = void (*)(int, char)]", "void f(T) [T = void (*)(int, char)]",
             "lm::f<void (*)(int, char)>"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, InstantiatedName,
    testing::Values(Case{"void g(std::size_t, T, const std::string&) [with T = double; int N = 3; "
                         "std::size_t = long unsigned int; "
                         "std::string = std::__cxx11::basic_string<char>]",
                         "void g(std::size_t, T, const std::string &) [T = double, N = 3]",
                         "lm::f<double, 3>"},
                    Case{"void h(Ts ...) [with Ts = {int, double, std::__cxx11::basic_string<char, "
                         "std::char_traits<char>, "
                         "std::allocator<char> >}]",
                         "void h(Ts...) [Ts = <int, double, std::basic_string<char>>]",
                         "lm::f<int, double, std::string>"},
                    Case{"decltype (f(1)) then(F) [with F = int (*)(int); decltype (f(1)) = Result<int>]",
                         "auto then(F) [F = int (*)(int)]", "lm::f<int (*)(int)>"},
                    Case{"void h(Ts ...) [with Ts = {}]", "void h(Ts...) [Ts = <>]", "lm::f<>"},
                    Case{"void a(auto:11, auto:12) [with auto:11 = int; auto:12 = float]",
                         "void a(auto, auto) [x:auto = int, auto:2 = float]", "lm::f<int, float>"},
                    Case{"void v() [with auto V = 3]", "void v() [V = 3U]", "lm::f<3>"},
                    Case{"void v() [with auto V = -5]", "void v() [V = -5L]", "lm::f<-5>"},
                    Case{"void Box<K>::m(U) [with U = float; K = int]",
                         "void Box<int>::m(U) [K = int, U = float]", "lm::f<int, float>"}));

TEST(InstantiatedName, OfNoTemplateIsTheName) {
  EXPECT_EQ(instantiated_name("lm::f", "int lm::f(int)"), "lm::f");
}

TEST(UnfinishedUtf8, CountsWhatMoreBytesCouldComplete) {
  EXPECT_EQ(unfinished_utf8(""), 0u);
  EXPECT_EQ(unfinished_utf8("caf\xc3\xa9"), 0u);
  EXPECT_EQ(unfinished_utf8("caf\xc3"), 1u);
  EXPECT_EQ(unfinished_utf8("\xe4\xbd"), 2u);
  EXPECT_EQ(unfinished_utf8("\xf0\x9f\x98"), 3u);
  EXPECT_EQ(unfinished_utf8("\xf0\x9f\x98\x80"), 0u);
  EXPECT_EQ(unfinished_utf8("\xff"), 0u);
  EXPECT_EQ(unfinished_utf8("\xe0\x80"), 0u);
  EXPECT_EQ(unfinished_utf8("\xa9"), 0u);
}

}  // namespace
}  // namespace lectern
