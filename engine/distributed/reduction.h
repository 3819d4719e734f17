#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/dtype.h"
#include "distributed/collectives.h"
#include "distributed/exchange.h"

namespace lectern::distributed {

std::string_view name(ReduceOp op);

struct Reduction {
  ReduceOp op;
  Dtype dtype;
};

/// own = the reduction of `count` elements of each rank, in the order of ranks: pieces[i] of the i-th, and
/// own itself of rank `rank`.
void reduce_pieces(const Reduction& reduction, std::byte* own, int rank, std::span<std::byte* const> pieces,
                   std::int64_t count);

/// A part of an array, in elements.
struct Part {
  std::int64_t begin, count;
};
/// The i-th of n shares of an array: the first ones of ceil(numel / n), the last ones of what is left.
Part share_of(std::int64_t numel, int n, int i);

/// A part of a rank's elements on their way to the rank that reduces them.
struct Piece {
  const std::byte* data;
  std::int64_t count;
};

/// Sends pieces[i] to the i-th rank and reduces into `own`, of `count` elements, where this rank's are
/// already, what the others send. In parts, so that sums and messages overlap: calls done(number, part) after
/// each.
void exchange_and_reduce(Exchange& exchange, const Reduction& reduction, std::span<const Piece> pieces,
                         std::byte* own, std::int64_t count,
                         const std::function<void(std::uint64_t number, Part part)>& done);

/// The parts in which `count` elements are sent.
std::vector<Part> parts_of(std::int64_t count, Dtype dtype);

}  // namespace lectern::distributed
