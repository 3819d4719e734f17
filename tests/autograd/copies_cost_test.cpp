// What gradients of views, copies, joins and changes in place count, beside loops that count what they do.
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/cost_functions.h"
#include "ops/einops/einops.h"
#include "ops/elementwise.h"
#include "ops/flip.h"
#include "ops/join.h"
#include "ops/random.h"
#include "ops/repeat.h"
#include "ops/triangle.h"

namespace lectern {
namespace {

using test::Array;
using test::Arrays;
using test::copied;
using test::Counted;
using test::each_as;
using test::expect_gradient_is_view;
using test::expect_gradients;
using test::filled_array;
using test::for_each_leaf;
using test::random_leaf;
using test::sum_back;
using test::uniform;
using test::zero;

TEST(BackwardCost, OfViewsIsNothing) {
  for_each_leaf([](const Tensor& x) {
    const Sizes& sizes = x.sizes();
    expect_gradient_is_view(x, [&] { return x.view(sizes).view_as(x); });
    expect_gradient_is_view(x, [&] { return x.unsqueeze(-1).squeeze(-1).unsqueeze(0); });
    expect_gradient_is_view(x, [&] { return x.squeeze(); });
    expect_gradient_is_view(x, [&] { return x.expand(sizes).expand_as(x); });
    expect_gradient_is_view(x, [&] { return x.to(float32).to_float().reshape({-1}); });
    expect_gradient_is_view(x, [&] { return x.flatten(); });
    if (x.dim() == 0) return;
    expect_gradient_is_view(x, [&] { return x.transpose(0, -1); });
    expect_gradient_is_view(x, [&] { return x.unflatten(0, {x.size(0), 1}); });
    if (x.dim() != 2) return;
    expect_gradient_is_view(x, [&] { return x.t().permute({1, 0}).mT(); });
    expect_gradient_is_view(x, [&] { return rearrange(x, "a b -> b 1 a"); });
    expect_gradient_is_view(x, [&] { return reduce(x, "a b -> a", "sum"); });
  });
}

/// 0, and a copy of the gradient in its part: part(index of the gradient) is where.
template <typename Part>
Array part_loop(const Array& grad, const Sizes& sizes, const Part& part) {
  const Array whole = zero(sizes);
  test::for_each_index(grad.sizes(), [&](const Sizes& i) { whole.put(part(i), grad[i]); });
  return whole;
}

TEST(BackwardCost, OfParts) {
  for_each_leaf([](const Tensor& x) {
    if (x.dim() == 0 || x.size(0) == 0) return;
    const Sizes& sizes = x.sizes();
    const std::int64_t last = x.size(0) - 1;
    const auto at_last = [&](const Array& grad) -> Arrays {
      return {part_loop(grad, sizes, [&](const Sizes& i) { return test::with(i, 0, last); })};
    };
    expect_gradients(
        {x}, [&] { return x.select(0, last); }, at_last);
    expect_gradients(
        {x}, [&] { return x[last]; }, at_last);
    expect_gradients(
        {x}, [&] { return x.index({last}); }, at_last);
    expect_gradients(
        {x}, [&] { return x.unbind(0).back(); }, at_last);
    const auto from_last = [&](const Array& grad) -> Arrays {
      return {part_loop(grad, sizes, [&](Sizes i) {
        i[0] += last;
        return i;
      })};
    };
    expect_gradients(
        {x}, [&] { return x.narrow(0, last, 1); }, from_last);
    expect_gradients(
        {x}, [&] { return x.slice(0, last); }, from_last);
    expect_gradients(
        {x}, [&] { return x.split(1, 0).back(); }, from_last);
    expect_gradients(
        {x}, [&] { return x.chunk(x.size(0), 0).back(); }, from_last);
    if (x.dim() != 2) return;
    expect_gradients(
        {x}, [&] { return x.diagonal(); },
        [&](const Array& grad) -> Arrays {
          return {part_loop(grad, sizes, [](const Sizes& i) { return Sizes{i[0], i[0]}; })};
        });
  });
}

TEST(BackwardCost, OfViewsWithStridesOfTheirOwn) {
  const Tensor x = random_leaf({3, 4});
  // Windows that overlap: to each element all are added.
  for (const Sizes& strides : {Sizes{4, 1}, Sizes{1, 1}, Sizes{2, 4}, Sizes{0, 1}}) {
    expect_gradients(
        {x},
        [&] {
          return x.as_strided({2, 3}, strides);
        },
        [&](const Array& grad) -> Arrays {
          const Array flat = zero({12});
          test::for_each_index({2, 3}, [&](const Sizes& i) {
            const Sizes to{i[0] * strides[0] + i[1] * strides[1]};
            flat.put(to, flat.picked(to) + grad[i]);
          });
          return {flat.viewed({3, 4})};
        });
  }
}

TEST(BackwardCost, OfExpanding) {
  for_each_leaf([](const Tensor& x) {
    const auto back = [&](const Array& grad) -> Arrays { return {sum_back(grad, x.sizes())}; };
    expect_gradients(
        {x}, [&] { return x.expand(concat({3}, x.sizes())); }, back);
    if (x.dim() == 2 && x.size(1) == 1)
      expect_gradients(
          {x},
          [&] {
            return x.expand({3, 5});
          },
          back);
    if (x.dim() != 2) return;
    expect_gradients(
        {x}, [&] { return repeat(x, "a b -> a b 2"); },
        [&](const Array& grad) -> Arrays {
          return {sum_back(grad, {x.size(0), x.size(1), 1}).viewed(x.sizes())};
        });
  });
}

TEST(BackwardCost, OfCopies) {
  for_each_leaf([](const Tensor& x) {
    expect_gradient_is_view(x, [&] { return x.clone(); });
    expect_gradient_is_view(x, [&] { return x.contiguous(); });
    // Conversions are undone.
    const auto converted = [](const Array& grad) -> Arrays { return {copied(grad)}; };
    expect_gradients(
        {x}, [&] { return x.to(float64); }, converted);
    expect_gradients(
        {x}, [&] { return x.to_double(); }, converted);
    expect_gradients(
        {x}, [&] { return x.to_half(); }, converted);
    expect_gradients(
        {x}, [&] { return x.to_bfloat16(); }, converted);
  });
}

TEST(BackwardCost, OfChangesInPlace) {
  for (const auto& [how, left, right] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor x = test::leaf_like(left), y = test::leaf_like(right);
    if (broadcast_sizes("", x.sizes(), y.sizes()) != x.sizes()) continue;
    expect_gradients(
        {x, y}, [&] { return x.clone().copy_(y); },
        [&](const Array& grad) -> Arrays {
          return {zero(x.sizes()), sum_back(grad, y.sizes())};
        });
  }
  using Fill = std::function<Tensor(const Tensor&)>;
  const Fill fills[] = {
      [](const Tensor& x) { return x.fill_(2); },        [](const Tensor& x) { return x.zero_(); },
      [](const Tensor& x) { return x.uniform_(); },      [](const Tensor& x) { return x.normal_(); },
      [](const Tensor& x) { return x.bernoulli_(0.5); }, [](const Tensor& x) { return x.exponential_(); },
      [](const Tensor& x) { return x.random_(9); },      [](const Tensor& x) { return trunc_normal_(x); }};
  for (const Fill& fill : fills) {
    for_each_leaf([&](const Tensor& x) {
      expect_gradients(
          {x}, [&] { return fill(x.clone()); },
          [&](const Array& grad) -> Arrays { return {zero(grad.sizes())}; });
    });
  }
}

TEST(BackwardCost, OfAFilledDiagonal) {
  for (const Sizes& sizes : {Sizes{3, 4}, Sizes{4, 3}, Sizes{3, 1}, Sizes{1, 1}}) {
    const Tensor x = random_leaf(sizes);
    expect_gradients(
        {x}, [&] { return x.clone().fill_diagonal_(2); },
        [&](const Array& grad) -> Arrays {
          // A copy, of which the diagonal's part is taken out.
          const std::int64_t length = std::min(sizes[0], sizes[1]);
          const Array whole = zero(sizes).again(), part = Array::made({length});
          test::for_each_index(sizes, [&](const Sizes& i) { whole.set(i, grad[i]); });
          const Array taken = whole.again(), cleared = taken.again();
          for (std::int64_t i = 0; i < length; ++i) part.set({i}, taken[{i, i}]);
          for (std::int64_t i = 0; i < length; ++i) cleared.set({i, i}, {0});
          return {cleared};
        });
  }
}

TEST(BackwardCost, OfJoins) {
  for_each_leaf([](const Tensor& x) {
    expect_gradient_is_view(x, [&] { return stack({x, x.detach()}); });
    expect_gradient_is_view(x, [&] { return hstack({x, x.detach()}); });
    expect_gradient_is_view(x, [&] { return vstack({x, x.detach()}); });
    if (x.dim() > 0) expect_gradient_is_view(x, [&] { return cat({x, x.detach()}, -1); });
  });
}

/// Each element of the gradient is one of the result's, at from(i).
template <typename From>
Array taken_back(const Array& grad, const Sizes& sizes, const From& from) {
  const Array of = grad.again(), out = Array::made(sizes);
  test::for_each_index(sizes, [&](const Sizes& i) { out.set(i, of[from(i)]); });
  return out;
}

TEST(BackwardCost, OfReordering) {
  for_each_leaf([](const Tensor& x) {
    const Sizes& sizes = x.sizes();
    const auto next = [](const Sizes& whole, std::size_t dim) {
      return [=](Sizes i) {
        i[dim] = (i[dim] + 1) % whole[dim];
        return i;
      };
    };
    expect_gradients(
        {x}, [&] { return roll(x, {1}); },
        [&](const Array& grad) -> Arrays {
          return {taken_back(grad.reshaped({x.numel()}), {x.numel()}, next({x.numel()}, 0)).viewed(sizes)};
        });
    if (x.dim() == 0) return;
    expect_gradients(
        {x}, [&] { return roll(x, {1}, {0}); },
        [&](const Array& grad) -> Arrays { return {taken_back(grad, sizes, next(sizes, 0))}; });
    expect_gradients(
        {x}, [&] { return flip(x, {0}); },
        [&](const Array& grad) -> Arrays {
          return {taken_back(grad, sizes, [&](Sizes i) {
            i[0] = sizes[0] - 1 - i[0];
            return i;
          })};
        });
    if (x.dim() < 2) return;
    const std::size_t row = sizes.size() - 2;
    for (const std::int64_t diagonal : {-1, 0, 1}) {
      const auto kept = [&](int sign) {
        return [&, sign](const Array& grad) -> Arrays {
          const Array out = Array::made(sizes);
          test::for_each_index(sizes, [&](const Sizes& i) {
            const Counted number = grad[i];
            out.set(i, sign * (i[row + 1] - i[row] - diagonal) >= 0 ? number : Counted{0});
          });
          return {out};
        };
      };
      expect_gradients(
          {x}, [&] { return triu(x, diagonal); }, kept(1));
      expect_gradients(
          {x}, [&] { return tril(x, diagonal); }, kept(-1));
    }
  });
}

/// The sum of the copies, made from `x_index(i)`; the gradient itself where there is one of each.
template <typename Source>
Array sum_of_copies(const Array& grad, const Sizes& sizes, const Source& source) {
  const std::int64_t numel = checked_numel("", grad.sizes());
  if (numel == 0) return zero(sizes);
  if (numel == checked_numel("", sizes)) return grad.reshaped(sizes);
  const Array sums = Array::workspace(sizes);
  test::for_each_index(grad.sizes(), [&](const Sizes& i) { sums.set(source(i), sums[source(i)] + grad[i]); });
  return test::finished(sums, [](double sum) { return sum; });
}

TEST(BackwardCost, OfRepeats) {
  for_each_leaf([](const Tensor& x) {
    const Sizes& sizes = x.sizes();
    const Sizes once = Sizes::filled(sizes.size(), 1);
    Sizes twice = once, never = once;
    for (std::int64_t& count : twice) count = 2;
    for (std::int64_t& count : never) count = 0;
    for (const Sizes& repeats : {once, twice, never, concat({3}, once)}) {
      const std::size_t lead = repeats.size() - sizes.size();
      const auto loop = [&](const Array& grad) -> Arrays {
        return {sum_of_copies(grad, sizes, [&](const Sizes& i) {
          Sizes place;
          for (std::size_t d = lead; d < i.size(); ++d) place.push_back(i[d] % sizes[d - lead]);
          return place;
        })};
      };
      expect_gradients(
          {x}, [&] { return repeat(x, repeats); }, loop);
      expect_gradients(
          {x}, [&] { return tile(x, repeats); }, loop);
    }
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      expect_gradients(
          {x}, [&] { return repeat_interleave(x, 2, dim); },
          [&](const Array& grad) -> Arrays {
            return {sum_of_copies(grad, sizes, [&](Sizes i) {
              i[at] /= 2;
              return i;
            })};
          });
      // By counts it is a selection of positions, to which is added.
      const Tensor counts = arange(x.size(dim)).remainder(3);
      const Tensor positions = repeat_interleave(counts);
      expect_gradients(
          {x}, [&] { return repeat_interleave(x, counts, dim); },
          [&](const Array& grad) -> Arrays {
            const Array out = zero(sizes), index(positions);
            test::for_each_index(grad.sizes(), [&](const Sizes& i) {
              Sizes to = i;
              to[at] = static_cast<std::int64_t>(index[{i[at]}].value);
              out.put(to, out.picked(to) + grad[i]);
            });
            return {out};
          });
    }
  });
}

}  // namespace
}  // namespace lectern
