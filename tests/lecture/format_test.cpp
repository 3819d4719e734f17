// Texts with arguments.

#include "lecture/format.h"

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lecture/hook_test.h"

namespace lectern {
namespace {

using test::fake;

class Format : public test::HookTest {
 protected:
  static std::string shown() {
    const std::string markdown = nlohmann::json::parse(fake().renderings.at(0)).at("markdown");
    fake().renderings.clear();
    return markdown;
  }
};

enum class Mood { calm = 1 };
struct Celsius {
  double degrees;
  static auto lectern_fields(Celsius*) {
    return [](const auto& lectern_out, const auto& lectern_self) { LECTERN_FIELD(degrees) };
  }
};
class Streamed {
 public:
  explicit Streamed(int n) : n_(n) {}
  friend std::ostream& operator<<(std::ostream& out, const Streamed& s) { return out << "S" << s.n_; }

 private:
  int n_;
};

TEST_F(Format, ShowsValues) {
  const std::string name = "x";
  text("{} is {:.2f}, {:>4}|", name, 0.125, 7);
  EXPECT_EQ(shown(), "x is 0.12,    7|");
  text("{} {} {} {}", std::vector<int>{1, 2}, Mood::calm, Celsius{0.5}, Streamed(3));
  EXPECT_EQ(shown(), "[1, 2] calm lectern::Celsius{degrees: 0.5} S3");
  const std::map<std::string, int> map{{"a", 1}};
  text("{}{}", map, std::vector<std::string>{"a\"b"});
  EXPECT_EQ(shown(), R"({"a": 1}["a\"b"])");
  text("{:>{}}|{:.{}f}", "a", 3, 1.25, 1);
  EXPECT_EQ(shown(), "  a|1.2");
  EXPECT_GT(fake().pauses, 0) << "operators of the lecture must not be stepped while a text is formatted";
  EXPECT_EQ(fake().pauses, fake().resumed);
}

TEST_F(Format, ShowsANullPointerAsCppWritesIt) {
  text("{}|{:>9}", nullptr, nullptr);
  EXPECT_EQ(shown(), "nullptr|  nullptr");
}

TEST_F(Format, BracesOfLatexStandForThemselves) {
  text(R"(The mean is $\frac{1}{n} \sum_{i=1}^{n} x_{a_{i}}$, here {:.1f}.)", 2.0);
  EXPECT_EQ(shown(), R"(The mean is $\frac{1}{n} \sum_{i=1}^{n} x_{a_{i}}$, here 2.0.)");
  text(R"($e^{-{}}$ and $\{1, \dots, {}\}$)", 3, 9);
  EXPECT_EQ(shown(), R"($e^{-3}$ and $\{1, \dots, 9\}$)");
  text(R"($x_{{}}^{2}$ {})", 1);
  EXPECT_EQ(shown(), "$x_{}^{2}$ 1") << "a doubled pair shows {}";
  text(R"($x_{{{}}}$)", 1);
  EXPECT_EQ(shown(), "$x_{1}$");
  text(R"(`std::vector<int>{1, 2}` has {}, `{0}` one)", 2);
  EXPECT_EQ(shown(), "`std::vector<int>{1, 2}` has 2, `{0}` one");
}

TEST_F(Format, BracesMayBeDoubledAsInFmt) {
  text("$\\frac{{1}}{{n}}$ {{:.2f}} {}", 1);
  EXPECT_EQ(shown(), "$\\frac{1}{n}$ {:.2f} 1");
  text("{{ }} {{{}}} {{a_{{i}}}}", 1);
  EXPECT_EQ(shown(), "{ } {1} {a_{i}}");
  text("${{x}^2}$ }} }{} {", 1);
  EXPECT_EQ(shown(), "${{x}^2}$ } }1 {") << "two braces that end apart are two";
}

TEST_F(Format, WithoutArgumentsNoBraceIsSpecial) {
  text("{} {{ }} {:x} {0}");
  EXPECT_EQ(shown(), "{} {{ }} {:x} {0}");
}

TEST_F(Format, IsDedentedBeforeTheValuesComeIn) {
  text(R"(
    Lines:
      {}
  )",
       "a\nb\n");
  EXPECT_EQ(shown(), "Lines:\n  a\nb\n");
  text("{}", "\n    code");
  EXPECT_EQ(shown(), "\n    code");
}

TEST_F(Format, IsThatOfNotesAndVerbatimTexts) {
  note("{} minutes", 5);
  expect_shown(R"({"kind":"note","markdown":"5 minutes"})");
  verbatim("{:>4}|", 5);
  expect_shown(R"({"kind":"verbatim","text":"   5|"})");
}

TEST_F(Format, AtRunTimeSaysHowManyFieldsThereAre) {
  const auto with = [](const std::string& format) { return [format] { text(format, 1); }; };
  expect_refused(with("{} {}"), "text: 2 fields, 1 argument;");
  expect_refused(with("none"), "text: 0 fields, 1 argument;");
  expect_refused(with("{0} {x}"), "text: 0 fields, 1 argument; fields are {} and {:…}");
  expect_refused([] { note(std::string("{}"), 1, 2); }, "note: 1 field, 2 arguments;");
  expect_refused([] { verbatim(std::string("{:>{}}"), 1); }, "verbatim: 2 fields, 1 argument;");
  expect_refused(with("{:.2f"), "is not closed");
  expect_refused(with("{"), "0 fields, 1 argument");
  expect_refused(with("{:,}"), "\"{:,}\" does not fit its arguments: ");
  expect_refused([] { text(std::string("{:d}"), "x"); }, "does not fit its arguments");
}

}  // namespace
}  // namespace lectern
