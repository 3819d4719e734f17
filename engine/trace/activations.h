#pragma once

#include <vector>

#include "trace/trace.h"

namespace lectern {

/// One execution of a function: its own steps, and what its statements called.
struct Activation {
  struct Call {
    int step;        ///< of this activation, that made the call; -1: before its first step
    int activation;  ///< that the call began
  };
  struct LeftOut {
    std::size_t before;  ///< this many of its steps come before
    int number;          ///< in the trace
  };
  int function;  ///< -1: the program
  std::vector<int> steps = {};
  std::vector<Call> calls = {};
  std::vector<LeftOut> left_out = {};
};

/// The run as nested calls, in the order in which they began. Activation 0 stands for the program, which
/// calls the outermost functions. Frames that no step announced (a trace from elsewhere) begin with their
/// first step.
std::vector<Activation> activations(const Trace& trace);

}  // namespace lectern
