// What views, copies, joins and new tensors count, beside loops that count what they do.
#include <algorithm>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "ops/cost_functions.h"
#include "ops/counting_loops.h"
#include "ops/einops/einops.h"
#include "ops/elementwise.h"
#include "ops/flip.h"
#include "ops/join.h"
#include "ops/random.h"
#include "ops/repeat.h"
#include "ops/shape_classes.h"
#include "ops/triangle.h"
#include "tensor/generator.h"

namespace lectern {
namespace {

using test::Array;
using test::cost;
using test::Counted;
using test::expect_cost;
using test::filled_array;
using test::for_each_shape;
using test::loop_cost;
using test::uniform;

TEST(Cost, OfViewsIsNothing) {
  for_each_shape([](const Tensor& x) {
    EXPECT_EQ(cost([&] {
                x.detach().alias(x.sizes(), x.strides(), x.storage_offset());
                x.unsqueeze(0).squeeze().expand_as(x.squeeze()), x.unsqueeze(-1).squeeze(-1);
                x.as_strided(x.sizes(), x.strides()), x.view_as(x), x.view(x.sizes()), x.view(int32);
                x.to(x.dtype()), x.reshape(x.sizes());
              }),
              Counters{});
    if (x.dim() == 0) return;
    const Sizes twice = concat({2}, x.sizes());
    EXPECT_EQ(cost([&] {
                x.transpose(0, -1).expand(concat({2}, x.transpose(0, -1).sizes()));
                x.slice(0, 0, 1, 2), x.narrow(-1, 0, 0), x.unbind(-1), x.split(2), x.split({x.size(0)});
                x.chunk(2, -1), x.flatten(-1), x.unflatten(0, {x.size(0), 1}), x.expand(twice);
                split(x, 1), split(x, {x.size(0)}), chunk(x, 2), unbind(x);
                if (x.size(0) > 0) x.select(0, 0), x[0].index({});
                if (x.dim() > 1) x.diagonal(), x.mT();
                if (x.dim() == 2) x.t(), x.permute({1, 0});
              }),
              Counters{});
  });
}

/// What a copy of all elements is, in another dtype, too.
Array converted(const Tensor& x, Dtype dtype) {
  return test::each_as(dtype, test::kItself, Array(x));
}

TEST(Cost, OfCopies) {
  for_each_shape([](const Tensor& x) {
    const auto copy = [&] { return test::copied(Array(x)); };
    const auto itself = [&] { return Array(x); };
    expect_cost([&] { return x.clone(); }, copy);
    x.is_contiguous() ? expect_cost([&] { return x.contiguous(); }, itself)
                      : expect_cost([&] { return x.contiguous(); }, copy);
    expect_cost([&] { return x.reshape({-1}); }, [&] { return test::flattened(x); });
    expect_cost([&] { return x.flatten(); }, [&] { return test::flattened(x); });
    expect_cost([&] { return x.to_float(); }, itself);
    for (const Dtype dtype : {float64, float16, int64, bool_})
      EXPECT_EQ(cost([&] { x.to(dtype); }), loop_cost([&] { converted(x, dtype); }));
    EXPECT_EQ(cost([&] { x.to_double(), x.to_half(); }),
              loop_cost([&] { converted(x, float64), converted(x, float16); }));
    EXPECT_EQ(cost([&] { x.to_bfloat16(), x.to_int(); }),
              loop_cost([&] { converted(x, bfloat16), converted(x, int32); }));
    EXPECT_EQ(cost([&] { x.to_long(), x.to_bool(); }),
              loop_cost([&] { converted(x, int64), converted(x, bool_); }));
  });
}

/// Writes value(i) to all places of `out`; of repeated elements once.
template <typename Value>
Array written(const Array& out, const Value& value) {
  test::for_each_index(out.sizes(),
                       [&](const Sizes& i) { out.set(i, Counted{static_cast<double>(value(i))}); });
  return out;
}

TEST(Cost, OfChangesInPlace) {
  for (const auto& [how, target, source] : test::broadcast_pairs()) {
    SCOPED_TRACE(how);
    const Tensor &x = target, &y = source;
    if (!test::is_writable(x) || broadcast_sizes("", x.sizes(), y.sizes()) != x.sizes()) continue;
    const auto loop = [&] {
      const Array out = Array::made(x.sizes());
      test::each_into(out, test::kItself, Array(y));
      return out;
    };
    expect_cost([&] { return x.copy_(y); }, loop);
    expect_cost([&] { return x.view(x.sizes()) = y, x; }, loop);
  }
  for_each_shape([](const Tensor& x) {
    expect_cost([&] { return x.fill_(2); },
                [&] { return written(Array(x), [](const Sizes&) { return 2; }); });
    expect_cost([&] { return x.zero_(); }, [&] { return written(Array(x), [](const Sizes&) { return 0; }); });
    if (x.dim() != 2) return;
    EXPECT_EQ(cost([&] { x.fill_diagonal_(3); }), loop_cost([&] {
                const Array out(x);
                for (std::int64_t i = 0; i < std::min(x.size(0), x.size(1)); ++i) out.set({i, i}, {3});
              }));
  });
}

/// Each element of the result, at `i`, is one of x, at from(i).
template <typename From>
Array rearranged(const Array& x, const Sizes& sizes, const From& from) {
  const Array in = x.again(), out = Array::made(sizes);
  test::for_each_index(sizes, [&](const Sizes& i) { out.set(i, in[from(i)]); });
  return out;
}

/// Parts along `dim`, each copied once.
Array joined(const std::vector<Tensor>& parts, std::size_t dim) {
  Sizes sizes = parts[0].sizes();
  sizes[dim] = 0;
  for (const Tensor& part : parts) sizes[dim] += part.sizes()[dim];
  const Array out = Array::made(sizes);
  std::int64_t begin = 0;
  for (const Tensor& part : parts) {
    const Array in(part);
    test::for_each_index(part.sizes(), [&](const Sizes& i) {
      Sizes to = i;
      to[dim] += begin;
      out.set(to, in[i]);
    });
    begin += part.sizes()[dim];
  }
  return out;
}

TEST(Cost, OfJoins) {
  for_each_shape([](const Tensor& x) {
    const Tensor other = uniform(x.sizes(), float32, 2), nothing = empty({0});
    for (std::int64_t dim = 0; dim <= x.dim(); ++dim) {
      const std::vector<Tensor> rows{x.unsqueeze(dim), other.unsqueeze(dim)};
      expect_cost(
          [&] {
            return stack({x, other}, dim);
          },
          [&] { return joined(rows, static_cast<std::size_t>(dim)); });
    }
    const auto at_least = [](std::int64_t dims, Tensor tensor) {
      while (tensor.dim() < dims) tensor = tensor.unsqueeze(0);
      return tensor;
    };
    const Tensor row = at_least(1, x), other_row = at_least(1, other);
    expect_cost(
        [&] {
          return hstack({x, other});
        },
        [&] {
          return joined({row, other_row}, row.dim() == 1 ? 0 : 1);
        });
    expect_cost(
        [&] {
          return vstack({x, other});
        },
        [&] {
          return joined({at_least(2, x), at_least(2, other)}, 0);
        });
    if (x.dim() == 0) return;
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      expect_cost(
          [&] {
            return cat({x, nothing, other, x}, dim);
          },
          [&] {
            return joined({x, other, x}, static_cast<std::size_t>(dim));
          });
    }
  });
}

TEST(Cost, OfFlips) {
  for_each_shape([](const Tensor& x) {
    for (const Sizes& dims : {Sizes{}, Sizes{0}, Sizes{-1}, Sizes{0, -1}}) {
      if (dims.size() > 1 && x.dim() < 2) continue;
      expect_cost([&] { return flip(x, dims); },
                  [&] {
                    if (dims.empty() || x.dim() == 0 || x.numel() == 0) return test::copied(Array(x));
                    Array result(x);
                    for (const std::int64_t dim : dims) {
                      const auto at = dim == 0 ? 0 : x.sizes().size() - 1;
                      result = rearranged(result, x.sizes(), [&](Sizes i) {
                        i[at] = x.sizes()[at] - 1 - i[at];
                        return i;
                      });
                    }
                    return result;
                  });
    }
  });
}

Array rolled_by_one(const Array& x, std::size_t dim) {
  const std::int64_t size = x.sizes()[dim];
  return rearranged(x, x.sizes(), [&](Sizes i) {
    i[dim] = (i[dim] + size - 1) % size;
    return i;
  });
}

TEST(Cost, OfRolls) {
  for_each_shape([](const Tensor& x) {
    expect_cost([&] { return roll(x, {1}); },
                [&] { return rolled_by_one(test::flattened(x), 0).viewed(x.sizes()); });
    if (x.dim() == 0) return;
    const std::size_t last = x.sizes().size() - 1;
    expect_cost([&] { return roll(x, {1}, {0}); }, [&] { return rolled_by_one(Array(x), 0); });
    expect_cost(
        [&] {
          return roll(x, {1, 1}, {0, -1});
        },
        [&] { return rolled_by_one(rolled_by_one(Array(x), 0), last); });
  });
}

/// x tiled: sizes that are a multiple of its own.
Array tiled(const Array& x, const Sizes& repeats) {
  Sizes sizes = repeats;
  const std::size_t lead = repeats.size() - x.sizes().size();
  for (std::size_t d = lead; d < sizes.size(); ++d) sizes[d] *= x.sizes()[d - lead];
  return rearranged(x, sizes, [&](const Sizes& i) {
    Sizes from;
    for (std::size_t d = lead; d < i.size(); ++d) from.push_back(i[d] % x.sizes()[d - lead]);
    return from;
  });
}

TEST(Cost, OfRepeats) {
  for_each_shape([](const Tensor& x) {
    Sizes once = Sizes::filled(x.sizes().size(), 1), more = once, none = once;
    for (std::int64_t& count : more) count = 2;
    for (std::int64_t& count : none) count = 0;
    for (const Sizes& repeats : {once, more, none, concat({3}, once), concat({2, 1}, more)}) {
      expect_cost([&] { return repeat(x, repeats); }, [&] { return tiled(Array(x), repeats); });
      expect_cost([&] { return tile(x, repeats); }, [&] { return tiled(Array(x), repeats); });
    }
    if (x.dim() > 1)
      expect_cost([&] { return tile(x, {2}); },
                  [&] {
                    once[once.size() - 1] = 2;
                    return tiled(Array(x), once);
                  });
    expect_cost([&] { return repeat_interleave(x, 3); },
                [&] {
                  return rearranged(test::flattened(x), {3 * x.numel()},
                                    [](const Sizes& i) { return Sizes{i[0] / 3}; });
                });
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      Sizes sizes = x.sizes();
      sizes[at] *= 2;
      expect_cost([&] { return repeat_interleave(x, 2, dim); },
                  [&] {
                    return rearranged(Array(x), sizes, [&](Sizes i) {
                      i[at] /= 2;
                      return i;
                    });
                  });
    }
  });
}

/// The positions that are repeated, then the selection of those along `dim`.
Array interleaved(const Tensor& x, const Tensor& repeats, std::int64_t dim) {
  const auto at = static_cast<std::size_t>(dim);
  const Array times(repeats), in(x);
  std::vector<double> positions;
  for (std::int64_t i = 0; i < x.size(dim); ++i) {
    const double count = times[{i}].value;
    positions.insert(positions.end(), static_cast<std::size_t>(count), static_cast<double>(i));
  }
  const auto count = static_cast<std::int64_t>(positions.size());
  const Array index = written(Array::made({count}, int64),
                              [&](const Sizes& i) { return positions[static_cast<std::size_t>(i[0])]; });
  const Array from = index.again();
  Sizes sizes = x.sizes();
  sizes[at] = count;
  const Array out = Array::made(sizes);
  test::for_each_index(sizes, [&](const Sizes& i) {
    Sizes place = i;
    place[at] = static_cast<std::int64_t>(from[{i[at]}].value);
    out.set(i, in.picked(place));
  });
  return out;
}

TEST(Cost, OfRepeatsByCounts) {
  for_each_shape([](const Tensor& x) {
    for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
      const Tensor each = arange(x.size(dim)).remainder(3), all = tensor({2});
      expect_cost([&] { return repeat_interleave(x, each, dim); }, [&] { return interleaved(x, each, dim); });
      expect_cost([&] { return repeat_interleave(x, all, dim); },
                  [&] { return interleaved(x, all.expand({x.size(dim)}), dim); });
    }
  });
  const Tensor counts = tensor({2, 0, 1});
  expect_cost([&] { return repeat_interleave(counts); },
              [&] {
                const Array in(counts), out = Array::made({3}, int64);
                test::for_each_index(counts.sizes(), [&](const Sizes& i) { (void)in[i]; });
                return written(out, [](const Sizes& i) { return i[0] < 2 ? 0 : 2; });
              });
}

TEST(Cost, OfTriangles) {
  for_each_shape([](const Tensor& x) {
    if (x.dim() < 2) return;
    const std::size_t row = x.sizes().size() - 2;
    for (const std::int64_t diagonal : {-1, 0, 2}) {
      const auto kept = [&](int sign) {
        const Array in(x), out = Array::like(x);
        test::for_each_index(x.sizes(), [&](const Sizes& i) {
          const Counted number = in[i];
          out.set(i, sign * (i[row + 1] - i[row] - diagonal) >= 0 ? number : Counted{0});
        });
        return out;
      };
      expect_cost([&] { return triu(x, diagonal); }, [&] { return kept(1); });
      expect_cost([&] { return tril(x, diagonal); }, [&] { return kept(-1); });
    }
  });
}

/// That make() writes its result once, and nothing else.
void expect_filled(const std::function<Tensor()>& make) {
  Tensor made;
  const Counters counted = cost([&] { made = make(); });
  EXPECT_EQ(counted, loop_cost([&] { filled_array(1, made.sizes(), made.dtype()); })) << made.sizes().size();
}

TEST(Cost, OfNewTensors) {
  for_each_shape([](const Tensor& x) {
    const Sizes& sizes = x.sizes();
    for (const Dtype dtype : {float32, float64, int64, bool_}) {
      const TensorOptions options{.dtype = dtype};
      expect_filled([&] { return zeros(sizes, options); });
      expect_filled([&] { return ones(sizes, options); });
      expect_filled([&] { return full(sizes, 1, options); });
      expect_filled([&] { return zeros_like(x, options); });
      expect_filled([&] { return ones_like(x, options); });
      expect_filled([&] { return full_like(x, 1, options); });
      EXPECT_EQ(cost([&] { empty(sizes, options), empty_like(x, options); }), Counters{});
    }
    expect_filled([&] { return arange(x.numel()); });
    expect_filled([&] { return linspace(0, 1, x.numel()); });
  });
  expect_filled([] { return tensor({{1., 2}, {3, 4}}); });
  expect_filled([] { return tensor(3.); });
  for (const std::int64_t columns : {0, 1, 3, 5}) {
    EXPECT_EQ(cost([&] { eye(3, columns); }), loop_cost([&] {
                filled_array(0, {3, columns}), filled_array(1, {std::min<std::int64_t>(3, columns)});
              }));
  }
  float memory[3] = {};
  EXPECT_EQ(cost([&] { from_blob(memory, {3}, {}); }), Counters{});
}

TEST(Cost, OfDraws) {
  for_each_shape([](const Tensor& x) {
    const Sizes& sizes = x.sizes();
    expect_filled([&] { return rand(sizes); });
    expect_filled([&] { return randn(sizes); });
    expect_filled([&] { return rand_like(x); });
    expect_filled([&] { return randn_like(x); });
    expect_filled([&] { return randint(9, sizes); });
    expect_filled([&] { return randperm(x.numel()); });
    if (!test::is_writable(x)) return;
    expect_filled([&] { return x.uniform_(); });
    expect_filled([&] { return x.normal_(); });
    expect_filled([&] { return x.exponential_(); });
    expect_filled([&] { return x.bernoulli_(0.5); });
    expect_filled([&] { return x.random_(5); });
    expect_filled([&] { return trunc_normal_(x); });
  });
}

TEST(Cost, OfDrawsByChances) {
  for_each_shape([](const Tensor& x) {
    const auto copied = [](const Tensor& chances, const Sizes& sizes) {
      return [&, sizes] {
        const Array out = Array::made(sizes);
        test::each_into(out, test::kItself, Array(chances));
      };
    };
    const Tensor half = x.fill_(0.5), one = full({}, 0.5);
    EXPECT_EQ(cost([&] { bernoulli(half); }), loop_cost(copied(half, x.sizes())));
    const Tensor target = empty(x.sizes());
    EXPECT_EQ(cost([&] { target.bernoulli_(half); }), loop_cost(copied(half, x.sizes())));
    EXPECT_EQ(cost([&] { target.bernoulli_(one); }), loop_cost(copied(one, x.sizes())));
    if (x.dim() == 0 || x.dim() > 2 || x.size(-1) == 0) return;
    const Sizes drawn = x.dim() == 2 ? Sizes{x.size(0), 1} : Sizes{1};
    // Of each row, one category; without replacement from a draw for each, which is made like a new tensor.
    const auto chosen = [&] {
      const Array weights(half);
      test::for_each_index(x.sizes(), [&](const Sizes& i) { (void)weights[i]; });
      filled_array(0, drawn, int64);
    };
    EXPECT_EQ(cost([&] { multinomial(half, 1, true); }), loop_cost(chosen));
    EXPECT_EQ(cost([&] { multinomial(half, 1); }), loop_cost([&] { filled_array(1, x.sizes()), chosen(); }));
  });
}

TEST(Cost, OfEinops) {
  const test::Make make = [](const Sizes& s, Dtype d) { return uniform(s, d); };
  for (const Sizes& sizes : {Sizes{3, 4}, Sizes{1, 1}, Sizes{0, 4}, Sizes{3, 0}, Sizes{3, 1031}}) {
    for (const test::Laid& laid : test::layouts(sizes, float32, make)) {
      SCOPED_TRACE(laid.how);
      const Tensor& x = laid.tensor;
      EXPECT_EQ(cost([&] { rearrange(x, "a b -> b a 1"), repeat(x, "a b -> a b 2"); }), Counters{})
          << "views";
      expect_cost([&] { return rearrange(x, "a b -> (b a)"); }, [&] { return test::flattened(x.t()); });
      expect_cost(
          [&] {
            return rearrange(std::vector{x, x}, "n a b -> a n b");
          },
          [&] {
            return joined({x.unsqueeze(0), x.unsqueeze(0)}, 0).transposed();
          });
      expect_cost([&] { return reduce(x, "a b -> a", "sum"); }, [&] { return test::sum_along(Array(x), 1); });
      expect_cost([&] { return reduce(x, "a b -> b", "sum"); }, [&] { return test::sum_along(Array(x), 0); });
      expect_cost([&] { return reduce(x, "a b ->", "prod"); },
                  [&] {
                    const Sizes rows{x.size(0), 1};
                    const Array products =
                        test::folded(Array(x), rows, {1}, test::kTimes).viewed({x.size(0)});
                    return test::folded(products, {1}, {1}, test::kTimes).viewed({});
                  });
      // Of equal rows a view serves.
      const Tensor twice = repeat(x, "a b -> (2 a) b");
      expect_cost([&] { return repeat(x, "a b -> (2 a) b"); },
                  [&] {
                    return twice.storage() == x.storage() ? Array(twice) : tiled(Array(x), {2, 1});
                  });
    }
  }
}

}  // namespace
}  // namespace lectern
