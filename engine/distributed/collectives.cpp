#include "distributed/collectives.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "distributed/launch.h"

namespace lectern::distributed {
namespace {

constexpr std::uint64_t kMovePhase = 2;

/// A rank's memory in a collective that only moves elements.
struct Block {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};
using Blocks = std::vector<Block>;

Block block(std::byte* data, const Tensor& tensor) {
  return {data, static_cast<std::size_t>(tensor.nbytes())};
}

/// Sends sent[i] to the i-th rank and receives received[i] from it; what a rank sends itself is copied.
void move_blocks(Exchange& exchange, const Blocks& sent, const Blocks& received) {
  const int n = exchange.group().size(), rank = exchange.group().rank();
  for (int peer = 0; peer < n; ++peer) {
    const Block& to = received[static_cast<std::size_t>(peer)];
    if (peer != rank) exchange.receive(peer, kMovePhase, 0, to.data, to.bytes);
  }
  for (int step = 0; step < n; ++step) {
    const int peer = (rank + step) % n;
    const Block& from = sent[static_cast<std::size_t>(peer)];
    const Block& own = received[static_cast<std::size_t>(peer)];
    if (peer != rank) {
      exchange.send(peer, kMovePhase, 0, from.data, from.bytes);
    } else if (from.bytes > 0 && own.data != nullptr && own.data != from.data) {
      std::memmove(own.data, from.data, from.bytes);
    }
  }
}

/// The bytes for and from other ranks.
std::int64_t bytes_of(const Blocks& blocks, int rank) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (static_cast<int>(i) != rank) bytes += static_cast<std::int64_t>(blocks[i].bytes);
  }
  return bytes;
}

/// The same by NCCL.
nccl::Result move_blocks(const nccl::Channel& channel, int rank, const Blocks& sent, const Blocks& received) {
  nccl::Result result = nccl::Result::success;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const Block &from = sent[i], &to = received[i];
    const int peer = static_cast<int>(i);
    if (peer == rank && (from.data == nullptr || to.data == nullptr || from.data == to.data)) continue;
    if (from.bytes > 0 && result == nccl::Result::success) result = channel.send(from.data, from.bytes, peer);
    if (to.bytes > 0 && result == nccl::Result::success) result = channel.receive(to.data, to.bytes, peer);
  }
  return result;
}

/// `nccl` is what NCCL does, where it has a collective for it.
Work start_moving(const Launch& launch, Terms terms, const Blocks& sent, const Blocks& received,
                  nccl::Step nccl = nullptr) {
  const std::int64_t bytes_sent = bytes_of(sent, launch.rank());
  const std::int64_t bytes_received = bytes_of(received, launch.rank());
  Launch::Steps steps{.nccl = std::move(nccl)};
  if (steps.nccl == nullptr)
    steps.nccl = [=, rank = launch.rank()](const nccl::Channel& channel) {
      return move_blocks(channel, rank, sent, received);
    };
  (terms.sends.empty() ? steps.post : steps.run) = [=](Exchange& exchange) {
    move_blocks(exchange, sent, received);
  };
  return launch.start(std::move(terms), bytes_sent, bytes_received, std::move(steps));
}

Blocks no_blocks(const Launch& launch) {
  return Blocks(static_cast<std::size_t>(launch.size()));
}

/// The n parts of a tensor of shape [n · size, …] or [n, size, …], each like `part`.
std::vector<Tensor> parts(const Launch& launch, const Tensor& whole, const Tensor& part) {
  if (!whole.defined() || !part.defined()) launch.fail("a tensor is undefined");
  const std::int64_t n = launch.size();
  Sizes stacked = Sizes::filled(part.sizes().size() + 1, n);
  std::copy(part.sizes().begin(), part.sizes().end(), stacked.begin() + 1);
  Sizes joined = part.sizes();
  if (!joined.empty()) joined[0] *= n;
  if (whole.dtype() == part.dtype() &&
      (whole.sizes() == stacked || (part.dim() > 0 && whole.sizes() == joined))) {
    std::vector<Tensor> views;
    const Tensor data = whole.detach();
    for (std::int64_t i = 0; i < n; ++i)
      views.push_back(whole.sizes() == stacked ? data.select(0, i)
                                               : data.narrow(0, i * part.size(0), part.size(0)));
    return views;
  }
  launch.fail(fmt::format("the tensor for all ranks must be {} {} or {}, not {}", name(part.dtype()),
                          to_string(joined), to_string(stacked), signature(whole)));
}

}  // namespace

Work barrier(const CollectiveOptions& options) {
  const Launch launch("barrier", options);
  return launch.start("barrier", 0, 0, {});
}

Work broadcast(const Tensor& tensor, int src, const CollectiveOptions& options) {
  const Launch launch("broadcast", options);
  const int root = launch.root(src);
  const Block own = block(launch.buffers().output(tensor, true), tensor);
  Blocks sent = no_blocks(launch), received = sent;
  if (launch.is(root)) {
    sent.assign(sent.size(), own);
  } else {
    received[static_cast<std::size_t>(root)] = own;
  }
  const auto nccl = [=](const nccl::Channel& channel) {
    return channel.nccl.Broadcast(own.data, own.data, own.bytes, nccl::Type::uint8, root, channel.comm,
                                  channel.stream);
  };
  return start_moving(launch,
                      {"broadcast", fmt::format("broadcast of {} from rank {}", signature(tensor), src)},
                      sent, received, nccl);
}

Work all_gather(const std::vector<Tensor>& outputs, const Tensor& tensor, const CollectiveOptions& options) {
  const Launch launch("all_gather", options);
  const Block own = block(launch.buffers().input(tensor), tensor);
  launch.check_list("the outputs", outputs, &tensor);
  Blocks received;
  for (std::byte* const place : launch.buffers().outputs(outputs)) received.push_back(block(place, tensor));
  const auto nccl = [=](const nccl::Channel& channel) {
    return channel.nccl.AllGather(own.data, received[0].data, own.bytes, nccl::Type::uint8, channel.comm,
                                  channel.stream);
  };
  return start_moving(launch, {"all_gather", "all_gather of " + signature(tensor)},
                      Blocks(outputs.size(), own), received, nccl);
}

Work all_gather_into_tensor(const Tensor& output, const Tensor& input, const CollectiveOptions& options) {
  return all_gather(parts(Launch("all_gather_into_tensor", options), output, input), input, options);
}

Work gather(const Tensor& tensor, const std::vector<Tensor>& outputs, int dst,
            const CollectiveOptions& options) {
  const Launch launch("gather", options);
  const int root = launch.root(dst);
  const Block own = block(launch.buffers().input(tensor), tensor);
  Blocks sent = no_blocks(launch), received = sent;
  sent[static_cast<std::size_t>(root)] = own;
  if (launch.is(root)) {
    launch.check_list("the outputs", outputs, &tensor);
    for (std::size_t i = 0; i < outputs.size(); ++i)
      received[i] = block(launch.buffers().output(outputs[i]), outputs[i]);
  } else if (!outputs.empty()) {
    launch.fail(fmt::format("only rank {} has outputs", dst));
  }
  return start_moving(launch, {"gather", fmt::format("gather of {} to rank {}", signature(tensor), dst)},
                      sent, received);
}

Work scatter(const Tensor& tensor, const std::vector<Tensor>& inputs, int src,
             const CollectiveOptions& options) {
  const Launch launch("scatter", options);
  const int root = launch.root(src);
  const Block own = block(launch.buffers().output(tensor), tensor);
  Blocks sent = no_blocks(launch), received = sent;
  received[static_cast<std::size_t>(root)] = own;
  if (launch.is(root)) {
    launch.check_list("the inputs", inputs, &tensor);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      sent[i] = block(launch.buffers().input(inputs[i]), inputs[i]);
  } else if (!inputs.empty()) {
    launch.fail(fmt::format("only rank {} has inputs", src));
  }
  return start_moving(launch, {"scatter", fmt::format("scatter of {} from rank {}", signature(tensor), src)},
                      sent, received);
}

Work all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                const CollectiveOptions& options) {
  const Launch launch("all_to_all", options);
  launch.check_list("the outputs", outputs, nullptr);
  launch.check_list("the inputs", inputs, nullptr);
  Terms terms{"all_to_all", "all_to_all"};
  Blocks sent, received;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    sent.push_back(block(launch.buffers().input(inputs[i]), inputs[i]));
    received.push_back(block(launch.buffers().output(outputs[i]), outputs[i]));
    terms.sends.push_back(signature(inputs[i]));
    terms.expects.push_back(signature(outputs[i]));
  }
  return start_moving(launch, std::move(terms), sent, received);
}

Work all_to_all_single(const Tensor& output, const Tensor& input,
                       const std::vector<std::int64_t>& output_split_sizes,
                       const std::vector<std::int64_t>& input_split_sizes, const CollectiveOptions& options) {
  const Launch launch("all_to_all_single", options);
  const auto split = [&](const char* what, const Tensor& tensor, std::vector<std::int64_t> sizes) {
    if (!tensor.defined() || tensor.dim() == 0) launch.fail(fmt::format("the {} must have dimensions", what));
    if (sizes.empty()) {
      if (tensor.size(0) % launch.size() != 0)
        launch.fail(
            fmt::format("dimension 0 of the {} is {}, which {} ranks can't divide evenly; give split sizes",
                        what, tensor.size(0), launch.size()));
      sizes.assign(static_cast<std::size_t>(launch.size()), tensor.size(0) / launch.size());
    }
    return tensor.detach().split(sizes, 0);
  };
  return all_to_all(split("output", output, output_split_sizes), split("input", input, input_split_sizes),
                    options);
}

Work reduce_scatter_tensor(const Tensor& output, const Tensor& input, ReduceOp op,
                           const CollectiveOptions& options) {
  return reduce_scatter(output, parts(Launch("reduce_scatter_tensor", options), input, output), op, options);
}

}  // namespace lectern::distributed
