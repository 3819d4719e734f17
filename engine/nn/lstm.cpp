#include "nn/lstm.h"

#include <cmath>
#include <string>

#include "base/tensor_error.h"
#include "nn/init.h"
#include "nn/repr.h"
#include "ops/dropout.h"
#include "ops/elementwise.h"
#include "ops/join.h"
#include "ops/linear.h"
#include "tensor/creation.h"

namespace lectern::nn {
namespace {

constexpr std::string_view kLstm = "LSTM";

void check_positive(std::string_view argument, std::int64_t size) {
  if (size <= 0) throw TensorError(kLstm, argument, "positive", std::to_string(size));
}

void check_shape(std::string_view argument, const Tensor& tensor, const Sizes& expected) {
  if (tensor.sizes() == expected) return;
  throw TensorError(kLstm, "the shape of " + std::string(argument), to_string(expected),
                    to_string(tensor.sizes()));
}

}  // namespace

LSTM::LSTM(std::int64_t input_size, std::int64_t hidden_size, const LSTMOptions& options)
    : input_size_(input_size), hidden_size_(hidden_size), options_(options) {
  check_positive("input_size", input_size);
  check_positive("hidden_size", hidden_size);
  check_positive("num_layers", options.num_layers);
  if (!(options.dropout >= 0 && options.dropout <= 1))
    throw TensorError(kLstm, "dropout", "in [0, 1]", repr(options.dropout));
  if (options.proj_size < 0 || options.proj_size >= hidden_size) {
    throw TensorError(kLstm, "proj_size", "in [0, hidden_size), below " + std::to_string(hidden_size),
                      std::to_string(options.proj_size));
  }
  for (std::int64_t layer = 0; layer < options.num_layers; ++layer) {
    const std::int64_t inputs = layer == 0 ? input_size : num_directions() * output_size();
    const std::string suffix = "_l" + std::to_string(layer);
    directions_.push_back(make_direction(inputs, suffix));
    if (options.bidirectional) directions_.push_back(make_direction(inputs, suffix + "_reverse"));
  }
  const double bound = 1 / std::sqrt(static_cast<double>(hidden_size));
  for (const Tensor& parameter : parameters()) init::uniform_(parameter, -bound, bound);
}

LSTM::Direction LSTM::make_direction(std::int64_t inputs, const std::string& suffix) {
  const auto parameter = [&](const char* name, const Sizes& sizes) {
    const TensorOptions factory{.dtype = options_.dtype, .device = options_.device};
    return register_parameter(name + suffix, Parameter(empty(sizes, factory)));
  };
  const std::int64_t gates = 4 * hidden_size_;
  Direction direction;
  direction.weight_ih = parameter("weight_ih", {gates, inputs});
  direction.weight_hh = parameter("weight_hh", {gates, output_size()});
  if (options_.bias) {
    direction.bias_ih = parameter("bias_ih", {gates});
    direction.bias_hh = parameter("bias_hh", {gates});
  }
  if (options_.proj_size > 0) direction.weight_hr = parameter("weight_hr", {output_size(), hidden_size_});
  return direction;
}

LSTMState LSTM::batched_state(const LSTMState& given, const Tensor& x, bool is_batched) const {
  const auto layers = static_cast<std::int64_t>(directions_.size()), batch = x.size(1);
  const auto state = [&](std::string_view argument, const Tensor& tensor, std::int64_t size) {
    if (!tensor.defined()) return zeros({layers, batch, size}, {.dtype = x.dtype(), .device = x.device()});
    check_shape(argument, tensor, is_batched ? Sizes{layers, batch, size} : Sizes{layers, size});
    return is_batched ? tensor : tensor.unsqueeze(1);
  };
  return {state("h", given.h, output_size()), state("c", given.c, hidden_size_)};
}

Tensor LSTM::run(const Direction& direction, const Tensor& x, bool is_reversed, LSTMState& state) const {
  const std::vector<Tensor> inputs = linear(x, direction.weight_ih, direction.bias_ih).unbind();
  std::vector<Tensor> outputs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t t = is_reversed ? inputs.size() - 1 - i : i;
    const std::vector<Tensor> gates =
        (inputs[t] + linear(state.h, direction.weight_hh, direction.bias_hh)).chunk(4, -1);
    state.c = sigmoid(gates[1]) * state.c + sigmoid(gates[0]) * tanh(gates[2]);
    state.h = sigmoid(gates[3]) * tanh(state.c);
    if (direction.weight_hr.defined()) state.h = linear(state.h, direction.weight_hr);
    outputs[t] = state.h;
  }
  return stack(outputs);
}

LSTM::Result LSTM::operator()(const Tensor& x, const LSTMState& initial) const {
  const bool is_batched = x.dim() == 3, is_batch_first = is_batched && options_.batch_first;
  if ((x.dim() != 2 && !is_batched) || x.size(-1) != input_size_) {
    throw TensorError(kLstm, "the shape of the inputs",
                      "[time, batch, " + std::to_string(input_size_) + "], or without the batch",
                      to_string(x.sizes()));
  }
  Tensor values = is_batch_first ? x.transpose(0, 1) : is_batched ? x : x.unsqueeze(1);
  if (values.size(0) == 0) throw TensorError(kLstm, "there are no time steps");
  const LSTMState first = batched_state(initial, values, is_batched);
  std::vector<Tensor> h, c;
  for (std::size_t k = 0; k < directions_.size();) {
    if (k > 0 && options_.dropout != 0) values = dropout(values, options_.dropout, is_training());
    std::vector<Tensor> outputs;
    for (std::int64_t d = 0; d < num_directions(); ++d, ++k) {
      const auto row = static_cast<std::int64_t>(k);
      LSTMState state{first.h[row], first.c[row]};
      outputs.push_back(run(directions_[k], values, d == 1, state));
      h.push_back(state.h);
      c.push_back(state.c);
    }
    values = cat(outputs, -1);
  }
  const LSTMState last{stack(h), stack(c)};
  if (!is_batched) return {values.squeeze(1), {last.h.squeeze(1), last.c.squeeze(1)}};
  return {is_batch_first ? values.transpose(0, 1) : values, last};
}

std::string LSTM::extra_repr() const {
  std::string text = std::to_string(input_size_) + ", " + std::to_string(hidden_size_);
  if (options_.proj_size != 0) text += ", proj_size=" + std::to_string(options_.proj_size);
  if (options_.num_layers != 1) text += ", num_layers=" + std::to_string(options_.num_layers);
  if (!options_.bias) text += ", bias=False";
  if (options_.batch_first) text += ", batch_first=True";
  if (options_.dropout != 0) text += ", dropout=" + repr(options_.dropout);
  if (options_.bidirectional) text += ", bidirectional=True";
  return text;
}

}  // namespace lectern::nn
