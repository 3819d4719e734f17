#include "ops/torch_reference.h"

#include <cmath>
#include <cstdlib>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/fresh_seed.h"
#include "ops/torch_goldens.h"
#include "ops/torch_process.h"
#include "ops/torch_tolerance.h"
#include "ops/torch_trial.h"
#include "tensor/creation.h"

namespace lectern::test {
namespace {

std::string mode() {
  const char* const value = std::getenv("LECTERN_TORCH");
  return value == nullptr ? "" : value;
}

/// How exact a gradient can be is decided by the coarsest of what it goes through.
Dtype coarsest(const std::vector<std::optional<TorchValue>>& values, Dtype dtype) {
  for (const auto& value : values) {
    if (value && tolerance(value->dtype).rtol > tolerance(dtype).rtol) dtype = value->dtype;
  }
  return dtype;
}

/// `precision`: the dtype whose tolerance it is.
void expect_close(const TorchRow& row, const Tensor& got, const TorchValue& expected, Dtype precision,
                  double scale) {
  ASSERT_EQ(name(got.dtype()), name(expected.dtype));
  ASSERT_EQ(got.sizes(), Sizes(std::span(expected.sizes)));
  const auto kept = static_cast<std::int64_t>(expected.bytes.size()) / got.element_size();
  const std::int64_t step = kept == got.numel() ? 1 : golden_step(got.numel());
  ASSERT_EQ(kept, got.numel() == 0 ? 0 : (got.numel() - 1) / step + 1);
  const Tensor theirs = tensor_of(expected);
  const Tensor ours = got.detach().cpu().reshape({got.numel()});
  for (std::int64_t i = 0; i < kept; ++i) {
    const double x = number(ours, {i * step}), y = number(theirs, {i});
    ASSERT_TRUE(near_enough(x, y, precision, row.rtol, row.atol, scale))
        << x << " in place " << i * step << " of " << to_string(got.sizes()) << "; PyTorch has " << y;
  }
}

double largest_finite(const Tensor& tensor, double largest) {
  const Tensor elements = tensor.detach().cpu().reshape({tensor.numel()});
  for (std::int64_t i = 0; i < elements.numel(); ++i) {
    const double size = std::abs(number(elements, {i}));
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest;
}

/// The largest finite element of the gradients and of the terms that they are sums of, at least 1.
double gradient_magnitude(const Trial& trial, const TorchOutcome& torch) {
  double largest = 1;
  for (const auto& value : torch.values) {
    if (value) largest = largest_finite(tensor_of(*value), largest);
  }
  for (const Tensor& gradient : uncancelled_gradients(trial).values) {
    if (gradient.defined()) largest = largest_finite(gradient, largest);
  }
  return largest;
}

bool all_zero(const TorchValue& value) {
  return value.bytes.find_first_not_of('\0') == std::string::npos;
}

/// No gradient is as good as one of zeros.
void compare(const TorchRow& row, const Outcome& ours, const TorchOutcome& torch,
             std::optional<Dtype> precision = {}, double scale = 1) {
  ASSERT_EQ(ours.error.has_value(), torch.error.has_value())
      << "ours: " << ours.error.value_or("no error") << "\nPyTorch: " << torch.error.value_or("no error");
  ASSERT_EQ(ours.values.size(), torch.values.size());
  for (std::size_t i = 0; i < torch.values.size(); ++i) {
    SCOPED_TRACE("value " + std::to_string(i));
    const Tensor& got = ours.values[i];
    const auto& expected = torch.values[i];
    if (got.defined() && expected) {
      expect_close(row, got, *expected, precision.value_or(expected->dtype), scale);
    } else if (got.defined()) {
      ASSERT_TRUE(got.eq(0).all().item<bool>()) << "PyTorch has no gradient";
    } else if (expected) {
      ASSERT_TRUE(all_zero(*expected)) << "ours has no gradient";
    }
  }
}

void compare(const Trial& trial, const TorchAnswer& torch) {
  SCOPED_TRACE(trial.title());
  const Outcome values = our_values(trial);
  compare(*trial.row, values, torch.values);
  if (!trial.row->gradients || !torch.gradients) return;
  SCOPED_TRACE("gradients");
  TorchRow row = *trial.row;
  row.rtol = std::max(row.rtol, kGradientFactor);
  row.atol = std::max(row.atol, kGradientFactor);
  compare(row, our_gradients(trial), *torch.gradients, coarsest(torch.values.values, trial.dtype),
          gradient_magnitude(trial, *torch.gradients));
}

std::vector<Trial> fixed_trials(const std::vector<TorchRow>& rows) {
  std::vector<Trial> trials;
  for (const TorchRow& row : rows) {
    for (const Dtype dtype : row.dtypes) trials.push_back(fixed_trial(row, dtype));
  }
  return trials;
}

std::string test_name() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test.test_suite_name()) + "." + test.name();
}

void compare_with_goldens(const std::vector<Trial>& trials) {
  TorchGoldens goldens(test_name());
  goldens.read();
  std::set<std::string> compared;
  for (const Trial& trial : trials) {
    const auto golden = goldens.find(trial);
    compared.insert(title(*trial.row) + std::string(name(trial.dtype)));
    if (golden) {
      compare(trial, *golden);
    } else {
      ADD_FAILURE() << trial.title() << ": no golden; write it with LECTERN_TORCH=write";
    }
  }
  // On a GPU some rows are left out.
  if (!default_device().is_cuda()) {
    EXPECT_EQ(goldens.size(), compared.size())
        << "goldens that no row has; write the file anew with LECTERN_TORCH=write";
  }
}

}  // namespace

bool torch_is_live() {
  return mode() == "live";
}

void expect_as_torch(const std::vector<TorchRow>& rows) {
  if (mode().empty()) return compare_with_goldens(fixed_trials(rows));
  std::vector<Trial> trials;
  SCOPED_TRACE("LECTERN_SEED=" + std::to_string(fresh_seed()));
  if (mode() == "live") {
    std::mt19937 seeds(fresh_seed());
    for (const TorchRow& row : rows) {
      for (const Dtype dtype : row.dtypes) {
        for (const Trial& trial : fresh_trials(row, dtype, seeds)) trials.push_back(trial);
      }
    }
  } else {
    ASSERT_EQ(mode(), "write") << "LECTERN_TORCH is live or write";
    ASSERT_FALSE(default_device().is_cuda()) << "goldens are written on the CPU";
    trials = fixed_trials(rows);
  }
  const auto answers = ask_torch(trials);
  if (!answers) GTEST_SKIP() << "/usr/bin/python3 has no PyTorch";
  if (mode() == "live") {
    for (std::size_t i = 0; i < trials.size(); ++i) compare(trials[i], answers->at(i));
    return;
  }
  TorchGoldens goldens(test_name());
  for (std::size_t i = 0; i < trials.size(); ++i) goldens.add(trials[i], answers->at(i));
  goldens.write();
}

}  // namespace lectern::test
