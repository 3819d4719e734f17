// Changes in place of what lies in the memory of their operands: as if the operand had been copied first, or
// an error.
#include "tensor/overlap.h"

#include <functional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/flip.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/random.h"
#include "ops/selection.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

constexpr std::int64_t kRoom = 400;

/// Random layouts in kRoom elements.
class Layouts {
 public:
  explicit Layouts(unsigned seed) : engine_(seed) {}

  std::int64_t below(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(engine_);
  }

  /// Of elements that are all different: the strides are multiples of what the dimensions before reach.
  Tensor writable(const Tensor& room, const Sizes& sizes) {
    std::vector<std::size_t> order(sizes.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = d;
    std::shuffle(order.begin(), order.end(), engine_);
    Sizes strides = sizes;
    std::int64_t reach = 1;
    for (const std::size_t d : order) {
      strides[d] = reach + below(3);
      reach = strides[d] * sizes[d];
    }
    return at_random(room, sizes, strides);
  }
  /// Of elements of which some may be the same, or of the layout of `like`, a little further on.
  Tensor readable(const Tensor& room, const Tensor& like) {
    if (below(2) == 0) return at_random(room, like.sizes(), like.strides());
    Sizes strides = like.strides();
    for (std::int64_t& stride : strides) stride = below(12);
    return at_random(room, like.sizes(), strides);
  }

 private:
  Tensor at_random(const Tensor& room, const Sizes& sizes, const Sizes& strides) {
    return room.as_strided(sizes, strides, below(kRoom - *extent(sizes, strides) + 1));
  }

  std::mt19937 engine_;
};

const Sizes kBaseShapes[] = {{7}, {3, 4}, {5, 2}, {2, 3, 4}, {1, 6}};

TEST(Overlap, IsFoundWhereElementsAreTheSame) {
  Layouts layouts(1);
  const Tensor room = zeros({kRoom});
  int shared = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Sizes& sizes = kBaseShapes[trial % 5];
    const Tensor a = layouts.writable(room, sizes), b = layouts.readable(room, a);
    const std::set<std::int64_t> of_a = test::places(a), of_b = test::places(b);
    bool any = false;
    for (const std::int64_t place : of_a) any = any || of_b.contains(place);
    ASSERT_EQ(share_elements(a, b), any) << to_string(a.strides()) << a.storage_offset() << ' '
                                         << to_string(b.strides()) << b.storage_offset();
    shared += any ? 1 : 0;
  }
  EXPECT_GT(shared, 200);
  EXPECT_FALSE(share_elements(zeros({3}), zeros({3})));
}

struct Change {
  const char* name;
  std::function<void(const Tensor& target, const Tensor& operand)> apply;
};

/// Each on a target and an operand in one memory, and with a copy of the operand.
TEST(Overlap, OperandsAreReadAsTheyWere) {
  const Change kChanges[] = {
      {"copy_", [](const Tensor& x, const Tensor& y) { x.copy_(y); }},
      {"add_", [](const Tensor& x, const Tensor& y) { x.add_(y); }},
      {"div_", [](const Tensor& x, const Tensor& y) { x.div_(y); }},
      {"row", [](const Tensor& x, const Tensor& y) { x.sub_(y.select(0, 0)); }},
      {"column", [](const Tensor& x, const Tensor& y) { x.mul_(y.narrow(-1, 0, 1)); }},
      {"clamp_", [](const Tensor& x, const Tensor& y) { x.clamp_(std::optional(y), std::optional(y + 1)); }},
      {"masked_fill_",
       [](const Tensor& x, const Tensor& y) {
         x.masked_fill_(x > y, y.select(0, 0).reshape({-1}).select(0, 0));
       }},
      {"index_put_",
       [](const Tensor& x, const Tensor& y) {
         x.index_put_({flip(arange(x.size(0), {.dtype = int64}), {0})}, y);
       }},
      {"index_add_",
       [](const Tensor& x, const Tensor& y) {
         x.index_add_(0, flip(arange(x.size(0), {.dtype = int64}), {0}), y);
       }},
      {"scatter_add_",
       [](const Tensor& x, const Tensor& y) { x.scatter_add_(0, zeros(x.sizes(), {.dtype = int64}), y); }},
      {"bernoulli_", [](const Tensor& x, const Tensor& y) { x.bernoulli_(y.clamp(0, 1)); }},
  };
  Layouts layouts(2);
  manual_seed(3);
  for (int trial = 0; trial < 4000; ++trial) {
    const Change& change = kChanges[static_cast<std::size_t>(trial) % std::size(kChanges)];
    const Tensor room = rand({kRoom}) + 0.5, expected_room = room.clone();
    const Tensor x = layouts.writable(room, kBaseShapes[layouts.below(5)]), y = layouts.readable(room, x);
    const Tensor expected = expected_room.as_strided(x.sizes(), x.strides(), x.storage_offset());
    const Tensor apart = y.clone();
    manual_seed(static_cast<std::uint64_t>(trial));
    try {
      change.apply(x, y);
    } catch (const TensorError&) {
      EXPECT_TRUE(share_elements(x, y)) << change.name;
      EXPECT_TRUE(room.equal(expected_room)) << change.name << " changed something";
      continue;
    }
    manual_seed(static_cast<std::uint64_t>(trial));
    change.apply(expected, apart);
    ASSERT_TRUE(room.equal(expected_room))
        << change.name << ' ' << to_string(x.sizes()) << to_string(x.strides()) << x.storage_offset() << ' '
        << to_string(y.strides()) << y.storage_offset();
  }
}

TEST(Overlap, PartsOfWhatIsChanged) {
  const Tensor m = full({2, 1500}, 2.);
  m /= m.narrow(1, 0, 1);
  EXPECT_TRUE(m.equal(ones({2, 1500})));
  const Tensor x = arange(64 * 64).view({64, 64}), before = x.clone();
  x.index({Slice(1), Slice(1)}) = x.index({Slice(0, -1), Slice(0, -1)});
  EXPECT_TRUE(x.index({Slice(1), Slice(1)}).equal(before.index({Slice(0, -1), Slice(0, -1)})));
}

}  // namespace
}  // namespace lectern
