// The collectives that reduce.
#include <cstring>

#include <fmt/format.h>

#include "distributed/launch.h"
#include "distributed/nccl_reduction.h"
#include "distributed/reduction.h"

namespace lectern::distributed {
namespace {

constexpr std::uint64_t kResultPhase = 2;

Reduction reduction_of(const Launch& launch, const Tensor& tensor, ReduceOp op) {
  if (!tensor.defined()) launch.fail("a tensor is undefined");
  if (op == ReduceOp::avg && !is_floating_point(tensor.dtype()))
    launch.fail(fmt::format("the average must be of floating-point numbers, not {}", name(tensor.dtype())));
  return {op, tensor.dtype()};
}

/// The same for NCCL, where the tensors are on a GPU.
nccl::Reduction gpu_reduction(const Launch& launch, const Reduction& reduction) {
  return launch.is_on_gpu() ? nccl::reduction_of(launch.operation(), reduction) : nccl::Reduction{};
}

/// The shares of an array, as they are sent to the ranks that reduce them.
std::vector<Piece> shares(std::byte* data, std::int64_t numel, int n, std::int64_t size) {
  std::vector<Piece> pieces;
  for (int i = 0; i < n; ++i) {
    const Part share = share_of(numel, n, i);
    pieces.push_back({data + share.begin * size, share.count});
  }
  return pieces;
}

/// Every rank reduces its share and sends it to the others, part by part. A result arrives where the elements
/// that it replaces were sent from: its rank had them when it computed it.
void run_all_reduce(Exchange& exchange, const Reduction& reduction, std::byte* data, std::int64_t numel) {
  const int n = exchange.group().size(), rank = exchange.group().rank();
  const std::int64_t size = element_size(reduction.dtype);
  for (int peer = 0; peer < n; ++peer) {
    if (peer == rank) continue;
    const Part share = share_of(numel, n, peer);
    std::uint64_t number = 0;
    for (const Part part : parts_of(share.count, reduction.dtype))
      exchange.receive(peer, kResultPhase, number++, data + (share.begin + part.begin) * size,
                       static_cast<std::size_t>(part.count * size));
  }
  const Part mine = share_of(numel, n, rank);
  std::byte* const own = data + mine.begin * size;
  exchange_and_reduce(exchange, reduction, shares(data, numel, n, size), own, mine.count,
                      [&](std::uint64_t number, Part part) {
                        for (int step = 1; step < n; ++step)
                          exchange.send((rank + step) % n, kResultPhase, number, own + part.begin * size,
                                        static_cast<std::size_t>(part.count * size));
                      });
}

/// A few elements, for which rounds of messages cost more than bytes: everybody sends them to everybody.
Work start_small_all_reduce(const Launch& launch, const std::string& call, const Reduction& reduction,
                            std::byte* data, std::int64_t numel) {
  const int n = launch.size(), rank = launch.rank();
  const auto bytes = static_cast<std::size_t>(numel * element_size(reduction.dtype));
  const auto received = std::make_shared_for_overwrite<std::byte[]>(bytes * static_cast<std::size_t>(n));
  std::vector<std::byte*> places(static_cast<std::size_t>(n));
  for (std::size_t peer = 0; peer < places.size(); ++peer) places[peer] = received.get() + peer * bytes;
  const auto post = [=](Exchange& exchange) {
    for (int peer = 0; peer < n; ++peer) {
      if (peer != rank)
        exchange.receive(peer, kResultPhase, 0, places[static_cast<std::size_t>(peer)], bytes);
    }
    for (int step = 1; step < n; ++step) exchange.send((rank + step) % n, kResultPhase, 0, data, bytes);
  };
  const auto run = [=, keep = received](Exchange& exchange) {
    exchange.wait_for_all();
    reduce_pieces(reduction, data, rank, places, numel);
  };
  const auto moved = static_cast<std::int64_t>(bytes) * (n - 1);
  return launch.start(call, moved, moved, {.post = post, .run = run});
}

/// What a rank sends, and receives, when all have shares of the elements.
std::int64_t moved_by_all_reduce(const Launch& launch, const Tensor& tensor) {
  const std::int64_t n = launch.size(), own = share_of(tensor.numel(), launch.size(), launch.rank()).count;
  return (tensor.numel() - own + (n - 1) * own) * tensor.element_size();
}

}  // namespace

Work all_reduce(const Tensor& tensor, ReduceOp op, const CollectiveOptions& options) {
  const Launch launch("all_reduce", options);
  const Reduction reduction = reduction_of(launch, tensor, op);
  std::byte* const data = launch.buffers().output(tensor, true);
  const std::int64_t numel = tensor.numel(), moved = moved_by_all_reduce(launch, tensor);
  const std::string call = fmt::format("all_reduce({}) of {}", name(op), signature(tensor));
  if (launch.is_on_gpu()) {
    const auto sum = [=, how = gpu_reduction(launch, reduction)](const nccl::Channel& channel) {
      return channel.nccl.AllReduce(data, data, static_cast<std::size_t>(numel), how.type, how.op,
                                    channel.comm, channel.stream);
    };
    return launch.start(call, moved, moved, {.nccl = sum});
  }
  const std::int64_t small = launch.size() == 2 ? kSmallAllReduceOfTwo : kSmallAllReduce;
  if (tensor.nbytes() <= small) return start_small_all_reduce(launch, call, reduction, data, numel);
  const auto run = [=](Exchange& exchange) { run_all_reduce(exchange, reduction, data, numel); };
  return launch.start(call, moved, moved, {.run = run});
}

Work reduce(const Tensor& tensor, int dst, ReduceOp op, const CollectiveOptions& options) {
  const Launch launch("reduce", options);
  const Reduction reduction = reduction_of(launch, tensor, op);
  const int root = launch.root(dst);
  const bool is_root = launch.is(root);
  std::byte* const data = is_root ? launch.buffers().output(tensor, true) : launch.buffers().input(tensor);
  const std::int64_t numel = tensor.numel(), others = launch.size() - 1;
  const auto run = [=](Exchange& exchange) {
    std::vector<Piece> pieces(static_cast<std::size_t>(exchange.group().size()));
    if (!is_root) pieces[static_cast<std::size_t>(root)] = {data, numel};
    exchange_and_reduce(exchange, reduction, pieces, data, is_root ? numel : 0, [](std::uint64_t, Part) {});
  };
  const auto nccl = [=, how = gpu_reduction(launch, reduction)](const nccl::Channel& channel) {
    return channel.nccl.Reduce(data, data, static_cast<std::size_t>(numel), how.type, how.op, root,
                               channel.comm, channel.stream);
  };
  return launch.start(fmt::format("reduce({}) of {} to rank {}", name(op), signature(tensor), dst),
                      is_root ? 0 : tensor.nbytes(), is_root ? others * tensor.nbytes() : 0,
                      {.run = run, .nccl = nccl});
}

namespace {

void run_reduce_scatter(Exchange& exchange, const Reduction& reduction, std::byte* own, std::int64_t numel,
                        const std::vector<Piece>& pieces) {
  const Piece& mine = pieces[static_cast<std::size_t>(exchange.group().rank())];
  if (numel > 0)
    std::memmove(own, mine.data, static_cast<std::size_t>(numel * element_size(reduction.dtype)));
  exchange_and_reduce(exchange, reduction, pieces, own, numel, [](std::uint64_t, Part) {});
}

}  // namespace

Work reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs, ReduceOp op,
                    const CollectiveOptions& options) {
  const Launch launch("reduce_scatter", options);
  const Reduction reduction = reduction_of(launch, output, op);
  launch.check_list("the inputs", inputs, &output);
  std::vector<Piece> pieces;
  pieces.reserve(inputs.size());
  const std::int64_t moved = (launch.size() - 1) * output.nbytes(), numel = output.numel();
  for (std::byte* const place : launch.buffers().inputs(inputs)) pieces.push_back({place, numel});
  std::byte* const own = launch.buffers().output(output);
  const auto run = [=](Exchange& exchange) { run_reduce_scatter(exchange, reduction, own, numel, pieces); };
  const auto nccl = [=, how = gpu_reduction(launch, reduction)](const nccl::Channel& channel) {
    return channel.nccl.ReduceScatter(pieces[0].data, own, static_cast<std::size_t>(numel), how.type, how.op,
                                      channel.comm, channel.stream);
  };
  return launch.start(fmt::format("reduce_scatter({}) of {}", name(op), signature(output)), moved, moved,
                      {.run = run, .nccl = nccl});
}

}  // namespace lectern::distributed
