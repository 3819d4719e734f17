// Lecture 7, the collectives: what each does, and what each moves.

#include "figures.h"

namespace {

void from_one_and_to_one(), to_all(), sums(), transposed(), what_they_move();

}  // namespace

void collectives() {
  text("## Collectives");
  text(R"(
    Ranks could send each other single messages. Programs are easier to read, and faster, when they say what all of
    them do together. A)"),
      term("collective", "an operation that all ranks of a group call together, each with its part of the data"),
      text(R"(
    is such an operation; nine of them are enough for this lecture. Every rank has to call it, in the same order as
    the others.)"),
      cite("mpi2021");
  image(what_collectives_do(),
        {.alt =
             "Eight small diagrams, each with four ranks before and after. Broadcast copies rank 0's array to all. "
             "Scatter gives each rank a part of rank 0's, gather brings the parts back. All-gather gives every part to "
             "everyone. Reduce leaves the sum of all arrays on rank 0, all-reduce on all ranks, reduce-scatter one "
             "part of the sum on each. "
             "All-to-all transposes: rank 1 ends up with part 1 of everyone.",
         .caption = "Rows are ranks, columns the parts of their arrays; colours say whose data it was, Σ is a sum over "
                    "ranks."});
  from_one_and_to_one();
  to_all();
  sums();
  transposed();
  what_they_move();
}

namespace {

void from_one_and_to_one() {
  text("### From one, and to one");
  text(R"(
    **Broadcast** copies one rank's tensor to all: initial parameters, say. Watch `x` on the cards.)");
  const int rank = distributed::get_rank();
  Tensor x = tensor({10 * rank, 10 * rank + 1});  // @inspect x
  distributed::broadcast(x, 2);                   // @inspect x
  assert(x.equal(tensor({20, 21})));
  text(R"(
    **Scatter** gives each rank a part of what one of them has, and **gather** brings the parts back. Only rank 0 has
    the list of parts.)");
  std::vector<Tensor> parts;
  if (rank == 0) parts = arange(0, 8).split(2);  // @stepover
  const Tensor part = zeros({2}, {.dtype = int64});
  distributed::scatter(part, parts, 0);  // @inspect part
  assert(part.equal(tensor({2 * rank, 2 * rank + 1})));
  std::vector<Tensor> gathered;
  if (rank == 0) {  // @stepover
    for (int i = 0; i < 4; ++i) gathered.push_back(zeros_like(part));
  }
  distributed::gather(part.mul(10), gathered, 0);  // @clear x @inspect gathered
  if (rank == 0) assert(cat(gathered).equal(arange(0, 8) * 10));
}

void to_all() {
  text("### To all");
  text("**All-gather** brings every rank's part to everybody.");
  const int rank = distributed::get_rank();
  const Tensor part = tensor({10 * rank, 10 * rank + 1});  // @inspect part
  const Tensor all = zeros({8}, {.dtype = int64});
  distributed::all_gather_into_tensor(all, part);  // @inspect all
  assert(all.equal(tensor({0, 1, 10, 11, 20, 21, 30, 31})));
  text(R"(
    A **barrier** moves nothing. Nobody leaves it before all have come; it is for what happens outside of tensors,
    such as a file that one rank writes and the others read.)");
  distributed::barrier();
}

void sums() {
  text("### Sums");
  text(R"(
    Gradients of different parts of a batch have to be added up. **Reduce** leaves the sum on one rank,
    **all-reduce** on all of them, and **reduce-scatter** leaves each rank one part of it.)");
  const int rank = distributed::get_rank();
  Tensor x = tensor({10 * rank, 10 * rank + 1});  // @inspect x
  distributed::reduce(x, 0);                      // @inspect x
  assert(x[0].item<int>() == (rank == 0 ? 60 : 10 * rank));
  x = tensor({10 * rank, 10 * rank + 1});
  distributed::all_reduce(x);  // @inspect x
  assert(x.equal(tensor({60, 64})));
  const Tensor whole = tensor({10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3});  // @inspect whole
  const Tensor share = zeros({1}, {.dtype = int64});
  distributed::reduce_scatter_tensor(share, whole);  // @clear x @inspect share
  assert(share.item<int>() == 60 + 4 * rank);
}

void transposed() {
  text("### Transposed");
  text(R"(
    In an **all-to-all**, every rank has something else for each of the others. As a table with a row for each rank,
    the data are transposed. Mixtures of experts send tokens so: to the rank that holds the expert, and back.)");
  const int rank = distributed::get_rank();
  const Tensor row = tensor({10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3});  // @inspect row
  const Tensor column = zeros_like(row);
  distributed::all_to_all_single(column, row);  // @inspect column
  assert(column.equal(tensor({rank, 10 + rank, 20 + rank, 30 + rank})));
  exercise("Write an all-gather as an all-to-all.", R"(
    Each rank fills its row with copies of what it has, one for everybody; the transposed table has everybody's on
    each rank. An all-gather need not store the copies.)");
  const Tensor copies = full({4}, 1. * rank), everybody = zeros({4});
  distributed::all_to_all_single(everybody, copies);  // @clear row @inspect everybody
  assert(everybody.equal(arange(0, 4)));
}

// What a call sends and receives on each rank, [ranks, 2].  @stepover
template <typename Call>
Tensor moved_by(const Call& call) {
  const CommunicationCounters before = communication_counters();
  call();
  const CommunicationCounters moved = communication_counters() - before;
  const Tensor all = zeros({distributed::get_world_size(), 2}, {.dtype = int64});
  distributed::all_gather_into_tensor(all, tensor({{moved.sent, moved.received}}));
  return all;
}

void what_they_move() {
  text("### What they move");
  text(R"(
    The library counts, for each rank, the bytes that it sends and receives. Let the larger tensor of each call have
    $B = 65536$ bytes, on $n = 4$ ranks. An all-gather of the counts brings them to rank 0, which shows them.)");
  const int64_t n = distributed::get_world_size(), B = 65536;
  const Tensor whole = zeros({B / 4}), part = zeros({B / 4 / n});
  const bool is_first = distributed::get_rank() == 0;
  std::vector<Tensor> parts;
  if (is_first) parts = whole.split(B / 4 / n);
  const Tensor broadcast = moved_by([&] { distributed::broadcast(whole, 0); });
  const Tensor scatter = moved_by([&] { distributed::scatter(part, parts, 0); });
  const Tensor gather = moved_by([&] { distributed::gather(part, parts, 0); });
  const Tensor all_gather = moved_by([&] { distributed::all_gather_into_tensor(whole, part); });
  const Tensor reduce = moved_by([&] { distributed::reduce(whole, 0); });
  const Tensor reduce_scatter = moved_by([&] { distributed::reduce_scatter_tensor(part, whole); });
  const Tensor all_reduce = moved_by([&] { distributed::all_reduce(whole); });  // @inspect all_reduce
  const Tensor all_to_all = moved_by([&] { distributed::all_to_all_single(zeros_like(whole), whole); });
  const auto row = [](const char* what, const char* formula, const Tensor& moved) {  // @stepover
    return TableRow{what, formula, moved[0][0], moved[0][1], moved[1][0], moved[1][1]};
  };
  table({"Collective", "A rank moves", "Rank 0 sends", "receives", "Rank 1 sends", "receives"},
        {row("broadcast", "the root sends $(n-1) B$, others receive $B$", broadcast),
         row("scatter", "the root sends $\\frac{n-1}{n} B$", scatter),
         row("gather", "the root receives $\\frac{n-1}{n} B$", gather),
         row("all_gather", "$\\frac{n-1}{n} B$", all_gather), row("reduce", "the root receives $(n-1) B$", reduce),
         row("reduce_scatter", "$\\frac{n-1}{n} B$", reduce_scatter),
         row("all_reduce", "$2 \\frac{n-1}{n} B$", all_reduce), row("all_to_all", "$\\frac{n-1}{n} B$", all_to_all)});
  const int64_t share = (n - 1) * B / n;  // @inspect share
  assert(broadcast.equal(tensor({{3 * B, 0L}, {0L, B}, {0L, B}, {0L, B}})));
  assert(all_gather.eq(share).all().item<bool>() && reduce_scatter.eq(share).all().item<bool>());
  assert(all_reduce.eq(2 * share).all().item<bool>() && all_to_all.eq(share).all().item<bool>());
  text(R"(
    Two things are worth keeping. The collectives without a root ask the same of everybody, and what they ask hardly
    grows with $n$: never more than $B$ for one half, $2 B$ for an all-reduce. And a root is a bottleneck; its
    broadcast here sends three times $B$.)");
  exercise("Eight ranks hold 1 GB of gradients each. What does each send in an all-reduce, and what with 1,024 ranks?",
           "$2 \\cdot 7/8 = 1.75$ GB; with 1,024 it is 1.998 GB. The volume is no reason against many ranks.");
  assert(accounting::all_reduce_bytes(1e9, 8) == 1.75e9);
  assert(std::lround(accounting::all_reduce_bytes(1e9, 1024) / 1e6) == 1998);
}

}  // namespace
