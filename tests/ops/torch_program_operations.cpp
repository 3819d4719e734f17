#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/join.h"
#include "ops/matmul.h"
#include "ops/selection.h"
#include "ops/torch_program_draw.h"
#include "tensor/sizes.h"

namespace lectern::test {
namespace {

bool broadcasts(const Sizes& from, const Sizes& to, bool to_its_shape) {
  try {
    const Sizes both = broadcast_sizes("partner", from, to);
    return !to_its_shape || both == to;
  } catch (const TensorError&) {
    return false;
  }
}

std::optional<Expression> draw_unary(Draw& draw, const Expression& x) {
  switch (draw.below(10)) {
    case 0:
      return call(x, "neg", &Tensor::neg);
    case 1:
      return call(x, "clone", &Tensor::clone);
    case 2:
      return call(x, "contiguous", &Tensor::contiguous);
    case 3:
      if (draw.largest(x) > 64) return {};
      return call(x, "square", &Tensor::square);
    case 4:
      if (draw.largest(x) > 6) return {};
      return call(x, "exp", &Tensor::exp);
    case 5:
      return call(x, "tanh", &Tensor::tanh);
    case 6:
      return call(x, "sigmoid", &Tensor::sigmoid);
    case 7:
      if (!draw.is_exact(x)) return {};
      return call(x, "relu", &Tensor::relu);
    case 8:
      if (!draw.is_exact(x)) return {};
      return call(x, "abs", &Tensor::abs);
    default:
      if (!draw.is_exact(x)) return {};
      return apply("{0}.clamp(-1.5, 2)", {x}, [](const In& in) {
        return in[0].clamp(std::optional<Scalar>(-1.5), std::optional<Scalar>(2));
      });
  }
}

std::optional<Expression> draw_binary(Draw& draw, const Expression& x) {
  const auto y = draw_partner(draw, x, false);
  if (!y || !draw.is_moderate(*y)) return {};
  if (checked_numel("partner", broadcast_sizes("partner", draw.look(x).sizes(), draw.look(*y).sizes())) >
      draw.most)
    return {};
  switch (draw.below(7)) {
    case 0:
    case 1:
      return apply("({0} + {1})", {x, *y}, [](const In& in) { return in[0] + in[1]; });
    case 2:
      return apply("({0} - {1})", {x, *y}, [](const In& in) { return in[0] - in[1]; });
    case 3:
    case 4:
      if (draw.largest(x) * draw.largest(*y) > 4096) return {};
      return apply("({0} * {1})", {x, *y}, [](const In& in) { return in[0] * in[1]; });
    case 5:
      if (draw.largest(*y) > 64) return {};
      return apply("({0} / ({1} * {1} + 1))", {x, *y},
                   [](const In& in) { return in[0] / (in[1] * in[1] + 1); });
    default:
      if (!draw.is_exact(x) || !draw.is_exact(*y)) return {};
      if (draw.chance(2)) {
        return apply("torch.where({0} > 0, {0}, {1})", {x, *y},
                     [](const In& in) { return lectern::where(in[0] > 0, in[0], in[1]); });
      }
      return apply("torch.maximum({0}, {1})", {x, *y}, [](const In& in) { return in[0].maximum(in[1]); });
  }
}

std::optional<Expression> draw_reduction(Draw& draw, const Expression& x, std::int64_t dim,
                                         std::int64_t size) {
  const bool keep = draw.chance(2);
  switch (draw.below(6)) {
    case 0:
      return call(x, "sum", [](const Tensor& t) { return t.sum(); });
    case 1:
      return call(
          x, "sum", [](const Tensor& t, std::int64_t d, bool k) { return t.sum({d}, k); }, dim, keep);
    case 2:
      if (size == 0) return {};
      return call(
          x, "mean", [](const Tensor& t, std::int64_t d, bool k) { return t.mean({d}, k); }, dim, keep);
    case 3:
      if (size == 0 || !draw.is_exact(x)) return {};
      return call(
          x, "amax", [](const Tensor& t, std::int64_t d, bool k) { return t.amax({d}, k); }, dim, keep);
    case 4:
      return call(
          x, "cumsum", [](const Tensor& t, std::int64_t d) { return t.cumsum(d); }, dim);
    default:
      if (draw.largest(x) > 32) return {};
      return call(
          x, "softmax", [](const Tensor& t, std::int64_t d) { return t.softmax(d); }, dim);
  }
}

std::optional<Expression> draw_rearranged(Draw& draw, const Expression& x, std::int64_t dim,
                                          const Sizes& sizes) {
  const std::int64_t size = sizes[static_cast<std::size_t>(dim)];
  switch (draw.below(8)) {
    case 0:
      return call(x, "flip", &Tensor::flip, Sizes{dim});
    case 1:
      return call(x, "roll", &Tensor::roll, Sizes{1 + draw.below(3)}, Sizes{dim});
    case 2:
      if (checked_numel("cat", sizes) * 2 > draw.most) return {};
      return apply("torch.cat([{0}, {0}], " + text_of(dim) + ")", {x}, [=](const In& in) {
        return cat({in[0], in[0]}, dim);
      });
    case 3:
      if (checked_numel("stack", sizes) * 2 > draw.most) return {};
      return apply("torch.stack([{0}, -{0}], " + text_of(dim) + ")", {x}, [=](const In& in) {
        return stack({in[0], -in[0]}, dim);
      });
    case 4:
      if (sizes.size() < 2) return {};
      return call(x, "tril", &Tensor::tril, draw.below(3) - 1);
    case 5:
      if (size == 0) return {};
      return apply("{0}.index_select(" + text_of(dim) + ", {1})",
                   {x, draw.positions({1 + draw.below(4)}, size)},
                   [=](const In& in) { return in[0].index_select(dim, in[1]); });
    case 6: {
      if (size == 0) return {};
      Sizes picked = sizes;
      picked[static_cast<std::size_t>(dim)] = 1 + draw.below(3);
      return apply("{0}.gather(" + text_of(dim) + ", {1})", {x, draw.positions(picked, size)},
                   [=](const In& in) { return in[0].gather(dim, in[1]); });
    }
    default:
      if (sizes[0] == 0) return {};
      return apply("{0}[{1}]", {x, draw.positions({2, 1}, sizes[0])},
                   [](const In& in) { return in[0].index({in[1]}); });
  }
}

std::optional<Expression> draw_product(Draw& draw, const Expression& x, const Sizes& sizes) {
  if (sizes.size() != 2 || draw.largest(x) > 64 || sizes[0] * sizes[0] > draw.most) return {};
  return apply("{0}.matmul({0}.transpose(0, 1))", {x},
               [](const In& in) { return in[0].matmul(in[0].transpose(0, 1)); });
}

std::optional<Expression> draw_result(Draw& draw, const Expression& x) {
  const Sizes sizes = draw.look(x).sizes();
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (rank == 0 || draw.chance(4)) return draw_unary(draw, x);
  const std::int64_t dim = draw.below(rank);
  switch (draw.below(6)) {
    case 0:
      return draw_reduction(draw, x, dim, sizes[static_cast<std::size_t>(dim)]);
    case 1:
      return draw_rearranged(draw, x, dim, sizes);
    case 2:
      return draw_product(draw, x, sizes);
    default:
      return draw_binary(draw, x);
  }
}

}  // namespace

std::optional<Expression> draw_partner(Draw& draw, const Expression& x, bool to_its_shape) {
  const Sizes sizes = draw.look(x).sizes();
  for (int attempt = 0; attempt < 6; ++attempt) {
    Expression y = draw.chance(2) ? draw.variable() : x;
    if (draw.chance(2)) y = draw_view(draw, y);
    try {
      if (broadcasts(draw.look(y).sizes(), sizes, to_its_shape)) return y;
    } catch (const TensorError&) {  // a view that cannot be
    }
  }
  return {};
}

std::optional<Expression> draw_operation(Draw& draw) {
  const Expression x = draw.variable();
  if (!draw.is_moderate(x)) return {};
  auto result = draw_result(draw, x);
  // Of others than contiguous operands nobody promises how the result lies in memory, which as_strided()
  // would see.
  if (result) result = call(*result, "contiguous", &Tensor::contiguous);
  return result;
}

}  // namespace lectern::test
