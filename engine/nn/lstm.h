#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nn/module.h"

namespace lectern::nn {

struct LSTMOptions {
  std::int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;  ///< [batch, time, features], not [time, batch, features]; not for states
  double dropout = 0;        ///< of the outputs of all layers but the last, in training mode
  bool bidirectional = false;
  std::int64_t proj_size = 0;         ///< if positive, the size to which the hidden state is projected
  std::optional<Dtype> dtype = {};    ///< float32
  std::optional<Device> device = {};  ///< default_device()
};

/// The states between time steps; without N for inputs without a batch. Sizes are those of LSTM.
struct LSTMState {
  Tensor h = {};  ///< [D num_layers, N, P], or undefined for zeros
  Tensor c = {};  ///< [D num_layers, N, H], likewise
};

/// Layers of long short-term memory (Hochreiter and Schmidhuber 1997), as torch.nn.LSTM. In time step t:
///
///   i, f, g, o = W_ih x_t + b_ih + W_hh h_(t-1) + b_hh
///   c_t = σ(f) c_(t-1) + σ(i) tanh(g)
///   h_t = σ(o) tanh(c_t), or its product with W_hr if proj_size is positive
///
/// Each further layer takes the h of the one before. If bidirectional, every layer also runs from the last
/// step to the first, with parameters of its own, and the outputs of both directions are concatenated. Below,
/// H is hidden_size, P is proj_size or else H, and D is 2 if bidirectional and else 1.
///
/// All parameters are initialised uniform in ±1 / √H. There are 4 H (inputs + P + 2) of them per layer and
/// direction, where inputs is input_size or D P, and H P for a projection. Floating-point operations of a
/// forward pass per time step, sequence and direction: 8 H (inputs + P) and 2 H P for the matrix products,
/// and 13 H for the gates.
class LSTM : public Module {
 public:
  /// A TensorError unless all sizes are positive, dropout is in [0, 1], and proj_size is in [0, hidden_size).
  LSTM(std::int64_t input_size, std::int64_t hidden_size, const LSTMOptions& options = {});

  struct Result {
    Tensor output;    ///< h of the last layer for every time step: [L, N, D P]
    LSTMState state;  ///< after the last step of each direction
  };
  /// For inputs x [L, N, input_size]; with batch_first N and L are swapped, in the output too. N may be
  /// absent. A TensorError for other shapes, and for L = 0.
  Result operator()(const Tensor& x, const LSTMState& initial = {}) const;

  std::int64_t input_size() const { return input_size_; }
  std::int64_t hidden_size() const { return hidden_size_; }
  std::string extra_repr() const override;

 private:
  /// The parameters of one direction of a layer; those of the gates i, f, g and o are blocks of rows.
  struct Direction {
    Tensor weight_ih;  ///< [4 H, inputs]
    Tensor weight_hh;  ///< [4 H, P]
    Tensor bias_ih;    ///< [4 H], or undefined
    Tensor bias_hh;    ///< likewise
    Tensor weight_hr;  ///< [P, H], or undefined
  };

  Direction make_direction(std::int64_t inputs, const std::string& suffix);
  /// The initial states for x [L, N, inputs], with N.
  LSTMState batched_state(const LSTMState& given, const Tensor& x, bool is_batched) const;
  /// The outputs [L, N, P] for x [L, N, inputs]; advances the state from the first step to the last.
  Tensor run(const Direction& direction, const Tensor& x, bool is_reversed, LSTMState& state) const;
  std::int64_t num_directions() const { return options_.bidirectional ? 2 : 1; }
  std::int64_t output_size() const { return options_.proj_size > 0 ? options_.proj_size : hidden_size_; }

  std::int64_t input_size_, hidden_size_;
  LSTMOptions options_;
  std::vector<Direction> directions_;  ///< layer by layer, forward before backward
};

}  // namespace lectern::nn
