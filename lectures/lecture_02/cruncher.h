// The model of lecture 2: a few linear layers, one after the other.

#pragma once

#include <cmath>
#include <cstdint>

#include <lectern/lecture.h>

/// A matrix that is learned: input_dim numbers become output_dim. It begins with
/// normal numbers, divided by the root of input_dim.
struct Linear : lectern::nn::Module {
  lectern::nn::Parameter weight;

  Linear(std::int64_t input_dim, std::int64_t output_dim,
         lectern::Generator* generator = nullptr)
      : weight(lectern::randn({input_dim, output_dim}, {}, generator) /
               std::sqrt(static_cast<double>(input_dim))) {
    LECTERN_REGISTER(weight);
  }

  lectern::Tensor operator()(const lectern::Tensor& x) const {
    return x.matmul(weight);
  }
};

/// Layers of dim numbers each, and a last one that makes a single number of them.
struct Cruncher : lectern::nn::Module {
  lectern::nn::ModuleList<Linear> layers;
  Linear final;

  Cruncher(std::int64_t dim, std::int64_t num_layers,
           lectern::Generator* generator = nullptr)
      : layers(num_layers, dim, dim, generator), final(dim, 1, generator) {
    LECTERN_REGISTER(layers, final);
  }

  lectern::Tensor operator()(lectern::Tensor x) const {
    for (const Linear& layer : layers) x = layer(x);
    return final(x).squeeze(-1);  // [batch, 1] becomes [batch]
  }
};
