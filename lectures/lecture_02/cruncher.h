// The model of lecture 2: a few linear layers, one after the other.

#pragma once

#include "parts.h"

/// A matrix that is learned: input_dim numbers become output_dim. It begins with
/// normal numbers, divided by the root of input_dim.
struct Linear : nn::Module {
  nn::Parameter weight;

  Linear(int64_t input_dim, int64_t output_dim, Generator* generator = nullptr)
      : weight(randn({input_dim, output_dim}, {}, generator) / std::sqrt(static_cast<double>(input_dim))) {
    LECTERN_REGISTER(weight);
  }

  Tensor operator()(const Tensor& x) const { return x.matmul(weight); }
};

/// Layers of dim numbers each, and a last one that makes a single number of them.
struct Cruncher : nn::Module {
  nn::ModuleList<Linear> layers;
  Linear final;

  Cruncher(int64_t dim, int64_t num_layers, Generator* generator = nullptr)
      : layers(num_layers, dim, dim, generator), final(dim, 1, generator) {
    LECTERN_REGISTER(layers, final);
  }

  Tensor operator()(Tensor x) const {
    for (const Linear& layer : layers) x = layer(x);
    return final(x).squeeze(-1);  // [batch, 1] becomes [batch]
  }
};
