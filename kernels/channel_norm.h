#pragma once

#include <cstdint>

#include "kernels/elementwise.h"
#include "kernels/norms.h"

// batch_norm and group_norm of [batch, channels, length], of any floating dtypes, as a matrix: a plane, one
// channel of one element of the batch, is a row of `length`. Computed in the compute type of out's dtype,
// rounded once; statistics, weights, biases and sums are of that type and contiguous. `out` overlaps no
// input. On the CPU memory is read once and written once while the planes that share statistics fit the L2
// cache. Results do not depend on the number of threads. O(elements).

namespace lectern::kernels {

/// Which planes share their mean and variance.
enum class ChannelNorm : std::uint8_t {
  batch,   ///< those of a channel
  groups,  ///< those of neighbouring channels, in one element of the batch
  given,   ///< those of a channel, whose statistics are given
};

struct ChannelShape {
  ChannelNorm kind;
  std::int64_t batch, channels, length;
  std::int64_t groups;  ///< of channels; 1 unless the kind is groups

  LECTERN_HD std::int64_t planes() const { return batch * channels; }
  LECTERN_HD std::int64_t channel(std::int64_t plane) const { return plane % channels; }

  // Planes that share statistics are a set.
  LECTERN_HD std::int64_t sets() const { return kind == ChannelNorm::groups ? batch * groups : channels; }
  LECTERN_HD std::int64_t planes_of_set() const {
    return kind == ChannelNorm::groups ? channels / groups : batch;
  }
  LECTERN_HD std::int64_t set(std::int64_t plane) const {
    return kind == ChannelNorm::groups ? plane / planes_of_set() : channel(plane);
  }
  LECTERN_HD std::int64_t plane(std::int64_t set, std::int64_t i) const {
    return kind == ChannelNorm::groups ? set * planes_of_set() + i : i * channels + set;
  }
};

/// Values of the compute type, one per set.
struct ChannelStatistics {
  void* mean;
  void* variance;  ///< the biased one
};

/// out = (x - mean) / √(variance + eps) * weight + bias. Fills the statistics, unless they are given.
/// Parameters have one value per channel.
LECTERN_KERNEL(void, channel_norm, const ChannelShape& shape, double eps, const Array& out, const Array& x,
               const NormParameters& parameters, const ChannelStatistics& statistics);

/// out = the gradient of x. `sums` receives for each plane the sums of grad · normalised x, and then those of
/// grad: their sums over the batch are the gradients of weight and bias. May be null where the statistics are
/// given.
LECTERN_KERNEL(void, channel_norm_backward, const ChannelShape& shape, double eps, const Array& out,
               const Array& grad, const Array& x, const void* weight, const ChannelStatistics& statistics,
               void* sums);

}  // namespace lectern::kernels
