#include <algorithm>
#include <set>

#include "base/tensor_error.h"
#include "ops/elementwise.h"
#include "ops/tensors.h"
#include "ops/torch_program_draw.h"

namespace lectern::test {
namespace {

/// Without a stride of 0, which both languages refuse, what is written there last is not defined.
bool overlaps_itself_unseen(const Tensor& x) {
  for (std::size_t d = 0; d < x.sizes().size(); ++d) {
    if (x.strides()[d] == 0 && x.sizes()[d] > 1) return false;
  }
  return has_element_twice(x);
}

bool share_an_element(const Tensor& x, const Tensor& y) {
  const std::set<std::int64_t> of_x = places(x), of_y = places(y);
  return std::ranges::any_of(of_x, [&](std::int64_t place) { return of_y.contains(place); });
}

/// PyTorch gets a copy of an operand that lies in the memory of what is changed: there it computes with
/// numbers of which some are changed already.
Change with_operand(Draw& draw, const std::string& text, const Expression& x, const Expression& y,
                    const std::vector<Expression>& more, const Compute& compute, bool in_order) {
  const Tensor target = draw.look(x), operand = draw.look(y);
  std::vector<Expression> operands = {x, y};
  operands.insert(operands.end(), more.begin(), more.end());
  if (!(target.storage() == operand.storage()) || (in_order && x.text == y.text))
    return {apply(text, operands, compute)};
  operands[1].text += ".clone()";
  const bool same = target.sizes() == operand.sizes() && target.strides() == operand.strides() &&
                    target.storage_offset() == operand.storage_offset();
  return {apply(text, operands, compute), (!same || !in_order) && share_an_element(target, operand)};
}

Expression mask_of(const Expression& x) {
  return apply("({0}.detach() > 0)", {x}, [](const In& in) { return in[0].detach() > 0; });
}

std::optional<Change> change_by_itself(Draw& draw, const Expression& x) {
  const double value = static_cast<double>(draw.below(9)) / 2 - 2;
  const std::int64_t what = draw.below(10);
  // PyTorch does it, but fails to find the gradients, or gives a warning.
  const bool fills = what <= 1 || what == 9;
  if (fills && has_element_twice(draw.look(x))) return {};
  switch (what) {
    case 0:
      return Change{call(
          x, "fill_", [](const Tensor& t, double v) { return t.fill_(v); }, value)};
    case 1:
      return Change{call(x, "zero_", &Tensor::zero_)};
    case 2:
      return Change{call(x, "neg_", &Tensor::neg_)};
    case 3:
      if (draw.largest(x) > 4096) return {};
      return Change{call(
          x, "mul_", [](const Tensor& t, double v) { return t.mul_(v); }, value)};
    case 4:
      if (!draw.is_moderate(x)) return {};
      return Change{call(
          x, "add_", [](const Tensor& t, double v) { return t.add_(v); }, value)};
    case 5:
      if (!draw.is_exact(x)) return {};
      return Change{call(x, "relu_", &Tensor::relu_)};
    case 6:
      return Change{call(x, "tanh_", &Tensor::tanh_)};
    case 7:
      if (draw.largest(x) > 64) return {};
      return Change{call(x, "square_", &Tensor::square_)};
    case 8:
      if (!draw.is_exact(x)) return {};
      return Change{apply("{0}.clamp_(-1.5, 2)", {x}, [](const In& in) {
        return in[0].clamp_(std::optional<Scalar>(-1.5), std::optional<Scalar>(2));
      })};
    default:
      if (!draw.is_exact(x)) return {};
      return Change{apply("{0}.masked_fill_({1}, " + text_of(value) + ")", {x, mask_of(x)},
                          [=](const In& in) { return in[0].masked_fill_(in[1], value); })};
  }
}

std::optional<Change> change_elements(Draw& draw, const Expression& x, const Expression& y) {
  if (!draw.is_moderate(y) ||
      (draw.look(x).data_ptr() == draw.look(y).data_ptr() && has_element_twice(draw.look(x))))
    return {};
  switch (draw.below(5)) {
    case 0:
      return with_operand(
          draw, "{0}.copy_({1})", x, y, {}, [](const In& in) { return in[0].copy_(in[1]); }, true);
    case 1:
      return with_operand(
          draw, "{0}.sub_({1})", x, y, {}, [](const In& in) { return in[0].sub_(in[1]); }, true);
    case 2:
      if (draw.largest(x) * draw.largest(y) > 4096) return {};
      return with_operand(
          draw, "{0}.mul_({1})", x, y, {}, [](const In& in) { return in[0].mul_(in[1]); }, true);
    case 3:
      // What is left of a sum that cancels out is 0 or a rounding error, as the order has it.
      if ((draw.look(y).to(float64).abs() < 1e-3).any().item<bool>()) return {};
      return with_operand(
          draw, "{0}.div_({1})", x, y, {}, [](const In& in) { return in[0].div_(in[1]); }, true);
    default:
      return with_operand(
          draw, "{0}.add_({1})", x, y, {}, [](const In& in) { return in[0].add_(in[1]); }, true);
  }
}

/// Rows of x, perhaps one of them several times, which come from y.
std::optional<Change> change_at_positions(Draw& draw, const Expression& x, const Expression& y) {
  const Tensor target = draw.look(x), operand = draw.look(y);
  if (target.dim() == 0 || target.size(0) == 0 || operand.sizes() != target.sizes() || !draw.is_moderate(y) ||
      target.dtype() != operand.dtype() || has_element_twice(target))
    return {};
  const std::int64_t rows = target.size(0);
  switch (draw.below(4)) {
    case 0:
      return with_operand(
          draw, "{0}.index_put_(({2},), {1})", x, y, {draw.positions({rows}, rows)},
          [](const In& in) { return in[0].index_put_({in[2]}, in[1]); }, false);
    case 1:
      return with_operand(
          draw, "{0}.index_put_(({2},), {1}, True)", x, y, {draw.positions({rows}, rows)},
          [](const In& in) { return in[0].index_put_({in[2]}, in[1], true); }, false);
    case 2:
      return with_operand(
          draw, "{0}.index_add_(0, {2}, {1})", x, y, {draw.positions({rows}, rows)},
          [](const In& in) { return in[0].index_add_(0, in[2], in[1]); }, false);
    default:
      return with_operand(
          draw, "{0}.scatter_add_(0, {2}, {1})", x, y, {draw.positions(target.sizes(), rows)},
          [](const In& in) { return in[0].scatter_add_(0, in[2], in[1]); }, false);
  }
}

/// All but the first along a dimension, and all but the last.
std::optional<Change> change_by_neighbours(Draw& draw, const Expression& x) {
  const Tensor whole = draw.look(x);
  if (whole.dim() == 0) return {};
  const std::int64_t dim = draw.below(whole.dim()), size = whole.size(dim);
  if (size < 2) return {};
  const std::int64_t first = draw.below(2);
  const Expression to = call(x, "narrow", &Tensor::narrow, dim, first, size - 1);
  const Expression from = call(x, "narrow", &Tensor::narrow, dim, 1 - first, size - 1);
  return draw.chance(3) ? change_at_positions(draw, to, from) : change_elements(draw, to, from);
}

}  // namespace

std::optional<Change> draw_change(Draw& draw) {
  Expression x = draw.variable();
  try {
    for (std::int64_t views = draw.below(3); views > 0; --views) x = draw_view(draw, x);
    if (overlaps_itself_unseen(draw.look(x))) return {};
    if (draw.chance(3)) return change_by_itself(draw, x);
    if (!draw.is_moderate(x)) return {};
    if (draw.chance(4)) return change_by_neighbours(draw, x);
    const auto y = draw_partner(draw, x, true);
    if (!y) return {};
    return draw.chance(4) ? change_at_positions(draw, x, *y) : change_elements(draw, x, *y);
  } catch (const TensorError&) {  // a view that cannot be
    return {};
  }
}

}  // namespace lectern::test
