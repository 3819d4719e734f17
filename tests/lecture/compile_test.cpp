// What compilers say of lectures that use the hooks wrongly, and that they take those that do not.

#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

const std::array<std::string, 2> kCompilers{LECTERN_GXX, LECTERN_CLANGXX};

/// What the compiler prints of a plain lecture, without instrumentation.
std::string compile(const std::string& compiler, const std::string& source) {
  const test::TemporaryFolder folder;
  const fs::path root = LECTERN_SOURCE_DIR;
  const fs::path file = folder / "lecture.cpp";
  write_file(file, source);
  const std::string command = "cd '" + file.parent_path().string() + "' && " + compiler +
                              " -std=c++20 -fsyntax-only -Wall -Wextra -I'" + root.string() + "/engine' -I'" +
                              (root / "engine/lecture/include").string() + "' -I'" + root.string() +
                              "' lecture.cpp >log 2>&1";
  EXPECT_NE(std::system(command.c_str()), -1);
  return read_file(file.parent_path() / "log");
}

/// The lines of the lecture that the compiler names.
std::set<int> named_lines(const std::string& log) {
  std::set<int> lines;
  const std::regex place("(?:^|\n)lecture.cpp:(\\d+):");
  for (auto at = std::sregex_iterator(log.begin(), log.end(), place); at != std::sregex_iterator(); ++at)
    lines.insert(std::stoi((*at)[1]));
  return lines;
}

TEST(Compile, FormatsThatAreLiteralsAreChecked) {
  const std::string source = R"(#include "lecture/format.h"
using namespace lectern;
int main() {
  text("{} {}", 1);
  text("none", 1);
  text("{:d}", "x");
  text("{:.2f", 1.5);
  note("{} {}", 1);
  text("{} {:.2f} $\\frac{1}{n}$ {:>{}}", 1, 1.5, "x", 4);
  const char* const format = "{} {}";
  text(format, 1);
}
)";
  for (const std::string& compiler : kCompilers) {
    const std::string log = compile(compiler, source);
    EXPECT_EQ(named_lines(log), (std::set<int>{4, 5, 6, 7, 8})) << log;
    for (const char* why :
         {"the_format_has_more_fields_than_arguments", "the_format_has_fewer_fields_than_arguments",
          "a_field_of_the_format_is_not_closed"})
      EXPECT_NE(log.find(why), std::string::npos) << why << "\n" << log;
  }
}

// Functions of the author's are overloads beside Lectern's; what has the name of a namespace, class or
// constant of Lectern is called with :: (cli/reserved_names.h).
TEST(Compile, AuthorsHaveNamesOfTheirOwn) {
  const std::string source = R"(#include <lectern/lecture.h>
#include <algorithm>
#include <iostream>
#include <vector>
using namespace lectern;
using namespace std;
double mean(const std::vector<double>& numbers) { return numbers.at(0); }
void zeros() {}
void text(int) {}
void ops() {}
void trace() {}
struct Batch {};
int figures = 3;
void optim() {}
void autograd() {}
void nn() {}
void amp() {}
void cpu() {}
void einops() {}
void cuda() {}
void record() {}
int main() {
  ::optim(), ::autograd(), ::nn(), ::amp(), ::cpu(), ::einops(), ::cuda(), ::record();
  ops(), trace(), zeros(), text(figures), text("mean {:.1f}", mean({1.}));
  const Batch batch;
  cout << sizeof(batch);
  const Tensor x = lectern::zeros({2, 2});
  for (const Tensor& row : x) cout << row;
  double sum = x.sum().item();
  sum += x[0][0].item();
  const int n = x.numel();
  cout << sum << n << x.sum().item() << std::max(1, n);
  optim::SGD optimizer({x}, {.lr = 0.1});
  const nn::Linear linear(2, 2);
  vector<double> losses{2, 1};
  sort(losses.begin(), losses.end());
  line_plot(losses);
  table({"x", "y"}, {{1, 2}});
}
)";
  for (const std::string& compiler : kCompilers) {
    const std::string log = compile(compiler, source);
    EXPECT_EQ(log.find("error"), std::string::npos) << log;
  }
}

TEST(Compile, ExercisesArePlainPrograms) {
  const std::string source = R"(#include <lectern/exercise.h>
using namespace lectern;
Tensor twice(const Tensor&) {
  not_written("a product");
}
int main() {
  lecture({.title = "Twice", .date = "2026-01-02"});
  if (const Tensor x = zeros({2}); x.numel() == 2)
    assert(twice(x).allclose(zeros({2}))), assert((std::pair<int, int>(1, 2).first == 1));
  exercise("Go on.", {.starter = "thrice"});
}
)";
  for (const std::string& compiler : kCompilers) EXPECT_EQ(compile(compiler, source), "") << compiler;
}

TEST(Compile, OneIncludeIsEnoughForMostLectures) {
  const std::string source = R"(#include <lectern/lecture.h>
using namespace lectern;
int main() {
  lecture({.title = "t", .date = "2026-01-01"});
  std::map<std::string, double> roots;
  for (const int n : {1, 2}) roots[fmt::format("{:.1f}", double(n))] = std::sqrt(n);
  std::vector<std::pair<std::string_view, std::int64_t>> pairs{{"a", 1}};
  const std::filesystem::path file = std::filesystem::path("a") / "b";
  assert(std::max(pairs.front().second, std::int64_t{0}) == 1 && file.has_filename());
  const Tensor x = zeros({2, 3});
  const std::string refusal = error_of([&] { x.view({4}); });
  table({"n", "root"}, roots);
}
)";
  for (const std::string& compiler : kCompilers) EXPECT_EQ(compile(compiler, source), "");
}

}  // namespace
}  // namespace lectern
