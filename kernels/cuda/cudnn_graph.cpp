#include "kernels/cuda/cudnn_graph.h"

#include <algorithm>
#include <optional>

#include "base/tensor_error.h"

namespace lectern::kernels::cuda {
namespace {

using lectern::cuda::check_status;
using lectern::cuda::cudnn;

constexpr std::int64_t kCudnnAlignment = 16;
/// More than the heuristics ever propose.
constexpr std::int64_t kMostEngineConfigurations = 64;

/// Whether the engine computes as demanded.
bool serves(const CudnnDescriptor& configuration, const CudnnDemands& demands) {
  CudnnDescriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  cudnnBackendDescriptor_t into = engine.get();
  configuration.read(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &into);
  std::array<cudnnBackendNumericalNote_t, 2 * CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
  const std::int64_t count = engine.read(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                         std::ssize(notes), notes.data());
  const auto known = std::span(notes).first(static_cast<std::size_t>(std::min(count, std::ssize(notes))));
  const auto has = [&](cudnnBackendNumericalNote_t note) {
    return std::find(known.begin(), known.end(), note) != known.end();
  };
  // Of float32, tensor cores take TF32.
  const bool keeps_float32 =
      !has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) && !has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
  const bool is_deterministic = !has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
  return (!demands.is_deterministic || is_deterministic) && (!demands.keeps_float32 || keeps_float32);
}

/// The configurations of engines for the graph, the best first.
std::vector<CudnnDescriptor> configurations(const CudnnDescriptor& graph, const CudnnTarget& target) {
  CudnnDescriptor heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, CUDNN_HEUR_MODE_A);
#if CUDNN_VERSION >= 90800
  if (target.properties != nullptr) heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, *target.properties);
#endif
  heuristics.finalize();
  std::vector<CudnnDescriptor> found;
  std::vector<cudnnBackendDescriptor_t> into;
  for (std::int64_t i = 0; i < kMostEngineConfigurations; ++i)
    into.push_back(found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
  const std::int64_t count = heuristics.read(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                             std::ssize(into), into.data());
  found.erase(found.begin() + std::min(count, std::ssize(found)), found.end());
  return found;
}

/// None if the engine turns out not to serve.
std::optional<CudnnDescriptor> finalized_plan(const CudnnDescriptor& configuration, const CudnnTarget& target,
                                              const CudnnDemands& demands) {
  try {
    if (!serves(configuration, demands)) return std::nullopt;
    CudnnDescriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    if (target.handle != nullptr)
      plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
#if CUDNN_VERSION >= 90800
    if (target.properties != nullptr) plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, *target.properties);
#endif
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
    plan.finalize();
    std::int64_t bytes = 0;
    plan.read(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &bytes);
    if (bytes > demands.most_workspace_bytes) return std::nullopt;
    return plan;
  } catch (const TensorError&) {
    return std::nullopt;
  }
}

std::vector<cudnnBackendDescriptor_t> handles_of(const std::vector<CudnnDescriptor>& descriptors) {
  std::vector<cudnnBackendDescriptor_t> handles;
  for (const CudnnDescriptor& descriptor : descriptors) handles.push_back(descriptor.get());
  return handles;
}

CudnnDescriptor convolution_form(const CudnnWindows& windows) {
  CudnnDescriptor form(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  form.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  form.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  form.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::ssize(windows.stride));
  form.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, windows.stride);
  form.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, windows.dilation);
  form.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, windows.padding);
  form.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, windows.padding);
  return form;
}

}  // namespace

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type) {
  check_status("cudnnBackendCreateDescriptor", cudnn()->BackendCreateDescriptor(type, &handle_));
}

CudnnDescriptor::~CudnnDescriptor() {
  if (handle_ != nullptr) cudnn()->BackendDestroyDescriptor(handle_);
}

void CudnnDescriptor::finalize() {
  check_status("cudnnBackendFinalize", cudnn()->BackendFinalize(handle_));
}

void CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                          std::int64_t count, const void* values) {
  check_status("cudnnBackendSetAttribute", cudnn()->BackendSetAttribute(handle_, name, type, count, values));
}

std::int64_t CudnnDescriptor::read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                   std::int64_t count, void* values) const {
  std::int64_t found = 0;
  check_status("cudnnBackendGetAttribute",
               cudnn()->BackendGetAttribute(handle_, name, type, count, &found, values));
  return found;
}

CudnnPlan::CudnnPlan(CudnnDescriptor plan, std::vector<CudnnDescriptor> parts)
    : plan_(std::move(plan)), parts_(std::move(parts)) {
  plan_.read(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &workspace_bytes_);
}

void CudnnPlan::run(cudnnHandle_t handle, const CudnnMemory& memory, void* workspace) const {
  CudnnDescriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, memory.tensors());
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, std::ssize(memory.memory()),
           memory.memory().data());
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, workspace);
  pack.finalize();
  const std::lock_guard lock(mutex_);
  check_status("cudnnBackendExecute", cudnn()->BackendExecute(handle, plan_.get(), pack.get()));
}

CudnnGraph::Sizes CudnnGraph::contiguous(const Sizes& sizes) {
  return {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
}

CudnnGraph::TensorNumber CudnnGraph::tensor(cudnnDataType_t type, Kind kind, const Sizes& sizes,
                                            const Sizes& strides) {
  const TensorNumber number = std::ssize(tensors_) + 1;
  CudnnDescriptor& made = tensors_.emplace_back(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  made.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, number);
  made.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
  made.set(CUDNN_ATTR_TENSOR_DIMENSIONS, sizes);
  made.set(CUDNN_ATTR_TENSOR_STRIDES, strides);
  made.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, kCudnnAlignment);
  made.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, kind == Kind::temporary);
  made.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, kind == Kind::host_value);
  made.finalize();
  return number;
}

const CudnnDescriptor& CudnnGraph::of(TensorNumber tensor) const {
  return tensors_[static_cast<std::size_t>(tensor - 1)];
}

CudnnDescriptor& CudnnGraph::operation(cudnnBackendDescriptorType_t type) {
  return operations_.emplace_back(type);
}

const CudnnDescriptor& CudnnGraph::part(CudnnDescriptor made) {
  made.finalize();
  return *parts_.emplace_back(std::make_unique<CudnnDescriptor>(std::move(made)));
}

void CudnnGraph::pointwise(cudnnPointwiseMode_t mode, TensorNumber out,
                           std::initializer_list<TensorNumber> in, cudnnDataType_t compute,
                           std::int64_t axis) {
  CudnnDescriptor function(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  function.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, mode);
  function.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, compute);
  if (axis >= 0) function.set(CUDNN_ATTR_POINTWISE_AXIS, CUDNN_TYPE_INT64, axis);
  CudnnDescriptor& made = operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, part(std::move(function)));
  constexpr std::array kOperands{CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                                 CUDNN_ATTR_OPERATION_POINTWISE_TDESC};
  const auto* operand = kOperands.begin();
  for (const TensorNumber tensor : in) made.set(*operand++, of(tensor));
  made.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, of(out));
  made.finalize();
}

void CudnnGraph::matmul(TensorNumber out, TensorNumber a, TensorNumber b) {
  CudnnDescriptor function(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  function.set(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  CudnnDescriptor& made = operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, part(std::move(function)));
  made.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, of(a));
  made.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, of(b));
  made.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, of(out));
  made.finalize();
}

void CudnnGraph::reduction(cudnnReduceTensorOp_t mode, TensorNumber out, TensorNumber in) {
  CudnnDescriptor function(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
  function.set(CUDNN_ATTR_REDUCTION_OPERATOR, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, mode);
  function.set(CUDNN_ATTR_REDUCTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
  CudnnDescriptor& made = operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, part(std::move(function)));
  made.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, of(in));
  made.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, of(out));
  made.finalize();
}

void CudnnGraph::reshape(TensorNumber out, TensorNumber in) {
  CudnnDescriptor& made = operation(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
  made.set(CUDNN_ATTR_OPERATION_RESHAPE_XDESC, of(in));
  made.set(CUDNN_ATTR_OPERATION_RESHAPE_YDESC, of(out));
  made.finalize();
}

void CudnnGraph::convolution(CudnnDirection direction, TensorNumber input, TensorNumber weight,
                             TensorNumber output, const CudnnWindows& windows) {
  struct Names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t form, input, weight, output, alpha, beta;
  };
  constexpr std::array<Names, 3> kNames{
      Names{CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
            CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      Names{CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      Names{CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
            CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};
  const Names& names = kNames[static_cast<std::size_t>(direction)];
  CudnnDescriptor& made = operation(names.type);
  made.set(names.form, part(convolution_form(windows)));
  made.set(names.input, of(input));
  made.set(names.weight, of(weight));
  made.set(names.output, of(output));
  made.set(names.alpha, CUDNN_TYPE_FLOAT, 1.0F);
  made.set(names.beta, CUDNN_TYPE_FLOAT, 0.0F);
  made.finalize();
}

std::shared_ptr<const CudnnPlan> CudnnGraph::plan(const CudnnTarget& target,
                                                  const CudnnDemands& demands) const {
  CudnnDescriptor graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  const std::vector<cudnnBackendDescriptor_t> operations = handles_of(operations_);
  if (target.handle != nullptr) graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, target.handle);
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::ssize(operations),
            operations.data());
  graph.finalize();
  for (CudnnDescriptor& configuration : configurations(graph, target)) {
    std::optional<CudnnDescriptor> found = finalized_plan(configuration, target, demands);
    if (!found) continue;
    std::vector<CudnnDescriptor> parts;
    parts.push_back(std::move(configuration));
    parts.push_back(std::move(graph));
    return std::make_shared<const CudnnPlan>(*std::move(found), std::move(parts));
  }
  return nullptr;
}

}  // namespace lectern::kernels::cuda
