#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "base/files.h"
#include "ops/declared_operations.h"

// That no public operation is without rows beside PyTorch, and no file of goldens without its test.

namespace lectern {
namespace {

/// Headers of engine/ops without operations for users. The goldens of random.h are random_test.cpp's.
const std::set<std::string> kInner = {
    "autocast",           "class_operands", "convolution_composed", "compute_dtype", "devices", "dims",
    "elementwise_record", "float8_matmul",  "index_access",         "operands",      "random",  "random_draw",
    "reduction",          "windows"};

// The rows of the table of elementwise operations become rows of tests by themselves
// (elementwise_forms_torch_test.cpp).
TEST(TorchCoverage, EveryPublicOperationHasRows) {
  const std::filesystem::path sources = test::repository();
  if (sources.empty()) GTEST_SKIP() << "the sources are not here";
  std::set<std::string> operations =
      test::declared_operations(sources / "engine/tensor/tensor.h", test::Declares::methods);
  operations.merge(test::operations_of_folder(sources / "engine/ops", kInner));
  operations.merge(test::operations_of_tables());
  ASSERT_GE(operations.size(), 120U);
  // Parts of gradients and of other operations, which rows reach through them; the handle's own state; where
  // a tensor is; and what draws numbers, of which the goldens are random_test.cpp's.
  const std::regex no_operation(
      ".*_backward.*|sum_to|matmul_sums|biased_matmul|matmul_and_row_sums|as_rows|is_[a-z_]+|defined|alias|"
      "grad|mutable_grad|retain_grad|"
      "requires_grad_?|pin_memory|cpu|"
      "cuda|to_[a-z0-9]+|split_evenly|uniform_|normal_|bernoulli_|random_|exponential_");
  const std::string code =
      test::code_of_tests(sources / "tests/ops", [](const std::string& file, const std::string& test) {
        return test.find("expect_as_torch") != std::string::npos || file.ends_with("_torch_test.cpp");
      });
  for (const std::string& operation : operations) {
    if (std::regex_match(operation, no_operation)) continue;
    EXPECT_TRUE(test::is_called(code, operation)) << operation << " has no row beside PyTorch in tests/ops";
  }
}

TEST(TorchCoverage, EveryFileOfGoldensHasATest) {
  const std::filesystem::path sources = test::repository();
  if (sources.empty()) GTEST_SKIP() << "the sources are not here";
  std::set<std::string> tests;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      tests.insert(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name() + ".json");
  }
  const auto goldens = files_below(sources / "tests/ops/goldens/torch");
  ASSERT_FALSE(goldens.empty());
  for (const auto& golden : goldens)
    EXPECT_TRUE(tests.contains(golden.string())) << golden << " belongs to no test: remove it";
}

}  // namespace
}  // namespace lectern
