#include <algorithm>
#include <set>

#include "ops/tensors.h"
#include "ops/torch_program_draw.h"

namespace lectern::test {
namespace {

/// Of elements that x has, some perhaps several times.
Expression draw_as_strided(Draw& draw, const Expression& x) {
  const Tensor looked = draw.look(x);
  const std::set<std::int64_t> own = places(looked);
  for (int attempt = 0; attempt < 10 && !own.empty(); ++attempt) {
    Sizes sizes, strides;
    for (std::int64_t rank = 1 + draw.below(2); rank > 0; --rank) {
      sizes.push_back(1 + draw.below(4));
      strides.push_back(draw.below(4));
    }
    const std::int64_t offset = looked.storage_offset() + draw.below(4);
    if (*extent(sizes, strides, offset) * looked.element_size() >
        static_cast<std::int64_t>(looked.storage().nbytes()))
      continue;
    const std::set<std::int64_t> seen = places(looked.as_strided(sizes, strides, offset));
    if (!std::ranges::includes(own, seen)) continue;
    return call(
        x, "as_strided",
        [](const Tensor& t, const Sizes& a, const Sizes& b, std::int64_t at) {
          return t.as_strided(a, b, at);
        },
        sizes, strides, offset);
  }
  return x;
}

Expression draw_view_of_any_rank(Draw& draw, const Expression& x, const Sizes& sizes) {
  const auto rank = static_cast<std::int64_t>(sizes.size());
  switch (draw.below(7)) {
    case 0:
      return rank > 6 ? x : call(x, "unsqueeze", &Tensor::unsqueeze, draw.below(rank + 1));
    case 1: {
      Sizes target = sizes;
      for (std::int64_t& size : target) {
        if (size == 1) size = draw.below(4);
      }
      if (rank < 6 && draw.chance(2)) target.insert(0, 1 + draw.below(3));
      return checked_numel("expand", target) > draw.most ? x : call(x, "expand", &Tensor::expand, target);
    }
    case 2:
      // PyTorch has no gradients of parts of what overlaps itself and is nobody's view.
      return has_element_twice(draw.look(x)) ? x : call(x, "detach", &Tensor::detach);
    case 3:
      return draw_as_strided(draw, x);
    case 4:
      return call(x, "reshape", &Tensor::reshape, draw.regrouped(checked_numel("reshape", sizes)));
    default:
      return call(
          x, "view", [](const Tensor& t, const Sizes& to) { return t.view(to); },
          draw.regrouped(checked_numel("view", sizes)));
  }
}

}  // namespace

Expression draw_view(Draw& draw, const Expression& x) {
  const Sizes sizes = draw.look(x).sizes();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (rank == 0) return draw_view_of_any_rank(draw, x, sizes);
  const std::int64_t dim = draw.below(rank), size = sizes[static_cast<std::size_t>(dim)];
  const std::int64_t named = draw.chance(3) ? dim - rank : dim;
  switch (draw.below(15)) {
    case 0:
      if (size == 0) return x;
      return call(x, "select", &Tensor::select, named, draw.below(size) - (draw.chance(3) ? size : 0));
    case 1:
    case 2: {
      const std::int64_t start = draw.below(size), stop = start + draw.below(size - start + 1),
                         step = 1 + draw.below(3);
      return apply("cut({0}, " + text_of(dim) + ", " + text_of(start) + ", " + text_of(stop) + ", " +
                       text_of(step) + ")",
                   {x}, [=](const In& in) { return in[0].slice(dim, start, stop, step); });
    }
    case 3: {
      const std::int64_t start = draw.below(size + 1);
      return call(x, "narrow", &Tensor::narrow, named, start, draw.below(size - start + 1));
    }
    case 4:
      return call(x, "transpose", &Tensor::transpose, named, draw.below(rank));
    case 5:
      return call(x, "permute", &Tensor::permute, draw.order(rank));
    case 6:
      return call(
          x, "squeeze", [](const Tensor& t, std::int64_t d) { return t.squeeze(d); }, named);
    case 7:
      if (rank < 2) return x;
      return call(x, "diagonal", &Tensor::diagonal, draw.below(5) - 2, dim,
                  (dim + 1 + draw.below(rank - 1)) % rank);
    // PyTorch's views that come in several must not be changed: there they are made one by one.
    case 8: {
      if (size == 0 || size > 8) return x;
      const std::int64_t which = draw.below(size);
      return apply("{0}.select(" + text_of(named) + ", " + text_of(which) + ")", {x},
                   [=](const In& in) { return in[0].unbind(named)[static_cast<std::size_t>(which)]; });
    }
    case 9: {
      if (size == 0) return x;
      const std::int64_t part = 1 + draw.below(size), which = draw.below((size + part - 1) / part);
      return apply("{0}.narrow(" + text_of(named) + ", " + text_of(which * part) + ", " +
                       text_of(std::min(part, size - which * part)) + ")",
                   {x},
                   [=](const In& in) { return in[0].split(part, named)[static_cast<std::size_t>(which)]; });
    }
    case 10:
      return call(x, "flatten", &Tensor::flatten, dim, dim + draw.below(rank - dim));
    case 11:
    case 12:
      return draw_as_strided(draw, x);
    default:
      return draw_view_of_any_rank(draw, x, sizes);
  }
}

}  // namespace lectern::test
