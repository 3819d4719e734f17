#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensor/tensor.h"

// What compile.h is made of.

namespace lectern::fusion {

/// What the calls of a compiled function share, and the backward passes of their results.
class Compilation;
std::shared_ptr<Compilation> make_compilation();
/// How many plans it has made.
std::int64_t count_plans(const Compilation& compilation);

/// A call: operations of this thread are recorded until finish(). Within another one it is part of that.
class Session {
 public:
  explicit Session(const std::shared_ptr<Compilation>& compilation);
  /// After an exception, computes what escaped.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Computes what tensors outside of graphs still refer to.
  void finish();

 private:
  struct Recording;
  std::unique_ptr<Recording> recording_;
};

/// Reports on the sessions that begin on this thread.
class Explanation {
 public:
  Explanation();
  ~Explanation();
  Explanation(const Explanation&) = delete;
  Explanation& operator=(const Explanation&) = delete;

  /// The gradients of `result` with respect to those of the inputs that require one.
  void backward(const Tensor& result, const std::vector<Tensor>& inputs);
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lectern::fusion
