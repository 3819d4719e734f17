#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"

// That no public operation is without rows beside PyTorch, and no file of goldens without its test.

namespace lectern {
namespace {

const std::filesystem::path kSources = LECTERN_SOURCE_DIR;

/// Headers of engine/ops without operations for users. The goldens of random.h are random_test.cpp's.
const std::set<std::string> kInner = {
    "autocast",     "compute_dtype", "devices", "dims",        "elementwise_record", "float8_matmul",
    "index_access", "operands",      "random",  "random_draw", "reduction"};

/// What a header declares at this indentation that returns tensors, or compares them.
std::set<std::string> declared(const std::filesystem::path& header, const std::string& indentation) {
  const std::string text = read_file(header);
  const std::regex declaration(
      "\n" + indentation +
      "(?:Tensor|const Tensor&|ValuesAndIndices|std::vector<Tensor>|bool) ([a-z][a-z0-9_]*)\\(");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at)
    names.insert((*at)[1].str());
  return names;
}

/// The code of the tests that compare with PyTorch, without what stands in quotes: that is PyTorch's.
std::string rows() {
  std::string code;
  for (const auto& entry : std::filesystem::directory_iterator(kSources / "tests/ops")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with("_test.cpp")) continue;
    const std::string text = read_file(entry.path());
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t next = text.find("\nTEST", at + 1);
      const std::string test = text.substr(at, next - at);
      if (test.find("expect_as_torch") != std::string::npos || name.ends_with("_torch_test.cpp"))
        code += test;
      at = next;
    }
  }
  std::string unquoted;
  for (std::size_t at = 0; at != std::string::npos;) {
    const std::size_t quote = code.find('"', at);
    unquoted += code.substr(at, quote - at);
    at = quote == std::string::npos ? quote : code.find('"', quote + 1);
    if (at != std::string::npos) ++at;
  }
  return unquoted;
}

bool called(const std::string& code, const std::string& name) {
  for (std::size_t at = code.find(name + "("); at != std::string::npos; at = code.find(name + "(", at + 1)) {
    if (at == 0 || (std::isalnum(static_cast<unsigned char>(code[at - 1])) == 0 && code[at - 1] != '_'))
      return true;
  }
  return false;
}

// The rows of the table of elementwise operations become rows of tests by themselves
// (elementwise_forms_torch_test.cpp).
TEST(TorchCoverage, EveryPublicOperationHasRows) {
  if (!std::filesystem::exists(kSources / "engine/ops")) GTEST_SKIP() << "the sources are not here";
  std::set<std::string> operations = declared(kSources / "engine/tensor/tensor.h", "  ");
  for (const auto& entry : std::filesystem::directory_iterator(kSources / "engine/ops")) {
    const std::filesystem::path& header = entry.path();
    if (header.extension() == ".h" && !kInner.contains(header.stem().string()))
      operations.merge(declared(header, ""));
  }
  ASSERT_GE(operations.size(), 120U);
  // Parts of gradients and of other operations, which rows reach through them; the handle's own state; where
  // a tensor is; and what draws numbers, of which the goldens are random_test.cpp's.
  const std::regex no_operation(
      ".*_backward.*|sum_to|matmul_sums|as_rows|is_[a-z_]+|defined|alias|grad|mutable_grad|retain_grad|"
      "requires_grad_?|pin_memory|cpu|"
      "cuda|to_[a-z0-9]+|split_evenly|uniform_|normal_|bernoulli_|random_|exponential_");
  const std::string code = rows();
  for (const std::string& operation : operations) {
    if (std::regex_match(operation, no_operation)) continue;
    EXPECT_TRUE(called(code, operation)) << operation << " has no row beside PyTorch in tests/ops";
  }
}

TEST(TorchCoverage, EveryFileOfGoldensHasATest) {
  if (!std::filesystem::exists(kSources / "tests/ops")) GTEST_SKIP() << "the sources are not here";
  std::set<std::string> tests;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      tests.insert(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name() + ".json");
  }
  const auto goldens = files_below(kSources / "tests/ops/goldens/torch");
  ASSERT_FALSE(goldens.empty());
  for (const auto& golden : goldens)
    EXPECT_TRUE(tests.contains(golden.string())) << golden << " belongs to no test: remove it";
}

}  // namespace
}  // namespace lectern
