#pragma once

#include "accounting/training_memory.h"
#include "accounting/transformer.h"

// Communication volume of devices that train one model together: the bytes that each device sends, which
// equal those it receives, with ring algorithms, which are optimal in volume (Patarasuk and Yuan 2009). Pure
// functions of numbers, for calculators too.

namespace lectern::accounting {

/// Every device ends up with the sum of all devices' arrays of `bytes`: 2 (n − 1) / n of them.
constexpr double all_reduce_bytes(double bytes, double devices) {
  return 2 * bytes * (devices - 1) / devices;
}
/// Every device ends up with its share of the sum: (n − 1) / n.
constexpr double reduce_scatter_bytes(double bytes, double devices) {
  return bytes * (devices - 1) / devices;
}
/// Every device ends up with all shares of an array of `bytes`: (n − 1) / n.
constexpr double all_gather_bytes(double bytes, double devices) {
  return bytes * (devices - 1) / devices;
}

/// Per training step of data-parallel devices. Without sharding, gradients are all-reduced; with stages 1 and
/// 2 they are reduce-scattered and the updated parameters gathered, the same volume; with stage 3, parameters
/// are gathered for the forward and again for the backward pass, half as much again (Rajbhandari et al. 2020,
/// section 7).
constexpr double data_parallel_bytes(double parameters, double devices, ZeroStage stage,
                                     const TrainingPrecision& precision = kFloat32Training) {
  const double gradients = parameters * precision.gradients, weights = parameters * precision.parameters;
  switch (stage) {
    case ZeroStage::none:
      return all_reduce_bytes(gradients, devices);
    case ZeroStage::optimizer:
    case ZeroStage::gradients:
      return reduce_scatter_bytes(gradients, devices) + all_gather_bytes(weights, devices);
    case ZeroStage::parameters:
      return reduce_scatter_bytes(gradients, devices) + 2 * all_gather_bytes(weights, devices);
  }
  return 0;
}

/// Per training step of devices that share every layer's matrices: four all-reduces of the activations in
/// each layer, two forward, two backward (Shoeybi et al. 2019, "Megatron-LM"). Sequence parallelism replaces
/// each by a reduce-scatter and an all-gather, the same volume.
constexpr double tensor_parallel_bytes(const Transformer& model, double batch, double time, double devices,
                                       double bytes_per_element = 2) {
  return 4 * model.layers * all_reduce_bytes(batch * time * model.width * bytes_per_element, devices);
}

/// The parameters of one of the devices that divide a linear layer's outputs, or its inputs, where the bias
/// is whole (Shoeybi et al. 2019, section 3).
constexpr double column_parallel_parameters(double in, double out, double devices, bool bias = true) {
  return (in + (bias ? 1 : 0)) * out / devices;
}
constexpr double row_parallel_parameters(double in, double out, double devices, bool bias = true) {
  return in * out / devices + (bias ? out : 0);
}

/// Per training step and boundary between two stages of a pipeline: activations forward, their gradients
/// backward; each of the two devices sends half of it.
constexpr double pipeline_bytes(const Transformer& model, double batch, double time,
                                double bytes_per_element = 2) {
  return 2 * batch * time * model.width * bytes_per_element;
}

/// The share of a step in which a stage of the pipeline waits: (p − 1) / (m + p − 1) for p stages and m
/// microbatches (Huang et al. 2019, "GPipe"; the same for the schedule of one forward, one backward).
constexpr double pipeline_bubble(double stages, double microbatches) {
  return (stages - 1) / (microbatches + stages - 1);
}

/// The order of a pipeline's forward and backward passes.
enum class PipelineOrder {
  gpipe,        ///< all forward, then all backward
  one_f_one_b,  ///< in turn, as soon as there is one to do
};

/// Of how many microbatches the stage of that number, from 0, keeps the activations at most: all m, or with
/// one forward, one backward min(m, p − stage) (Narayanan et al. 2021, "Efficient large-scale language model
/// training on GPU clusters using Megatron-LM", section 2.2.1).
constexpr double pipeline_microbatches_in_flight(double stage, double stages, double microbatches,
                                                 PipelineOrder order) {
  if (order == PipelineOrder::gpipe) return microbatches;
  return stages - stage < microbatches ? stages - stage : microbatches;
}

}  // namespace lectern::accounting
