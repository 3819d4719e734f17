// What indexing and sorting count, beside loops that count what they do.
#include <algorithm>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "ops/cost_functions.h"
#include "ops/counting_loops.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/nonzero.h"
#include "ops/shape_classes.h"
#include "ops/sort.h"

namespace lectern {
namespace {

using test::Array;
using test::cost;
using test::Counted;
using test::expect_cost;
using test::for_each_shape;
using test::laid_out;
using test::loop_cost;
using test::uniform;

std::int64_t read_position(const Array& index, const Sizes& place) {
  return static_cast<std::int64_t>(index[place].value);
}

/// int64 indices below `size`, in one of the layouts.
Tensor indices(const Sizes& sizes, std::int64_t size, unsigned kind = 0) {
  const auto make = [=](const Sizes& s, Dtype) { return (test::counting(s) * 2 + 1).remainder(size); };
  return laid_out(kind, sizes, int64, make).tensor;
}

/// The elements of x at the positions along `dim`.
Array selected(const Tensor& x, std::size_t dim, const Tensor& positions) {
  const Array in(x), index(positions);
  Sizes sizes = x.sizes();
  sizes[dim] = positions.numel();
  const Array out = Array::made(sizes);
  test::for_each_index(sizes, [&](const Sizes& i) {
    Sizes from = i;
    from[dim] = read_position(index, {i[dim]});
    out.set(i, in.picked(from));
  });
  return out;
}

/// The same with a term added at each.
Array with_terms(const Tensor& x, std::size_t dim, const Tensor& positions, const Array& terms) {
  const Array out = test::copied(Array(x)), index(positions), given = terms.again();
  test::for_each_index(terms.sizes(), [&](const Sizes& i) {
    Sizes to = i;
    to[dim] = read_position(index, {i[dim]});
    out.put(to, out.picked(to) + given[i]);
  });
  return out;
}

/// check(x, dim, positions) for all shapes and dimensions; some positions come several times.
template <typename Check>
void for_each_selection(const Check& check) {
  for_each_shape([&](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      if (x.size(dim) == 0) continue;
      for (const unsigned kind : {0U, 2U, 3U}) check(x, dim, indices({5}, x.size(dim), kind));
      check(x, dim, indices({0}, 1));
    }
  });
}

TEST(Cost, OfSelectedPositions) {
  for_each_selection([](const Tensor& x, std::int64_t dim, const Tensor& positions) {
    const auto at = static_cast<std::size_t>(dim);
    expect_cost([&] { return index_select(x, dim, positions); }, [&] { return selected(x, at, positions); });
    if (dim == 0)
      expect_cost([&] { return x.index({positions}); }, [&] { return selected(x, 0, positions); });
    if (dim == 1)
      expect_cost([&] { return x.index({Slice(), positions}); }, [&] { return selected(x, 1, positions); });
    Sizes sizes = x.sizes();
    sizes[at] = positions.numel();
    for (const unsigned kind : {0U, 1U, 3U}) {
      if (kind > 0 && !positions.is_contiguous()) continue;
      const Tensor terms =
          laid_out(kind, sizes, float32, [](const Sizes& s, Dtype d) { return uniform(s, d, 3); }).tensor;
      expect_cost([&] { return index_add(x, dim, positions, terms); },
                  [&] { return with_terms(x, at, positions, Array(terms)); });
      expect_cost([&] { return index_add(x, dim, positions, terms, 2); },
                  [&] { return with_terms(x, at, positions, test::each(test::times(2), Array(terms))); });
      expect_cost([&] { return x.clone().index_add_(dim, positions, terms); },
                  [&] { return with_terms(x, at, positions, Array(terms)); });
    }
  });
}

TEST(Cost, OfEmbeddings) {
  for (const test::Laid& weight :
       test::layouts({3, 4}, float32, [](const Sizes&s, Dtype d) { return uniform(s, d); })) {
    for (const Sizes& sizes :
         {Sizes{}, Sizes{1}, Sizes{5}, Sizes{2, 3}, Sizes{0}, Sizes{2, 0}, Sizes{1031}}) {
      for (unsigned kind = 0; kind < test::kLayouts; ++kind) {
        const Tensor rows = indices(sizes, 3, kind);
        expect_cost([&] { return embedding(rows, weight.tensor); },
                    [&] {
                      const Array in(weight.tensor), index(rows), out = Array::made(concat(sizes, {4}));
                      test::for_each_index(out.sizes(), [&](const Sizes& i) {
                        const Sizes place = test::leading(i, sizes.size());
                        out.set(i, in.picked({read_position(index, place), i.back()}));
                      });
                      return out;
                    });
      }
    }
  }
}

/// Where an index tensor of rows and one of columns lead, broadcast.
TEST(Cost, OfSeveralIndices) {
  const Sizes shapes[][2] = {{{5}, {5}}, {{2, 1}, {3}}, {{2, 3}, {3}}, {{0}, {0}}, {{1}, {1}}};
  for (const auto& [first, second] : shapes) {
    for (unsigned kind = 0; kind < test::kLayouts; ++kind) {
      const Tensor x =
          laid_out(kind, {3, 4}, float32, [](const Sizes& s, Dtype d) { return uniform(s, d); }).tensor;
      const Tensor rows = indices(first, 3, kind), columns = indices(second, 4);
      const Sizes sizes = broadcast_sizes("", first, second);
      expect_cost(
          [&] {
            return x.index({rows, columns});
          },
          [&] {
            const Array in(x), r(rows), c(columns), out = Array::made(sizes);
            test::for_each_index(sizes, [&](const Sizes& i) {
              out.set(i, in.picked({read_position(r, i), read_position(c, i)}));
            });
            return out;
          });
      const Tensor values =
          laid_out(kind, sizes, float32, [](const Sizes& s, Dtype d) { return uniform(s, d, 2); }).tensor;
      for (const bool accumulate : {false, true}) {
        expect_cost(
            [&] {
              return x.clone().index_put_({rows, columns}, values, accumulate);
            },
            [&] {
              const Array out = test::copied(Array(x)), r(rows), c(columns), given(values);
              test::for_each_index(sizes, [&](const Sizes& i) {
                const Sizes to{read_position(r, i), read_position(c, i)};
                out.put(to, accumulate ? out.picked(to) + given[i] : given[i]);
              });
              return out;
            });
      }
    }
  }
}

/// The positions where `truths`, of which each is read, is true: made, and read for what comes next.
std::vector<Sizes> true_places(const Array& truths) {
  std::vector<Sizes> found;
  test::for_each_index(truths.sizes(), [&](const Sizes& i) {
    if (truths[i].value != 0) found.push_back(i);
  });
  return found;
}
std::vector<Sizes> listed_places(const Tensor& mask) {
  std::vector<Sizes> found = true_places(Array(mask));
  const auto count = static_cast<std::int64_t>(found.size());
  const Array positions = Array::made({count, mask.dim()}, int64);
  test::for_each_index(positions.sizes(), [&](const Sizes& i) { positions.set(i, {}); });
  test::for_each_index(positions.sizes(), [&](const Sizes& i) { (void)positions[i]; });
  return found;
}

TEST(Cost, OfMasks) {
  for_each_shape([](const Tensor& x) {
    if (x.dim() == 0) return;
    for (const Tensor& mask : {x > 0, x > 2}) {
      const auto chosen = [&] {
        const std::vector<Sizes> found = listed_places(mask);
        const Array in(x), out = Array::made({static_cast<std::int64_t>(found.size())});
        for (std::int64_t i = 0; const Sizes& place : found) out.set({i++}, in.picked(place));
        return out;
      };
      expect_cost([&] { return masked_select(x, mask); }, chosen);
      expect_cost([&] { return x.index({mask}); }, chosen);
      // What is written is one number, read once.
      const Tensor two = tensor(2.);
      expect_cost([&] { return x.clone().index_put_({mask}, two); },
                  [&] {
                    const Array out = test::copied(Array(x)), number(two);
                    for (const Sizes& i : listed_places(mask)) out.put(i, number[{}]);
                    return out;
                  });
    }
  });
}

TEST(Cost, OfNonzero) {
  for_each_shape([](const Tensor& x) {
    const auto positions = [&](const Array& truths) {
      const std::vector<Sizes> found = true_places(truths);
      const Array out = Array::made({static_cast<std::int64_t>(found.size()), x.dim()}, int64);
      test::for_each_index(out.sizes(), [&](const Sizes& i) {
        const Sizes& place = found[static_cast<std::size_t>(i[0])];
        out.set(i, {static_cast<double>(place[static_cast<std::size_t>(i[1])])});
      });
      return out;
    };
    const Tensor mask = x > 0, repeated = mask.expand(concat({2}, x.sizes()));
    expect_cost([&] { return nonzero(mask); }, [&] { return positions(Array(mask)); });
    EXPECT_EQ(
        cost([&] { nonzero(repeated); }).bytes,
        mask.nbytes() + 2 * (x.dim() + 1) * static_cast<std::int64_t>(true_places(Array(mask)).size()) * 8);
    // Other elements are converted to truths first.
    expect_cost([&] { return nonzero(x); },
                [&] {
                  return positions(test::each_as(
                      bool_, [](Counted y) { return Counted{y.value != 0 ? 1. : 0.}; }, Array(x)));
                });
  });
}

/// Where an index of each element leads along `dim`.
Sizes destination(Sizes i, std::size_t dim, const Array& index) {
  i[dim] = read_position(index, i);
  return i;
}

Array gathered(const Tensor& x, std::size_t dim, const Tensor& index) {
  const Array in(x), places(index), out = Array::made(index.sizes());
  test::for_each_index(out.sizes(),
                       [&](const Sizes& i) { out.set(i, in.picked(destination(i, dim, places))); });
  return out;
}

TEST(Cost, OfGathers) {
  for_each_shape([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      Sizes sizes = x.sizes();
      for (const std::int64_t count : {0, 1, 2}) {
        if (x.size(dim) == 0 && count > 0) continue;
        sizes[at] = count;
        for (const unsigned kind : {0U, 1U, 3U}) {
          const Tensor index = indices(sizes, std::max<std::int64_t>(1, x.size(dim)), kind);
          expect_cost([&] { return gather(x, dim, index); }, [&] { return gathered(x, at, index); });
          expect_cost([&] { return take_along_dim(x, index, dim); }, [&] { return gathered(x, at, index); });
        }
      }
    }
    if (x.numel() == 0) return;
    const Tensor places = indices({3}, x.numel());
    expect_cost([&] { return take_along_dim(x, places); },
                [&] {
                  const Array in = test::flattened(x), index(places), out = Array::made({3});
                  for (std::int64_t i = 0; i < 3; ++i) out.set({i}, in.picked({read_position(index, {i})}));
                  return out;
                });
  });
}

TEST(Cost, OfScatters) {
  for_each_shape([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      if (x.size(dim) == 0) continue;
      const auto at = static_cast<std::size_t>(dim);
      for (const unsigned kind : {0U, 1U, 3U}) {
        const Tensor index = indices(x.sizes(), x.size(dim), kind);
        const Tensor source = laid_out(kind, x.sizes(), float32, [](const Sizes& s, Dtype d) {
                                return uniform(s, d, 2);
                              }).tensor;
        const auto loop = [&](bool accumulate, const Tensor& given) {
          return [&, accumulate, given] {
            const Array out = test::copied(Array(x)), places(index), values(given);
            test::for_each_index(x.sizes(), [&](const Sizes& i) {
              const Sizes to = destination(i, at, places);
              out.put(to, accumulate ? out.picked(to) + values[i] : values[i]);
            });
            return out;
          };
        };
        expect_cost([&] { return scatter(x, dim, index, source); }, loop(false, source));
        expect_cost([&] { return scatter_add(x, dim, index, source); }, loop(true, source));
        expect_cost([&] { return x.clone().scatter_(dim, index, source); }, loop(false, source));
        expect_cost([&] { return x.clone().scatter_add_(dim, index, source); }, loop(true, source));
        // A number becomes a tensor of one element.
        expect_cost([&] { return scatter(x, dim, index, 2); },
                    [&] {
                      test::filled_array(2, {});
                      return loop(false, full({}, 2.).expand(x.sizes()))();
                    });
      }
    }
  });
}

TEST(Cost, OfOneHot) {
  for (const Sizes& sizes : {Sizes{}, Sizes{1}, Sizes{4}, Sizes{2, 3}, Sizes{0}, Sizes{1031}}) {
    for (unsigned kind = 0; kind < test::kLayouts; ++kind) {
      const Tensor values = indices(sizes, 3, kind);
      expect_cost([&] { return one_hot(values, 3); },
                  [&] {
                    const Array in(values.unsqueeze(-1)), classes = Array::made({3}, int64);
                    for (std::int64_t c = 0; c < 3; ++c) classes.set({c}, {static_cast<double>(c)});
                    return test::each_as(int64, test::kItself,
                                         test::each_as(bool_, test::kEqual, in, classes));
                  });
    }
  }
}

TEST(Cost, OfCounts) {
  for (const std::int64_t size : {0, 1, 5, 1031}) {
    for (const unsigned kind : {0U, 2U, 3U}) {
      const Tensor values = indices({size}, 3, kind);
      const Tensor shares =
          laid_out(kind, {size}, float32, [](const Sizes& s, Dtype d) { return uniform(s, d); }).tensor;
      const auto binned = [&](const Array& given, Dtype dtype) {
        const Array in(values), out = test::filled_array(0, {3}, dtype);
        for (std::int64_t i = 0; i < size; ++i) {
          const Sizes to{read_position(in, {i})};
          out.put(to, out.picked(to) + given[{i}]);
        }
        return out;
      };
      expect_cost([&] { return bincount(values, shares, 3); },
                  [&] { return binned(Array(shares), float32); });
      expect_cost([&] { return bincount(values, 3); },
                  [&] {
                    test::filled_array(1, {}, int64);
                    return binned(Array(ones({}, {.dtype = int64}).expand({size})), int64);
                  });
    }
  }
}

/// The first k of each line along `dim` in order, and their places; `is_value` which of both is shown.
Array first_in_order(const Tensor& x, std::int64_t k, std::size_t dim, bool falls, bool is_value) {
  const Array in(x);
  Sizes sizes = x.sizes();
  if (!sizes.empty()) sizes[dim] = k;
  const Array values = Array::made(sizes), places = Array::made(sizes, int64);
  Sizes lines = x.sizes();
  if (!lines.empty()) lines[dim] = lines[dim] == 0 ? 0 : 1;
  test::for_each_index(lines, [&](Sizes at) {
    std::vector<std::pair<double, std::int64_t>> line;
    for (std::int64_t i = 0; i < (lines.empty() ? 1 : x.sizes()[dim]); ++i) {
      if (!lines.empty()) at[dim] = i;
      line.emplace_back(in[at].value, i);
    }
    std::stable_sort(line.begin(), line.end(), [&](const auto& a, const auto& b) {
      return falls ? a.first > b.first : a.first < b.first;
    });
    for (std::int64_t i = 0; i < (lines.empty() ? 1 : k); ++i) {
      if (!lines.empty()) at[dim] = i;
      values.set(at, {line[static_cast<std::size_t>(i)].first});
      places.set(at, {static_cast<double>(line[static_cast<std::size_t>(i)].second)});
    }
  });
  return is_value ? values : places;
}

TEST(Cost, OfSorting) {
  for_each_shape([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < std::max<std::int64_t>(1, x.dim()); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      const std::int64_t size = x.dim() == 0 ? 1 : x.size(dim);
      for (const bool falls : {false, true}) {
        expect_cost([&] { return sort(x, dim, falls).values; },
                    [&] { return first_in_order(x, size, at, falls, true); });
        expect_cost([&] { return argsort(x, dim, falls); },
                    [&] { return first_in_order(x, size, at, falls, false); });
      }
      for (const std::int64_t k : {std::min<std::int64_t>(1, size), size - size / 2})
        expect_cost([&] { return topk(x, k, dim).values; },
                    [&] { return first_in_order(x, k, at, true, true); });
    }
  });
}

}  // namespace
}  // namespace lectern
