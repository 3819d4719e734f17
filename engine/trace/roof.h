#pragma once

#include <optional>
#include <string>

#include "trace/cost.h"
#include "trace/trace.h"

namespace lectern {

/// A device as a roofline (Williams and others, 2009), by what the trace's profile says of it.
struct Roof {
  std::string device;
  double flops = 0;       ///< operations per second at most, in float32
  double bfloat16 = 0;    ///< likewise, where it is faster; 0 where not
  double bytes = 0;       ///< to and from memory per second at most
  bool measured = false;  ///< the bytes

  /// Operations per byte from which on compute bounds what is done, not memory.
  double ridge() const { return flops / bytes; }
  /// Operations per second at most, at so many per byte.
  double attainable(double intensity) const;
  /// What share of that was reached. More than 1 if it worked in caches, or in a faster dtype. 0 where time,
  /// operations or bytes are unknown.
  double share(const Cost& cost) const;
};

/// Operations per byte moved; 0 where either is unknown.
double arithmetic_intensity(const Cost& cost);

/// The roof of the device on which the run computed. Steps do not say on which one they did: the first GPU
/// that had tensors, else the CPU. None where the profile has no believable ceilings for it.
std::optional<Roof> run_roof(const Trace& trace, const CostAccount& account);

}  // namespace lectern
