#include "ops/torch_reference.h"

#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "base/files.h"
#include "base/tensor_error.h"
#include "ops/tensors.h"
#include "temporary_folder.h"
#include "tensor/creation.h"
#include "tensor/finfo.h"

namespace lectern::test {
namespace {

using nlohmann::json;

struct Trial {
  const TorchRow* row;
  std::vector<Laid> inputs;
};

/// All inputs in the same kind of layout, and the last one contiguous for once.
std::vector<Trial> trials_of(const TorchRow& row, std::mt19937& seeds) {
  std::vector<Trial> trials;
  for (const Dtype dtype : row.dtypes) {
    const auto make = [&](const Sizes& sizes, Dtype of) {
      const auto seed = static_cast<unsigned>(seeds());
      return lectern::is_floating_point(of) ? uniform(sizes, of, seed) : filled(sizes, of, seed);
    };
    std::vector<std::vector<Laid>> laid;
    for (const Sizes& sizes : row.shapes) laid.push_back(layouts(sizes, dtype, make));
    for (std::size_t kind = 0; kind < laid[0].size(); ++kind) {
      Trial trial{&row, {}};
      for (const auto& one : laid) trial.inputs.push_back(one[std::min(kind, one.size() - 1)]);
      trials.push_back(trial);
      if (trial.inputs.size() < 2 || kind == 0) continue;
      trial.inputs.back() = laid.back()[0];
      trials.push_back(trial);
    }
  }
  return trials;
}

/// Adds the bytes of the storage to `bytes`.
json written(std::string& bytes, const Tensor& tensor) {
  const Storage& storage = tensor.storage();
  const std::size_t begin = bytes.size();
  const auto elements = static_cast<std::int64_t>(storage.nbytes()) / tensor.element_size();
  const Tensor whole = tensor.as_strided({elements}, {1}, 0).cpu();
  bytes.append(static_cast<const char*>(whole.storage().data_ptr()), storage.nbytes());
  const auto list = [](const Sizes& sizes) { return std::vector<std::int64_t>(sizes.begin(), sizes.end()); };
  return {{"dtype", name(tensor.dtype())},
          {"sizes", list(tensor.sizes())},
          {"strides", list(tensor.strides())},
          {"offset", tensor.storage_offset()},
          {"begin", begin},
          {"end", bytes.size()}};
}

Outcome read(const std::string& bytes, const json& result) {
  if (result.contains("error")) return {{}, result["error"].get<std::string>()};
  Outcome outcome;
  for (const json& value : result["values"]) {
    const auto sizes = value["sizes"].get<std::vector<std::int64_t>>();
    const Dtype dtype = dtype_from_name(value["dtype"].get<std::string>()).value();
    const Tensor tensor = empty(Sizes(std::span(sizes)), {.dtype = dtype, .device = cpu});
    const auto begin = value["begin"].get<std::size_t>();
    EXPECT_EQ(static_cast<std::int64_t>(value["end"].get<std::size_t>() - begin), tensor.nbytes());
    bytes.copy(static_cast<char*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.nbytes()), begin);
    outcome.values.push_back(tensor);
  }
  return outcome;
}

Outcome ours(const Trial& trial) {
  std::vector<Tensor> inputs;
  for (const Laid& input : trial.inputs) inputs.push_back(input.tensor);
  try {
    return {trial.row->operation(inputs), {}};
  } catch (const TensorError& error) {
    return {{}, error.what()};
  }
}

void expect_close(const TorchRow& row, const Tensor& got, const Tensor& expected) {
  ASSERT_EQ(got.dtype(), expected.dtype());
  ASSERT_EQ(got.sizes(), expected.sizes());
  const double epsilon = got.is_floating_point() ? finfo(got.dtype()).eps : 0;
  const Tensor here = got.cpu();
  for_each_index(got.sizes(), [&](const Sizes& index) {
    const double x = number(here, index), y = number(expected, index);
    const bool same = x == y || (std::isnan(x) && std::isnan(y));
    const bool close = std::abs(x - y) <= epsilon * (row.atol + row.rtol * std::abs(y));
    ASSERT_TRUE(same || close) << x << " at " << to_string(index) << "; PyTorch has " << y;
  });
}

void compare(const Trial& trial, const Outcome& torch) {
  std::string what = trial.row->expression + " of " + std::string(name(trial.inputs[0].tensor.dtype()));
  for (const Laid& input : trial.inputs) what += ", " + to_string(input.tensor.sizes()) + " " + input.how;
  SCOPED_TRACE(what);
  const Outcome own = ours(trial);
  ASSERT_EQ(own.error.has_value(), torch.error.has_value())
      << "ours: " << own.error.value_or("no error") << "\nPyTorch: " << torch.error.value_or("no error");
  ASSERT_EQ(own.values.size(), torch.values.size());
  for (std::size_t i = 0; i < own.values.size(); ++i)
    expect_close(*trial.row, own.values[i], torch.values[i]);
}

}  // namespace

void expect_as_torch(const std::vector<TorchRow>& rows) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 seeds(seed);
  std::vector<Trial> trials;
  for (const TorchRow& row : rows) {
    const std::vector<Trial> more = trials_of(row, seeds);
    trials.insert(trials.end(), more.begin(), more.end());
  }
  const TemporaryFolder folder;
  json cases = json::array();
  std::string bytes;
  for (const Trial& trial : trials) {
    json inputs = json::object();
    for (std::size_t i = 0; i < trial.inputs.size(); ++i) {
      inputs[std::string(1, static_cast<char>('a' + i))] = written(bytes, trial.inputs[i].tensor);
    }
    cases.push_back({{"expression", trial.row->expression}, {"inputs", inputs}});
  }
  write_file(folder / "cases.json", cases.dump());
  write_file(folder / "inputs", bytes);
  const std::string script = LECTERN_SOURCE_DIR "/tests/ops/torch_reference.py";
  const std::string command = "/usr/bin/python3 '" + script + "' '" + folder.path().string() + "'";
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)
    GTEST_SKIP() << "/usr/bin/python3 has no PyTorch";
  ASSERT_EQ(WEXITSTATUS(status), 0) << command;
  const std::string result_bytes = read_file(folder / "results");
  const json results = json::parse(read_file(folder / "results.json"));
  ASSERT_EQ(results.size(), trials.size());
  for (std::size_t i = 0; i < trials.size(); ++i) compare(trials[i], read(result_bytes, results[i]));
}

}  // namespace lectern::test
