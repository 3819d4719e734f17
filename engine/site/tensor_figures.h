#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/model.h"

namespace lectern {

/// What describes a tensor's elements: the finite ones, but for the counts.
struct TensorFigures {
  bool known = false;  ///< there is a finite element
  double min = 0, max = 0, mean = 0, std = 0;
  bool has_std = false;
  std::uint64_t nan = 0, inf = 0;
};

TensorFigures tensor_figures(const std::vector<Element>& elements);
TensorFigures tensor_figures(const form::Statistics& statistics);

/// One of the figures with three significant digits: "-2.66", "1.2e-5".
std::string show_figure(double value);

}  // namespace lectern
