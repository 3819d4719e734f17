// Lecture 7, two ways to sum over all ranks, written out of single messages.

#include "all_reduce_calculator.h"
#include "parts.h"

namespace {

void a_ring(), a_tree(), latency_and_bandwidth(), two_halves(), the_order_of_a_sum();

}  // namespace

void rings_and_trees() {
  text("## Rings and trees");
  text(R"(
    How does an all-reduce get by with $2 \frac{n-1}{n} B$? If everybody sent all it has to rank 0 and got the sum
    back, rank 0 would move $2 (n-1) B$. Here are two classical algorithms, of single messages.)");
  a_ring();
  a_tree();
  latency_and_bandwidth();
  two_halves();
  the_order_of_a_sum();
}

namespace {

// The sum of all ranks' x, in place: each sends one chunk to the next rank, and takes one from the rank before, 2 (n -
// 1) times. In the first half chunks collect a term at each stop; in the second the sums travel on.
void ring_all_reduce(const Tensor& x) {
  const int n = distributed::get_world_size(), rank = distributed::get_rank();
  const int next = (rank + 1) % n, previous = (rank + n - 1) % n;
  const int64_t size = x.numel() / n;
  const auto chunk = [&](int number) { return x.narrow(0, (number + 2 * n) % n * size, size); };  // @stepover
  const Tensor arrived = zeros({size});
  for (int step = 0; step < 2 * (n - 1); ++step) {
    const distributed::Work sending = distributed::isend(chunk(rank - step), next);  // @inspect step
    distributed::recv(arrived, previous);
    sending.wait();
    Tensor target = chunk(rank - step - 1);
    if (step < n - 1) {
      target.add_(arrived);  // @inspect x
    } else {
      target.copy_(arrived);  // @inspect x
    }
  }
}

void a_ring() {
  text("### A ring");
  text(R"(
    Each rank divides its array into $n$ chunks, and only ever talks to its two neighbours: it sends to the next, and
    receives from the one before. Rank $r$ begins with the number $10^r$ in every place, so that the digits of a sum
    tell which ranks are in it.)"),
      cite("patarasuk2009"), link(ring_all_reduce);
  const int n = distributed::get_world_size(), rank = distributed::get_rank();
  const Tensor x = full({n}, std::pow(10., rank));  // @inspect x
  const CommunicationCounters before = communication_counters();
  ring_all_reduce(x);
  const CommunicationCounters moved = communication_counters() - before;
  assert(x.equal(full({n}, 1111.)));
  const int64_t messages = moved.calls / 2;  // each is a send and a recv @inspect messages
  const int64_t sent = moved.sent;           // @inspect sent
  assert(messages == 2 * (n - 1));
  assert(static_cast<double>(sent) == accounting::all_reduce_bytes(16, n));
  text(R"(
    After three steps every chunk is complete on one rank: the first half was a *reduce-scatter*. The second half
    passes the sums on, an *all-gather*. In each of the $2 (n-1)$ steps all links carry a message at once, of $B / n$
    bytes. No algorithm moves less.)"),
      cite("patarasuk2009"), text("It came to deep learning with"), cite("horovod2018"), text(".");
}

// The same by pairs, of n ranks, a power of two: sums go up a tree to rank 0, and its sum comes down.
void tree_all_reduce(const Tensor& x) {
  const int n = distributed::get_world_size(), rank = distributed::get_rank();
  const Tensor arrived = zeros_like(x);
  for (int distance = 1; distance < n; distance *= 2) {
    if (rank % (2 * distance) == distance) distributed::send(x, rank - distance);
    if (rank % (2 * distance) == 0) {
      distributed::recv(arrived, rank + distance);
      Tensor(x).add_(arrived);  // @inspect x
    }
  }
  for (int distance = n / 2; distance > 0; distance /= 2) {
    if (rank % (2 * distance) == 0) distributed::send(x, rank + distance);
    if (rank % (2 * distance) == distance) distributed::recv(x, rank - distance);  // @inspect x
  }
}

void a_tree() {
  text("### A tree");
  text(R"(
    The other way is by pairs: rank 1 sends to 0 and 3 to 2, then 2 to 0, which has the sum; and back. Half of the
    ranks are done after their first message, and wait.)"),
      link(tree_all_reduce);
  const int n = distributed::get_world_size(), rank = distributed::get_rank();
  const Tensor x = full({n}, std::pow(10., rank));  // @inspect x
  const CommunicationCounters before = communication_counters();
  tree_all_reduce(x);
  const CommunicationCounters moved = communication_counters() - before;
  assert(x.equal(full({n}, 1111.)));
  const int64_t messages = moved.calls;  // sends and receives, one after the other @inspect messages
  const int64_t sent = moved.sent;       // @inspect sent
  const int64_t levels = std::lround(std::log2(n));
  if (rank == 0) assert(messages == 2 * levels && sent == levels * 16);
  text(R"(
    Rank 0, which is in every round, takes part in $2 \log_2 n$ messages, one after the other, and each of them has
    all $B$ bytes. So a tree needs fewer rounds, and more bytes.)");
}

void latency_and_bandwidth() {
  text("### Latency and bandwidth");
  text(R"(
    Which is faster? A common model says that a message of $B$ bytes takes $\alpha + B / \beta$: a fixed time, the
    *latency*, and the time on the link, of *bandwidth* $\beta$. Adding up the rounds,)"),
      cite("thakur2005");
  text(R"($$t_\text{ring} = 2 (n-1) \left(\alpha + \frac{B}{n \beta}\right), \qquad
    t_\text{tree} = 2 \log_2 n \left(\alpha + \frac{B}{\beta}\right).$$)");
  text(R"(
    For small arrays the latencies count, and the tree is better; for large ones the bytes, and the ring is. They are
    equal at)");
  text(R"($$B^* = \alpha \beta \, \frac{n - 1 - \log_2 n}{\log_2 n - (n-1)/n}.$$)");
  const double alpha = 5e-6;                                          // seconds: the order of magnitude between nodes
  const double equal_at_8 = crossing_bytes(8, alpha, kBetweenNodes);  // @inspect equal_at_8
  const double equal_at_1024 = crossing_bytes(1024, alpha, kBetweenNodes);  // @inspect equal_at_1024
  assert(
      std::abs(ring_seconds(8, equal_at_8, alpha, kBetweenNodes) / tree_seconds(8, equal_at_8, alpha, kBetweenNodes) -
               1) < 1e-9);
  assert(std::lround(equal_at_8 / 1e4) == 47 && std::lround(equal_at_1024 / 1e6) == 28);
  text(R"(
    With 5 µs and 50 GB/s that is 0.47 MB between 8 ranks and 28 MB between 1,024. So gradients of large models go
    around rings, norms and flags up trees. On a ring of 1,024 ranks the latencies alone take 10 ms.)");
  assert(std::lround(1e3 * ring_seconds(1024, 0, alpha, kBetweenNodes)) == 10);
  // @stepover
  calculator("Ring or tree?", all_reduce_inputs(), all_reduce_time, {all_reduce_presets()});
  text(R"(
    What a library does lies in between: it chooses by size and by the shape of the network. Ours adds each rank's
    share on that rank, straight from everybody and back to everybody, in two rounds and as few bytes as a ring.
    Tensors up to 32 KiB, for which rounds count, everybody sends to everybody in one: $(n-1) B$.)");
  const auto sent_for = [](int64_t bytes) {  // @stepover
    const CommunicationCounters before = communication_counters();
    distributed::all_reduce(zeros({bytes / 4}));
    return (communication_counters() - before).sent;
  };
  const int64_t small = sent_for(4096);   // @inspect small
  const int64_t large = sent_for(65536);  // @inspect large
  assert(small == 3 * 4096);
  assert(static_cast<double>(large) == accounting::all_reduce_bytes(65536, 4));
}

void two_halves() {
  text("### Two halves");
  text(R"(
    That an all-reduce is a reduce-scatter and an all-gather is more than a way to write one. Between the halves,
    each rank has a share of the sum, and can do something with it. ZeRO, below, puts the optimizer there.)");
  Generator generator(cpu, static_cast<std::uint64_t>(distributed::get_rank()));
  const Tensor x = randn({16384}, {}, &generator);
  const Tensor at_once = x.clone(), share = zeros({4096}), in_halves = zeros({16384});
  const CommunicationCounters before = communication_counters();
  distributed::all_reduce(at_once);
  const int64_t once = (communication_counters() - before).sent;  // @inspect once
  distributed::reduce_scatter_tensor(share, x);
  distributed::all_gather_into_tensor(in_halves, share);
  const int64_t both = (communication_counters() - before).sent - once;  // @inspect both
  assert(in_halves.equal(at_once));                                      // bit by bit
  assert(both == once);
}

void the_order_of_a_sum() {
  text("### The order of a sum");
  text(R"(
    Floating-point sums depend on their order. In the ring, each chunk starts its journey at another rank; in the
    library, every element is summed in the order of ranks. All ranks end up with the *same* bits either way, since
    sums are computed once and copied. But the two algorithms do not agree in every bit:)");
  Generator generator(cpu, static_cast<std::uint64_t>(distributed::get_rank()));
  const Tensor by_library = randn({4096}, {}, &generator);
  const Tensor by_ring = by_library.clone();
  distributed::all_reduce(by_library);
  ring_all_reduce(by_ring);                                                  // @stepover
  const auto different = by_ring.ne(by_library).sum().item<int64_t>();       // @inspect different
  const double largest = (by_ring - by_library).abs().max().item<double>();  // @inspect largest
  assert(different > 0 && largest < 2e-6);
  text(R"(
    So a run on another number of ranks, or with another library, is not the same run to the bit. It should be the
    same within rounding, and that can be checked, as below.)");
  exercise("Which chunks of the ring are summed in the order of ranks?", R"(
    The chunk that starts at rank 0: chunk 0, which collects 0, 1, 2, 3. The others begin elsewhere: chunk 1 is
    summed as 1, 2, 3, 0. With two terms, order does not matter, with four it does.)");
  const auto in_order = by_ring.narrow(0, 0, 1024).equal(by_library.narrow(0, 0, 1024));  // @inspect in_order
  assert(in_order);
}

}  // namespace
