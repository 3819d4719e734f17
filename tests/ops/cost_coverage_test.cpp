#include <map>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "ops/declared_operations.h"

// That the cost of no public operation, forward and backward, goes without a loop that counts beside it.

namespace lectern {
namespace {

/// What is no operation, with the reason.
const std::map<std::string, std::string> kNoOperations = {
    {"defined|grad|mutable_grad|retain_grad|requires_grad_?|is_[a-z_]+", "the state of a handle"},
    {"[a-z0-9_]+_backward|sum_to", "parts of gradients, which their loops reach"},
    {"as_rows|matmul_sums|biased_matmul|matmul_and_row_sums",
     "parts of linear() and float8_matmul(), whose loops reach them"},
    {"split_evenly", "private: split() with one size"},
    {"median|quantile|histc|isin|cosine_similarity|normalize|top_[kp]_logits|sample|rotary_table|"
     "(un)?pack",
     "composed of operations that count themselves"},
    {"parse_shape", "reads no element"},
    {"cpu|cuda|pin_memory", "to() by other names, which copies where there is a GPU"},
};

/// What has no gradient, with the reason.
const std::map<std::string, std::string> kNoGradients = {
    {"equal|allclose|isclose|any|all|count_nonzero|nonzero|argwhere|one_hot|bincount",
     "of truths and integers"},
    {"searchsorted|tril_indices|triu_indices", "positions"},
    {"arg(max|min|sort)", "positions"},
    {"detach|alias|from_blob", "views unknown to autograd"},
    {"float8_matmul", "has none: its caller gives one"},
    {"tensor|empty(_like)?|(zeros|ones|full)(_like)?|arange|linspace|eye", "new tensors"},
    {"rand|randn|rand_like|randn_like|randint|randperm|bernoulli|multinomial", "new tensors"},
    {"to_(int|long|bool)", "of integers"},
};

/// Gradients without a loop of their own, with the reason.
const std::map<std::string, std::string> kComposedGradients = {
    {"index_(fill|copy)_?|masked_scatter_?|scatter_reduce_?|lerp_|addc(mul|div)_|mm|baddbmm|diag|unfold|"
     "meshgrid|logcumsumexp",
     "composed of operations that count themselves"},
};

bool matches(const std::string& operation, const std::map<std::string, std::string>& exceptions) {
  return std::any_of(exceptions.begin(), exceptions.end(), [&](const auto& exception) {
    return std::regex_match(operation, std::regex(exception.first));
  });
}

std::set<std::string> all_operations(const std::filesystem::path& sources) {
  std::set<std::string> operations =
      test::declared_operations(sources / "engine/tensor/tensor.h", test::Declares::methods);
  operations.merge(test::operations_of_folder(sources / "engine/ops", test::kInnerHeaders));
  operations.merge(test::operations_of_folder(sources / "engine/ops/einops", {}));
  operations.merge(
      test::declared_operations(sources / "engine/tensor/creation.h", test::Declares::functions));
  operations.merge(test::operations_of_tables());
  return operations;
}

std::string code_of_cost_tests(const std::filesystem::path& folder) {
  return test::code_of_tests(
      folder, [](const std::string& file, const std::string&) { return file.ends_with("cost_test.cpp"); });
}

TEST(CostCoverage, EveryPublicOperationIsCounted) {
  const std::filesystem::path sources = test::repository();
  if (sources.empty()) GTEST_SKIP() << "the sources are not here";
  const std::set<std::string> operations = all_operations(sources);
  ASSERT_GE(operations.size(), 160U);
  const std::string code = code_of_cost_tests(sources / "tests/ops");
  for (const std::string& operation : operations) {
    if (matches(operation, kNoOperations)) continue;
    EXPECT_TRUE(test::is_called(code, operation)) << operation << " has no loop in tests/ops/*cost_test.cpp";
  }
}

TEST(CostCoverage, EveryGradientIsCounted) {
  const std::filesystem::path sources = test::repository();
  if (sources.empty()) GTEST_SKIP() << "the sources are not here";
  const std::string code = code_of_cost_tests(sources / "tests/autograd");
  for (const std::string& operation : all_operations(sources)) {
    if (matches(operation, kNoOperations) || matches(operation, kNoGradients) ||
        matches(operation, kComposedGradients))
      continue;
    EXPECT_TRUE(test::is_called(code, operation))
        << operation << " has no loop in tests/autograd/*cost_test.cpp";
  }
}

// An exception that fits nothing would hide what takes its name later.
TEST(CostCoverage, EveryExceptionIsNeeded) {
  const std::filesystem::path sources = test::repository();
  if (sources.empty()) GTEST_SKIP() << "the sources are not here";
  const std::set<std::string> operations = all_operations(sources);
  for (const auto& exceptions : {kNoOperations, kNoGradients, kComposedGradients}) {
    for (const auto& [pattern, reason] : exceptions) {
      const std::regex expected(pattern);
      EXPECT_TRUE(
          std::any_of(operations.begin(), operations.end(),
                      [&](const std::string& operation) { return std::regex_match(operation, expected); }))
          << pattern << ": " << reason;
    }
  }
}

}  // namespace
}  // namespace lectern
