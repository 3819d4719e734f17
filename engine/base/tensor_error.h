#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace lectern {

/// Thrown by every operation on tensors: "OPERATION: what was expected and what came".
class TensorError : public Error {
 public:
  /// TensorError("view", "shape [2, 3] cannot become [7]: 6 elements are not 7")
  TensorError(std::string_view operation, std::string_view problem)
      : Error(std::string(operation).append(": ").append(problem)) {}

  /// TensorError("sum", "dim", "in [-2, 1]", "2") says "sum: dim must be in [-2, 1], not 2".
  TensorError(std::string_view operation, std::string_view argument, std::string_view expected,
              std::string_view got)
      : TensorError(operation,
                    std::string(argument).append(" must be ").append(expected).append(", not ").append(got)) {
  }
};

}  // namespace lectern
