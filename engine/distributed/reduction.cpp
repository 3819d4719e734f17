#include "distributed/reduction.h"

#include <algorithm>

#include "ops/elementwise.h"
#include "tensor/creation.h"

namespace lectern::distributed {
namespace {

// Bytes of a part: what stays in a core's second-level cache, more where a share is too large for any cache.
constexpr std::int64_t kLeastPart = 1 << 18, kMostPart = 1 << 19;
constexpr std::int64_t kParts = 8;      // of a share, unless they would be smaller or larger
constexpr std::size_t kPartsAhead = 2;  // of each rank, for which there is room
constexpr std::uint64_t kReducePhase = 1;

Tensor array_at(std::byte* data, std::int64_t count, Dtype dtype) {
  return from_blob(data, {count}, [] {}, {.dtype = dtype, .device = cpu});
}

void combine(ReduceOp op, const Tensor& sum, const Tensor& next) {
  const bool is_bool = sum.dtype() == bool_;
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg:
      is_bool ? sum.bitwise_or_(next) : sum.add_(next);
      return;
    case ReduceOp::product:
      is_bool ? sum.bitwise_and_(next) : sum.mul_(next);
      return;
    case ReduceOp::min:
      is_bool ? sum.bitwise_and_(next) : sum.minimum_(next);
      return;
    case ReduceOp::max:
      is_bool ? sum.bitwise_or_(next) : sum.maximum_(next);
      return;
  }
}

/// Of wide dtypes, in place: operands may change places, which no rounding sees.
void reduce_in_place(const Reduction& reduction, const Tensor& own, int rank,
                     const std::vector<Tensor>& pieces) {
  const auto at = static_cast<std::size_t>(rank);
  for (std::size_t i = 1; i < at; ++i) combine(reduction.op, pieces[0], pieces[i]);
  if (at > 0) combine(reduction.op, own, pieces[0]);
  for (std::size_t i = at + 1; i < pieces.size(); ++i) combine(reduction.op, own, pieces[i]);
  if (reduction.op == ReduceOp::avg) own.div_(static_cast<std::int64_t>(pieces.size()));
}

void reduce_in_float(const Reduction& reduction, const Tensor& own, const std::vector<Tensor>& pieces) {
  const Tensor sum = pieces[0].to(float32);
  for (std::size_t i = 1; i < pieces.size(); ++i) combine(reduction.op, sum, pieces[i].to(float32));
  if (reduction.op == ReduceOp::avg) sum.div_(static_cast<std::int64_t>(pieces.size()));
  own.copy_(sum);
}

}  // namespace

std::string_view name(ReduceOp op) {
  constexpr std::string_view kNames[] = {"sum", "avg", "product", "min", "max"};
  return kNames[static_cast<std::size_t>(op)];
}

void reduce_pieces(const Reduction& reduction, std::byte* own, int rank, std::span<std::byte* const> pieces,
                   std::int64_t count) {
  const Tensor result = array_at(own, count, reduction.dtype);
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    tensors.push_back(static_cast<int>(i) == rank ? result : array_at(pieces[i], count, reduction.dtype));
  const bool is_narrow = is_floating_point(reduction.dtype) && element_size(reduction.dtype) < 4;
  if (is_narrow) {
    reduce_in_float(reduction, result, tensors);
  } else {
    reduce_in_place(reduction, result, rank, tensors);
  }
}

Part share_of(std::int64_t numel, int n, int i) {
  const std::int64_t share = (numel + n - 1) / n;
  const std::int64_t begin = std::min(numel, share * i);
  return {begin, std::min(numel, begin + share) - begin};
}

std::vector<Part> parts_of(std::int64_t count, Dtype dtype) {
  const std::int64_t size = element_size(dtype);
  const std::int64_t step = std::clamp(count * size / kParts, kLeastPart, kMostPart) / size;
  std::vector<Part> parts;
  for (std::int64_t begin = 0; begin < count; begin += step)
    parts.push_back({begin, std::min(step, count - begin)});
  return parts;
}

void exchange_and_reduce(Exchange& exchange, const Reduction& reduction, std::span<const Piece> pieces,
                         std::byte* own, std::int64_t count,
                         const std::function<void(std::uint64_t number, Part part)>& done) {
  const std::int64_t size = element_size(reduction.dtype);
  const int n = exchange.group().size(), rank = exchange.group().rank();
  const std::vector<Part> own_parts = parts_of(count, reduction.dtype);
  const std::size_t ahead = std::min(own_parts.size(), kPartsAhead);
  const std::int64_t room = own_parts.empty() ? 0 : own_parts.front().count * size;
  const Tensor workspace =
      exchange.keep(empty({static_cast<std::int64_t>(ahead) * n * room}, {.dtype = uint8, .device = cpu}));
  const auto place = [&](std::size_t k, int peer) {
    const std::int64_t number = static_cast<std::int64_t>(k % ahead) * n + peer;
    return static_cast<std::byte*>(workspace.data_ptr()) + number * room;
  };
  const auto bytes_of = [&](Part part) { return static_cast<std::size_t>(part.count * size); };
  std::vector<std::size_t> messages;
  const auto expect = [&](std::size_t k) {
    for (int peer = 0; peer < n; ++peer) {
      if (peer == rank) continue;
      messages.push_back(exchange.receive(peer, kReducePhase, k, place(k, peer), bytes_of(own_parts[k])));
    }
  };
  for (std::size_t k = 0; k < ahead; ++k) expect(k);
  for (int step = 1; step < n; ++step) {  // so that not all begin with the same rank
    const int peer = (rank + step) % n;
    const Piece& piece = pieces[static_cast<std::size_t>(peer)];
    std::uint64_t k = 0;
    for (const Part part : parts_of(piece.count, reduction.dtype))
      exchange.send(peer, kReducePhase, k++, piece.data + part.begin * size, bytes_of(part));
  }
  std::vector<std::byte*> places(static_cast<std::size_t>(n));
  for (std::size_t k = 0, message = 0; k < own_parts.size(); ++k) {
    for (int peer = 0; peer < n; ++peer) {
      places[static_cast<std::size_t>(peer)] = place(k, peer);
      if (peer != rank) exchange.wait(messages[message++]);
    }
    reduce_pieces(reduction, own + own_parts[k].begin * size, rank, places, own_parts[k].count);
    done(k, own_parts[k]);
    if (k + ahead < own_parts.size()) expect(k + ahead);
  }
}

}  // namespace lectern::distributed
