#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "distributed/divided_module.h"
#include "nn/linear.h"

// Linear layers whose matrices the ranks of a group divide (Shoeybi et al. 2019, "Megatron-LM"), with
// Megatron's names. All ranks have the same inputs, and get the same outputs. An MLP of both communicates
// once forward and once backward:
//
//   distributed::ColumnParallelLinear up(d, 4 * d, {.gather_output = false});
//   distributed::RowParallelLinear down(4 * d, d, {.input_is_parallel = true});
//   down(gelu(up(x)));  // the values of nn::Linear's, the sums of down in another order
//
// A rank's parameters are accounting::column_parallel_parameters() and row_parallel_parameters() of the
// formulas (accounting/parallelism.h). The random values are drawn as those of the whole layer, whose part
// is kept: with the same seed on all ranks they are what one process would have. The whole weight exists
// while the constructor runs.

namespace lectern::distributed {

/// A linear layer of which this rank has a part.
class ParallelLinear : public DividedModule {
 public:
  std::int64_t in_features() const { return in_features_; }
  std::int64_t out_features() const { return out_features_; }
  std::string extra_repr() const override;

  nn::Parameter weight;
  nn::Parameter bias;  ///< or undefined

 protected:
  ParallelLinear(std::int64_t in_features, std::int64_t out_features, Group group)
      : DividedModule(std::move(group)), in_features_(in_features), out_features_(out_features) {}

  /// Keeps this rank's part of the whole layer, whose sizes the ranks divide.
  void take_part(const nn::Linear& whole, std::int64_t weight_dim, bool divides_bias);

 private:
  std::int64_t in_features_, out_features_;
};

struct ColumnParallelOptions {
  bool bias = true;
  bool gather_output = true;  ///< else each rank's output is its part of the last dimension
  bool copies_input = true;   ///< else the input is what copy_to_parallel_region() returned
  Group group = nullptr;      ///< all ranks
  std::optional<Dtype> dtype = {};
};

/// nn::Linear with n ranks, each of which computes out_features / n of the outputs: […, in_features] becomes
/// […, out_features], or […, out_features / n] without gather_output.
///
/// Forward moves what all_gather of the output does, or nothing; backward what all_reduce of the input's
/// gradient does, unless several layers have one copied input. A TensorError unless the ranks divide
/// out_features.
class ColumnParallelLinear : public ParallelLinear {
 public:
  ColumnParallelLinear(std::int64_t in_features, std::int64_t out_features,
                       const ColumnParallelOptions& options = {});
  /// A part of this layer, copied.
  explicit ColumnParallelLinear(const nn::Linear& whole, const ColumnParallelOptions& options = {});

  Tensor operator()(const Tensor& x) const;
  std::optional<std::int64_t> divided_dim(std::string_view parameter) const override;

 private:
  bool gather_output_, copies_input_;
};

struct RowParallelOptions {
  bool bias = true;
  bool input_is_parallel = false;  ///< each rank's input is its part of the last dimension
  Group group = nullptr;           ///< all ranks
  std::optional<Dtype> dtype = {};
};

/// nn::Linear with n ranks, each of which sums over in_features / n of the inputs: […, in_features], or […,
/// in_features / n] with input_is_parallel, becomes […, out_features]. The bias, which all ranks have whole,
/// is added to the sum.
///
/// Forward moves what all_reduce of the output does; backward what all_gather of the input's gradient does,
/// or, with input_is_parallel, nothing. A TensorError unless the ranks divide in_features.
class RowParallelLinear : public ParallelLinear {
 public:
  RowParallelLinear(std::int64_t in_features, std::int64_t out_features,
                    const RowParallelOptions& options = {});
  /// A part of this layer, copied.
  explicit RowParallelLinear(const nn::Linear& whole, const RowParallelOptions& options = {});

  Tensor operator()(const Tensor& x) const;
  std::optional<std::int64_t> divided_dim(std::string_view parameter) const override;

 private:
  bool input_is_parallel_;
};

}  // namespace lectern::distributed
