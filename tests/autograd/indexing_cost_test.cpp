// What gradients of indexing and sorting count, beside loops that count what they do.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/gradient_cost.h"
#include "ops/cost_functions.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/sort.h"

namespace lectern {
namespace {

using test::Array;
using test::Arrays;
using test::copied;
using test::Counted;
using test::each;
using test::each_as;
using test::expect_gradients;
using test::for_each_leaf;
using test::laid_out;
using test::random_leaf;
using test::uniform;
using test::zero;

std::int64_t read_position(const Array& index, const Sizes& place) {
  return static_cast<std::int64_t>(index[place].value);
}

Tensor indices_below(std::int64_t size, const Sizes& sizes, unsigned kind = 0) {
  const auto make = [=](const Sizes& s, Dtype) { return (test::counting(s) * 2 + 1).remainder(size); };
  return laid_out(kind, sizes, int64, make).tensor;
}

/// Zeros, to which the gradient is added where it came from: to(i) reads the positions.
template <typename To>
Array added_back(const Array& grad, const Sizes& sizes, const To& to) {
  const Array out = zero(sizes);
  test::for_each_index(grad.sizes(), [&](const Sizes& i) {
    const Sizes place = to(i);
    out.put(place, out.picked(place) + grad[i]);
  });
  return out;
}

/// check(x, dim, positions) for all shapes and dimensions; some positions come several times.
template <typename Check>
void for_each_selection(const Check& check) {
  for_each_leaf([&](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      if (x.size(dim) == 0) continue;
      for (const unsigned kind : {0U, 3U}) check(x, dim, indices_below(x.size(dim), {5}, kind));
      check(x, dim, indices_below(1, {0}));
    }
  });
}

TEST(BackwardCost, OfSelectedPositions) {
  for_each_selection([](const Tensor& x, std::int64_t dim, const Tensor& positions) {
    const auto at = static_cast<std::size_t>(dim);
    const auto loop = [&](const Array& grad) -> Arrays {
      const Array index(positions);
      return {added_back(grad, x.sizes(), [&](Sizes i) {
        i[at] = read_position(index, {i[at]});
        return i;
      })};
    };
    expect_gradients(
        {x}, [&] { return index_select(x, dim, positions); }, loop);
    if (dim == 0)
      expect_gradients(
          {x}, [&] { return x.index({positions}); }, loop);
    if (dim == 1)
      expect_gradients(
          {x},
          [&] {
            return x.index({Slice(), positions});
          },
          loop);
  });
}

TEST(BackwardCost, OfAdditionsAtPositions) {
  for_each_selection([](const Tensor& x, std::int64_t dim, const Tensor& positions) {
    const auto at = static_cast<std::size_t>(dim);
    Sizes sizes = x.sizes();
    sizes[at] = positions.numel();
    const Tensor terms = random_leaf(sizes, 3);
    const auto loop = [&](double alpha) {
      return [&, alpha](const Array& grad) -> Arrays {
        const Array index(positions), read = Array::made(sizes);
        test::for_each_index(sizes, [&](const Sizes& i) {
          Sizes place = i;
          place[at] = read_position(index, {i[at]});
          read.set(i, grad.picked(place));
        });
        return {grad, alpha == 1 ? read : each(test::times(alpha), read)};
      };
    };
    expect_gradients(
        {x, terms}, [&] { return index_add(x, dim, positions, terms); }, loop(1));
    expect_gradients(
        {x, terms}, [&] { return index_add(x, dim, positions, terms, 2.); }, loop(2));
    expect_gradients(
        {x, terms}, [&] { return x.clone().index_add_(dim, positions, terms); }, loop(1));
  });
}

TEST(BackwardCost, OfEmbeddings) {
  for (const Sizes& sizes : {Sizes{}, Sizes{5}, Sizes{2, 3}, Sizes{0}, Sizes{1031}}) {
    for (unsigned kind = 0; kind < test::kLayouts; ++kind) {
      const Tensor weight = random_leaf({3, 4}), rows = indices_below(3, sizes, kind);
      const auto added = [&](const Array& grad) -> Arrays {
        // Positions are read in a row.
        const Array index(rows);
        return {added_back(grad, {3, 4}, [&](const Sizes& i) {
          return Sizes{read_position(index, test::leading(i, sizes.size())), i.back()};
        })};
      };
      expect_gradients(
          {weight}, [&] { return embedding(rows, weight); }, added);
      expect_gradients(
          {weight}, [&] { return embedding(rows, weight, 2); },
          [&](const Array& grad) {
            const Arrays all = added(grad);
            for (std::int64_t c = 0; c < 4; ++c) all[0].put({2, c}, {0});
            return all;
          });
    }
  }
}

TEST(BackwardCost, OfSeveralIndices) {
  const Sizes shapes[][2] = {{{5}, {5}}, {{2, 1}, {3}}, {{0}, {0}}, {{1}, {1}}};
  for (const auto& [first, second] : shapes) {
    const Tensor x = random_leaf({3, 4}), rows = indices_below(3, first), columns = indices_below(4, second);
    const Sizes sizes = broadcast_sizes("", first, second);
    expect_gradients(
        {x},
        [&] {
          return x.index({rows, columns});
        },
        [&](const Array& grad) -> Arrays {
          const Array r(rows), c(columns);
          return {added_back(grad, {3, 4}, [&](const Sizes& i) {
            return Sizes{read_position(r, i), read_position(c, i)};
          })};
        });
    const Tensor values = random_leaf(sizes, 2);
    for (const bool accumulate : {false, true}) {
      expect_gradients(
          {x, values},
          [&] {
            return x.clone().index_put_({rows, columns}, values, accumulate);
          },
          [&](const Array& grad) -> Arrays {
            Array of_x = grad;
            const auto place = [](const Array& r, const Array& c, const Sizes& i) {
              return Sizes{read_position(r, i), read_position(c, i)};
            };
            if (!accumulate) {
              // A copy in which one 0, read once, is written to all positions.
              of_x = copied(grad);
              const Array r(rows), c(columns), none = test::filled_array(0, {}).again();
              test::for_each_index(sizes, [&](const Sizes& i) { of_x.put(place(r, c, i), none[{}]); });
            }
            const Array r(rows), c(columns), of = grad.again(), of_values = Array::made(sizes);
            test::for_each_index(sizes, [&](const Sizes& i) { of_values.set(i, of.picked(place(r, c, i))); });
            return {of_x, of_values};
          });
    }
  }
}

TEST(BackwardCost, OfMasks) {
  for_each_leaf([](const Tensor& x) {
    if (x.dim() == 0) return;
    const Tensor mask = x.detach() > 0;
    expect_gradients(
        {x}, [&] { return masked_select(x, mask); },
        [&](const Array& grad) -> Arrays {
          const Array truths(mask), out = zero(x.sizes());
          std::vector<Sizes> found;
          test::for_each_index(x.sizes(), [&](const Sizes& i) {
            if (truths[i].value != 0) found.push_back(i);
          });
          const auto count = static_cast<std::int64_t>(found.size());
          const Array positions = test::filled_array(0, {count, x.dim()}, int64), read = positions.again();
          test::for_each_index(read.sizes(), [&](const Sizes& i) { (void)read[i]; });
          for (std::int64_t i = 0; i < count; ++i) {
            const Sizes& to = found[static_cast<std::size_t>(i)];
            out.put(to, out.picked(to) + grad[{i}]);
          }
          return {out};
        });
  });
}

/// Where an index of each element leads along `dim`.
Sizes destination(std::size_t dim, const Array& index, Sizes i) {
  i[dim] = read_position(index, i);
  return i;
}

TEST(BackwardCost, OfGathers) {
  for_each_leaf([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      if (x.size(dim) == 0) continue;
      const auto at = static_cast<std::size_t>(dim);
      Sizes sizes = x.sizes();
      for (const std::int64_t count : {0, 1, 2}) {
        sizes[at] = count;
        for (const unsigned kind : {0U, 1U, 3U}) {
          const Tensor index = indices_below(x.size(dim), sizes, kind);
          const auto back = [&](const Array& grad, const Array& places) -> Arrays {
            return {added_back(grad, x.sizes(), [&](const Sizes& i) { return destination(at, places, i); })};
          };
          expect_gradients(
              {x}, [&] { return gather(x, dim, index); },
              [&](const Array& grad) { return back(grad, Array(index)); });
          // Negative positions are brought into range.
          expect_gradients(
              {x}, [&] { return take_along_dim(x, index, dim); },
              [&](const Array& grad) {
                const Array below = each_as(bool_, test::less(0), Array(index));
                const auto size = static_cast<double>(x.size(dim));
                const Array raised = each_as(int64, test::plus(size), Array(index));
                return back(grad, each_as(int64, test::kChosen, below, raised, Array(index)).again());
              });
        }
      }
    }
  });
}

TEST(BackwardCost, OfScatters) {
  for_each_leaf([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      if (x.size(dim) == 0) continue;
      const auto at = static_cast<std::size_t>(dim);
      for (const unsigned kind : {0U, 1U, 3U}) {
        const Tensor index = indices_below(x.size(dim), x.sizes(), kind);
        const Tensor source = random_leaf(x.sizes(), 2);
        const auto gathered = [&](const Array& grad) {
          const Array places(index), of = grad.again(), out = Array::made(x.sizes());
          test::for_each_index(x.sizes(),
                               [&](const Sizes& i) { out.set(i, of.picked(destination(at, places, i))); });
          return out;
        };
        const auto added = [&](const Array& grad) -> Arrays { return {grad, gathered(grad)}; };
        const auto replaced = [&](const Array& grad) -> Arrays {
          // A copy in which one 0 is written to all positions.
          const Array out = copied(grad), places(index), none = test::filled_array(0, {}).again();
          test::for_each_index(x.sizes(),
                               [&](const Sizes& i) { out.put(destination(at, places, i), none[{}]); });
          return {out, gathered(grad)};
        };
        expect_gradients(
            {x, source}, [&] { return scatter_add(x, dim, index, source); }, added);
        expect_gradients(
            {x, source}, [&] { return x.clone().scatter_add_(dim, index, source); }, added);
        expect_gradients(
            {x, source}, [&] { return scatter(x, dim, index, source); }, replaced);
        expect_gradients(
            {x, source}, [&] { return x.clone().scatter_(dim, index, source); }, replaced);
      }
    }
  });
}

TEST(BackwardCost, OfSorting) {
  for_each_leaf([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      const auto loop = [&](const Tensor& positions) {
        return [&, positions](const Array& grad) -> Arrays {
          const Array out = zero(x.sizes()), index(positions);
          test::for_each_index(grad.sizes(),
                               [&](const Sizes& i) { out.put(destination(at, index, i), grad[i]); });
          return {out};
        };
      };
      expect_gradients(
          {x}, [&] { return sort(x, dim).values; }, loop(sort(x, dim).indices));
      const std::int64_t k = std::min<std::int64_t>(2, x.size(dim));
      expect_gradients(
          {x}, [&] { return topk(x, k, dim).values; }, loop(topk(x, k, dim).indices));
    }
  });
}

}  // namespace
}  // namespace lectern
