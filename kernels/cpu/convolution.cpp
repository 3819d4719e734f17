#include "kernels/convolution.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cpu/isa.h"
#include "kernels/cpu/onednn_library.h"
#include "kernels/cpu/scratch.h"

// The library chooses the layout of every operand; those that lie in memory otherwise are copied.

namespace lectern::kernels::cpu {
namespace {

/// nullptr without oneDNN, or where it has no instructions to be fast with.
const OneDnn* convolution_library() {
  return isa() == Isa::portable ? nullptr : onednn_library();
}

using Description = OneDnnOwned<dnnl_primitive_desc>;
using OperandMemory = OneDnnOwned<dnnl_memory>;

/// An operand as it lies in memory, and its part in the convolution.
struct ConvolutionOperand {
  std::array<std::int64_t, 5> sizes = {};
  int rank = 0;
  int argument;        ///< DNNL_ARG_…
  dnnl_query_t query;  ///< what tells the layout that the library chose,
  int index;           ///< of so manyth
  float* data;         ///< null: is none
  bool written;

  dnnl_memory_desc_t describe(const OneDnn& dnn, bool as_chosen) const {
    dnnl_memory_desc_t made{};
    if (data == nullptr) return made;  // "zero memory": no bias
    if (as_chosen) {
      dnn.memory_desc_init_by_tag(&made, rank, sizes.data(), dnnl_f32, dnnl_format_tag_any);
      return made;
    }
    dnnl_dims_t strides = {};
    std::int64_t stride = 1;
    for (int d = rank; d-- > 0; stride *= sizes[static_cast<std::size_t>(d)]) strides[d] = stride;
    dnn.memory_desc_init_by_strides(&made, rank, sizes.data(), dnnl_f32, strides);
    return made;
  }
};

ConvolutionOperand batch_operand(const ConvolutionSizes& sizes, bool of_output, int argument,
                                 dnnl_query_t query, const float* data, bool written) {
  ConvolutionOperand made{
      .argument = argument, .query = query, .index = 0, .data = const_cast<float*>(data), .written = written};
  made.sizes[0] = sizes.batch;
  made.sizes[1] = of_output ? sizes.out_channels : sizes.in_channels;
  for (std::size_t d = 0; d < sizes.dims; ++d)
    made.sizes[2 + d] = (of_output ? sizes.output : sizes.input)[d];
  made.rank = static_cast<int>(2 + sizes.dims);
  return made;
}

/// Of several groups with a dimension for them.
ConvolutionOperand weight_operand(const ConvolutionSizes& sizes, int argument, dnnl_query_t query,
                                  const float* data, bool written) {
  ConvolutionOperand made{
      .argument = argument, .query = query, .index = 0, .data = const_cast<float*>(data), .written = written};
  const auto push = [&](std::int64_t size) { made.sizes[static_cast<std::size_t>(made.rank++)] = size; };
  if (sizes.groups > 1) push(sizes.groups);
  push(sizes.out_channels / sizes.groups);
  push(sizes.in_channels / sizes.groups);
  for (std::size_t d = 0; d < sizes.dims; ++d) push(sizes.kernel[d]);
  return made;
}

ConvolutionOperand bias_operand(const ConvolutionSizes& sizes, int argument, dnnl_query_t query,
                                const float* data, bool written) {
  return {{sizes.out_channels}, 1, argument, query, 1, const_cast<float*>(data), written};
}

struct ConvolutionLayout {
  explicit ConvolutionLayout(const ConvolutionSizes& sizes) {
    for (std::size_t d = 0; d < sizes.dims; ++d) {
      strides[d] = sizes.stride[d];
      dilates[d] = sizes.dilation[d] - 1;
      before[d] = sizes.padding_before[d];
      after[d] = sizes.padding_after[d];
    }
  }

  dnnl_dims_t strides = {}, dilates = {}, before = {}, after = {};
};

bool execute(const OneDnn& dnn, const_dnnl_primitive_desc_t description,
             const std::vector<dnnl_exec_arg_t>& arguments, dnnl_stream_t stream) {
  const OneDnnOwned<dnnl_primitive> primitive(dnn.primitive_destroy, dnn.primitive_create, description);
  return primitive && dnn.primitive_execute(primitive.get(), stream, static_cast<int>(arguments.size()),
                                            arguments.data()) == dnnl_success;
}

bool copy_operand(const OneDnn& dnn, const dnnl_memory_desc_t& from, dnnl_memory_t source,
                  const dnnl_memory_desc_t& to, dnnl_memory_t target, dnnl_stream_t stream) {
  const Description description(dnn.primitive_desc_destroy, dnn.reorder_primitive_desc_create, &from,
                                dnn.engine, &to, dnn.engine, nullptr);
  return description &&
         execute(dnn, description.get(), {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, target}}, stream);
}

/// An operand where it lies, and where the library wants it.
struct PlacedOperand {
  dnnl_memory_desc_t given, chosen;
  Scratch copy;  ///< where is_copied
  OperandMemory outside, inside;
  bool is_copied;
  bool is_written;
};

bool run(const OneDnn& dnn, const_dnnl_primitive_desc_t description,
         std::span<const ConvolutionOperand> operands) {
  const OneDnnOwned<dnnl_stream> stream(dnn.stream_destroy, dnn.stream_create, dnn.engine,
                                        static_cast<unsigned>(dnnl_stream_default_flags));
  if (!stream) return false;
  std::vector<PlacedOperand> placed;
  std::vector<dnnl_exec_arg_t> arguments;
  for (const ConvolutionOperand& operand : operands) {
    if (operand.data == nullptr) continue;
    const dnnl_memory_desc_t given = operand.describe(dnn, false);
    const dnnl_memory_desc_t* const chosen =
        dnn.primitive_desc_query_md(description, operand.query, operand.index);
    if (chosen == nullptr) return false;
    const bool is_copied = dnn.memory_desc_equal(&given, chosen) == 0;
    Scratch copy;
    if (is_copied) copy = scratch(dnn.memory_desc_get_size(chosen));
    void* const data = is_copied ? copy.get() : operand.data;
    PlacedOperand place{
        given,
        *chosen,
        std::move(copy),
        OperandMemory(dnn.memory_destroy, dnn.memory_create, &given, dnn.engine, operand.data),
        OperandMemory(dnn.memory_destroy, dnn.memory_create, chosen, dnn.engine, data),
        is_copied,
        operand.written};
    if (!place.outside || !place.inside) return false;
    if (is_copied && !operand.written &&
        !copy_operand(dnn, given, place.outside.get(), *chosen, place.inside.get(), stream.get()))
      return false;
    arguments.push_back({operand.argument, place.inside.get()});
    placed.push_back(std::move(place));
  }
  bool done = execute(dnn, description, arguments, stream.get());
  for (const PlacedOperand& place : placed) {
    if (place.is_copied && place.is_written)
      done = done && copy_operand(dnn, place.chosen, place.inside.get(), place.given, place.outside.get(),
                                  stream.get());
  }
  return dnn.stream_wait(stream.get()) == dnnl_success && done;
}

/// `forward`: of a gradient, the description of what it is the gradient of.
Description describe_operation(const OneDnn& dnn, const dnnl_convolution_desc_t& operation,
                               const_dnnl_primitive_desc_t forward) {
  return {dnn.primitive_desc_destroy,
          dnn.primitive_desc_create,
          static_cast<const_dnnl_op_desc_t>(&operation),
          nullptr,
          dnn.engine,
          forward};
}

Description forward_description(const OneDnn& dnn, const ConvolutionLayout& geometry, dnnl_prop_kind_t kind,
                                const dnnl_memory_desc_t& input, const dnnl_memory_desc_t& weight,
                                const dnnl_memory_desc_t& bias, const dnnl_memory_desc_t& out) {
  dnnl_convolution_desc_t operation{};
  dnn.dilated_convolution_forward_desc_init(&operation, kind, dnnl_convolution_direct, &input, &weight,
                                            bias.ndims == 0 ? nullptr : &bias, &out, geometry.strides,
                                            geometry.dilates, geometry.before, geometry.after);
  return describe_operation(dnn, operation, nullptr);
}

}  // namespace

bool convolution_takes_bias() {
  return true;
}

bool convolution(const ConvolutionSizes& sizes, float* out, const float* input, const float* weight,
                 const float* bias) {
  const OneDnn* const dnn = convolution_library();
  if (dnn == nullptr) return false;
  const std::array operands{
      batch_operand(sizes, false, DNNL_ARG_SRC, dnnl_query_src_md, input, false),
      weight_operand(sizes, DNNL_ARG_WEIGHTS, dnnl_query_weights_md, weight, false),
      bias_operand(sizes, DNNL_ARG_BIAS, dnnl_query_weights_md, bias, false),
      batch_operand(sizes, true, DNNL_ARG_DST, dnnl_query_dst_md, out, true),
  };
  // For training, though nothing is kept: the library then lays operands out in blocks of channels, which are
  // copied faster than the channels-last that it takes for inference, and multiplied no slower.
  const Description description = forward_description(
      *dnn, ConvolutionLayout(sizes), dnnl_forward_training, operands[0].describe(*dnn, true),
      operands[1].describe(*dnn, true), operands[2].describe(*dnn, true), operands[3].describe(*dnn, true));
  return description && run(*dnn, description.get(), operands);
}

bool convolution_input_gradient(const ConvolutionSizes& sizes, float* input_gradient, const float* gradient,
                                const float* weight) {
  const OneDnn* const dnn = convolution_library();
  if (dnn == nullptr) return false;
  const std::array operands{
      batch_operand(sizes, false, DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, input_gradient, true),
      weight_operand(sizes, DNNL_ARG_WEIGHTS, dnnl_query_weights_md, weight, false),
      batch_operand(sizes, true, DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, gradient, false),
  };
  const ConvolutionLayout geometry(sizes);
  const auto input = operands[0].describe(*dnn, true), weights = operands[1].describe(*dnn, true),
             out = operands[2].describe(*dnn, true);
  const Description hint =
      forward_description(*dnn, geometry, dnnl_forward_training, input, weights, {}, out);
  dnnl_convolution_desc_t operation{};
  dnn->dilated_convolution_backward_data_desc_init(&operation, dnnl_convolution_direct, &input, &weights,
                                                   &out, geometry.strides, geometry.dilates, geometry.before,
                                                   geometry.after);
  const Description description = describe_operation(*dnn, operation, hint.get());
  return hint && description && run(*dnn, description.get(), operands);
}

bool convolution_parameter_gradients(const ConvolutionSizes& sizes, float* weight_gradient,
                                     float* bias_gradient, const float* gradient, const float* input) {
  const OneDnn* const dnn = convolution_library();
  if (dnn == nullptr) return false;
  const std::array operands{
      batch_operand(sizes, false, DNNL_ARG_SRC, dnnl_query_src_md, input, false),
      weight_operand(sizes, DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md, weight_gradient, true),
      bias_operand(sizes, DNNL_ARG_DIFF_BIAS, dnnl_query_diff_weights_md, bias_gradient, true),
      batch_operand(sizes, true, DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, gradient, false),
  };
  const ConvolutionLayout geometry(sizes);
  const auto source = operands[0].describe(*dnn, true), weights = operands[1].describe(*dnn, true),
             bias = operands[2].describe(*dnn, true), out = operands[3].describe(*dnn, true);
  const Description hint =
      forward_description(*dnn, geometry, dnnl_forward_training, source, weights, bias, out);
  dnnl_convolution_desc_t operation{};
  dnn->dilated_convolution_backward_weights_desc_init(
      &operation, dnnl_convolution_direct, &source, &weights, bias.ndims == 0 ? nullptr : &bias, &out,
      geometry.strides, geometry.dilates, geometry.before, geometry.after);
  const Description description = describe_operation(*dnn, operation, hint.get());
  return hint && description && run(*dnn, description.get(), operands);
}

}  // namespace lectern::kernels::cpu
