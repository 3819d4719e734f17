#pragma once

#include <concepts>

#include "base/host_device.h"
#include "kernels/compute_type.h"
#include "kernels/gradient_reads.h"

namespace lectern::kernels {

/// The gradients as functors of the result's gradient and the values read.
template <typename Functor>
struct UnaryGradient {
  template <RealComputeType T, std::same_as<T>... Read>
  requires requires(Functor functor, T g, Read... read) { functor.gradient(g, read...); }
  LECTERN_HD T operator()(T g, Read... read) const { return Functor{}.gradient(g, read...); }
};

template <typename Functor, Side side>
struct BinaryGradient {
  template <RealComputeType T, std::same_as<T>... Read>
  requires(side == Side::a) && requires(Functor functor, T g, Read... read) {
    functor.gradient_a(g, read...);
  }
  LECTERN_HD T operator()(T g, Read... read) const { return Functor{}.gradient_a(g, read...); }

  template <RealComputeType T, std::same_as<T>... Read>
  requires(side == Side::b) && requires(Functor functor, T g, Read... read) {
    functor.gradient_b(g, read...);
  }
  LECTERN_HD T operator()(T g, Read... read) const { return Functor{}.gradient_b(g, read...); }
};

}  // namespace lectern::kernels
