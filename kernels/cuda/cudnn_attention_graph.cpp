#include "kernels/cuda/cudnn_attention_graph.h"

#include <utility>

namespace lectern::kernels::cuda {
namespace {

using Sizes = CudnnGraph::Sizes;
using Tensor = CudnnGraph::TensorNumber;
using Kind = CudnnGraph::Kind;

cudnnDataType_t attention_type(Dtype dtype) {
  return dtype == bfloat16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_HALF;
}

/// The matrices transposed.
AttentionShape transposed(AttentionShape shape) {
  std::swap(shape.sizes[2], shape.sizes[3]);
  std::swap(shape.strides[2], shape.strides[3]);
  return shape;
}

/// Adds what both directions have. Temporaries are of float32 unless said otherwise.
class AttentionBuilder {
 public:
  AttentionBuilder(CudnnGraph& graph, const AttentionForm& form)
      : graph_(graph),
        form_(form),
        type_(attention_type(form.dtype)),
        rows_{form.query.sizes[0], form.query.sizes[1], form.query.sizes[2], 1},
        pairs_{rows_[0], rows_[1], rows_[2], form.key.sizes[2]} {}

  const Sizes& rows() const { return rows_; }
  const Sizes& pairs() const { return pairs_; }

  Tensor memory(const AttentionShape& shape) {
    return graph_.tensor(type_, Kind::memory, shape.sizes, shape.strides);
  }
  Tensor numbers_of_rows() { return graph_.tensor(CUDNN_DATA_FLOAT, Kind::memory, rows_); }
  Tensor temporary(const Sizes& sizes, cudnnDataType_t type = CUDNN_DATA_FLOAT) {
    return graph_.tensor(type, Kind::temporary, sizes);
  }

  Tensor pointwise(cudnnPointwiseMode_t mode, const Sizes& sizes, std::initializer_list<Tensor> in) {
    const Tensor out = temporary(sizes);
    graph_.pointwise(mode, out, in);
    return out;
  }
  Tensor reduction(cudnnReduceTensorOp_t mode, Tensor in) {
    const Tensor out = temporary(rows_);
    graph_.reduction(mode, out, in);
    return out;
  }

  /// query keyᵀ scale
  Tensor scores(Tensor query, Tensor transposed_key, Tensor scale) {
    const Tensor products = temporary(pairs_);
    graph_.matmul(products, query, transposed_key);
    return pointwise(CUDNN_POINTWISE_MUL, pairs_, {products, scale});
  }

  /// `hidden` where a key comes after the query.
  Tensor seen(Tensor scores, Tensor hidden) {
    if (!form_.is_causal) return scores;
    const Tensor row = index(scores, 2), column = index(scores, 3);
    const Tensor sees = temporary(pairs_, CUDNN_DATA_BOOLEAN);
    graph_.pointwise(CUDNN_POINTWISE_CMP_GE, sees, {row, column}, CUDNN_DATA_BOOLEAN);
    return pointwise(CUDNN_POINTWISE_BINARY_SELECT, pairs_, {scores, hidden, sees});
  }

  /// The transposed pairs, in the dtype.
  Tensor transposed_pairs(Tensor numbers) {
    const AttentionShape shape = transposed({pairs_, CudnnGraph::contiguous(pairs_)});
    const Tensor out = graph_.tensor(type_, Kind::temporary, shape.sizes, shape.strides);
    graph_.reshape(out, numbers);
    return out;
  }

  /// left right, summed over the query heads that share one of `out`.
  void multiply_heads(Tensor out, const AttentionShape& shape, Tensor left, Tensor right) {
    if (shape.sizes[1] == rows_[1]) {
      graph_.matmul(out, left, right);
      return;
    }
    Sizes of_all_heads = shape.sizes;
    of_all_heads[1] = rows_[1];
    const Tensor products = temporary(of_all_heads, type_);
    graph_.matmul(products, left, right);
    graph_.reduction(CUDNN_REDUCE_TENSOR_ADD, out, products);
  }

 private:
  Tensor index(Tensor tensor, std::int64_t axis) {
    const Tensor out = temporary(pairs_, CUDNN_DATA_INT32);
    graph_.pointwise(CUDNN_POINTWISE_GEN_INDEX, out, {tensor}, CUDNN_DATA_FLOAT, axis);
    return out;
  }

  CudnnGraph& graph_;
  const AttentionForm& form_;
  cudnnDataType_t type_;
  Sizes rows_, pairs_;
};

}  // namespace

AttentionTensors add_attention(CudnnGraph& graph, const AttentionForm& form) {
  AttentionBuilder add(graph, form);
  AttentionTensors tensors{};
  tensors.query = add.memory(form.query);
  tensors.key = add.memory(transposed(form.key));
  tensors.value = add.memory(form.value);
  tensors.out = add.memory(form.out);
  tensors.log_sum_exp = add.numbers_of_rows();
  tensors.scale = graph.host_value();
  if (form.is_causal) tensors.hidden = graph.host_value();

  const Tensor scores = add.seen(add.scores(tensors.query, tensors.key, tensors.scale), tensors.hidden);
  const Tensor largest = add.reduction(CUDNN_REDUCE_TENSOR_MAX, scores);
  const Tensor differences = add.pointwise(CUDNN_POINTWISE_SUB, add.pairs(), {scores, largest});
  const Tensor powers = add.pointwise(CUDNN_POINTWISE_EXP, add.pairs(), {differences});
  const Tensor sums = add.reduction(CUDNN_REDUCE_TENSOR_ADD, powers);
  const Tensor logarithms = add.pointwise(CUDNN_POINTWISE_LOG, add.rows(), {sums});
  graph.pointwise(CUDNN_POINTWISE_ADD, tensors.log_sum_exp, {largest, logarithms});
  const Tensor weights = add.temporary(add.pairs(), attention_type(form.dtype));
  graph.pointwise(CUDNN_POINTWISE_DIV, weights, {powers, sums});
  graph.matmul(tensors.out, weights, tensors.value);
  return tensors;
}

AttentionTensors add_attention_gradient(CudnnGraph& graph, const AttentionForm& form, QueryGradientSum sum) {
  AttentionBuilder add(graph, form);
  AttentionTensors tensors{};
  tensors.query = add.memory(form.query);
  tensors.key = add.memory(transposed(form.key));
  tensors.value = add.memory(transposed(form.value));
  tensors.out = add.memory(form.out);
  tensors.log_sum_exp = add.numbers_of_rows();
  tensors.scale = graph.host_value();
  if (form.is_causal) tensors.hidden = graph.host_value();
  tensors.grad = add.memory(form.grad);
  tensors.query_gradient = add.memory(form.query_gradient);
  tensors.key_gradient = add.memory(form.key_gradient);
  tensors.value_gradient = add.memory(form.value_gradient);
  tensors.grad_sums = add.numbers_of_rows();
  tensors.one = graph.host_value();

  const Tensor products = add.pointwise(CUDNN_POINTWISE_MUL, form.out.sizes, {tensors.grad, tensors.out});
  const Tensor sums = add.reduction(CUDNN_REDUCE_TENSOR_ADD, products);
  graph.pointwise(CUDNN_POINTWISE_MUL, tensors.grad_sums, {sums, tensors.one});

  const Tensor scores = add.scores(tensors.query, tensors.key, tensors.scale);
  const Tensor logarithms = add.pointwise(CUDNN_POINTWISE_SUB, add.pairs(), {scores, tensors.log_sum_exp});
  const Tensor weights =
      add.pointwise(CUDNN_POINTWISE_EXP, add.pairs(), {add.seen(logarithms, tensors.hidden)});
  add.multiply_heads(tensors.value_gradient, form.value_gradient, add.transposed_pairs(weights),
                     tensors.grad);

  const Tensor weight_gradients = add.temporary(add.pairs());
  graph.matmul(weight_gradients, tensors.grad, tensors.value);
  const Tensor centred =
      add.pointwise(CUDNN_POINTWISE_SUB, add.pairs(), {weight_gradients, tensors.grad_sums});
  const Tensor unscaled = add.pointwise(CUDNN_POINTWISE_MUL, add.pairs(), {centred, weights});
  const Tensor score_gradients = add.pointwise(CUDNN_POINTWISE_MUL, add.pairs(), {unscaled, tensors.scale});
  add.multiply_heads(tensors.key_gradient, form.key_gradient, add.transposed_pairs(score_gradients),
                     tensors.query);

  const Tensor key =
      graph.tensor(attention_type(form.dtype), Kind::temporary, form.key.sizes, form.key.strides);
  graph.reshape(key, tensors.key);
  if (sum == QueryGradientSum::stores_pairs) {
    graph.matmul(tensors.query_gradient, score_gradients, key);
  } else {
    tensors.query_sums = graph.tensor(CUDNN_DATA_FLOAT, Kind::memory, form.query.sizes);
    graph.matmul(tensors.query_sums, score_gradients, key);
    graph.pointwise(CUDNN_POINTWISE_IDENTITY, tensors.query_gradient, {tensors.query_sums});
  }
  return tensors;
}

std::int64_t attention_pair_bytes(const AttentionForm& form) {
  const auto rounded = [](std::int64_t rows) { return (rows + 127) / 128 * 128; };
  const Sizes& queries = form.query.sizes;
  return queries[0] * queries[1] * rounded(queries[2]) * rounded(form.key.sizes[2]) * 2;
}

}  // namespace lectern::kernels::cuda
