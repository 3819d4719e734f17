#include "ops/torch_program_draw.h"

#include <algorithm>

#include "autograd/grad_mode.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/tensors.h"

namespace lectern::test {
namespace {

bool is_eighths(const Tensor& x) {
  const Tensor eighths = x * 8;
  return eighths.equal(eighths.floor());
}

}  // namespace

Draw::Draw(std::uint32_t seed, std::int64_t most_elements)
    : most(most_elements), random_(seed), is_large_(most_elements > 1000 && chance(4)) {}

std::int64_t Draw::below(std::int64_t end) {
  return end <= 1 ? 0 : static_cast<std::int64_t>(random_() % static_cast<std::uint32_t>(end));
}

Sizes Draw::sizes() {
  Sizes sizes;
  std::int64_t elements = 1;
  for (std::int64_t rank = below(5); rank > 0; --rank) {
    std::int64_t size = chance(20) ? 0 : 1 + below(4);
    if (is_large_) size = one_of<std::int64_t>({1, 2, 3, 17, 64, 257, 1500});
    if (elements * size > most) continue;
    elements *= size;
    sizes.push_back(size);
  }
  return sizes;
}

Sizes Draw::regrouped(std::int64_t elements) {
  if (elements == 0) return {0, 2};
  Sizes sizes;
  for (std::int64_t rank = below(3); rank > 0; --rank) {
    std::int64_t size = 1 + below(is_large_ ? 40 : 6);
    while (elements % size != 0) --size;
    sizes.push_back(size);
    elements /= size;
  }
  sizes.push_back(chance(4) ? -1 : elements);
  return sizes;
}

Sizes Draw::order(std::int64_t rank) {
  Sizes order;
  for (std::int64_t d = 0; d < rank; ++d) order.insert(static_cast<std::size_t>(below(d + 1)), d);
  return order;
}

Expression Draw::variable() {
  std::vector<std::size_t> defined;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].defined()) defined.push_back(i);
  }
  constexpr std::size_t kNew = 6;
  if (defined.size() > kNew && !chance(3)) defined.erase(defined.begin(), defined.end() - kNew);
  return test::variable(one_of(defined));
}

Expression Draw::positions(const Sizes& sizes, std::int64_t end) {
  const std::int64_t seed = below(1000);
  return apply("positions(" + text_of(sizes) + ", " + text_of(seed) + ", " + text_of(end) + ")", {},
               [=](const In&) { return test::positions(sizes, seed, end); });
}

Tensor Draw::look(const Expression& at) const {
  const NoGradGuard none;
  return at.value(variables).detach();
}

double Draw::largest(const Expression& at) const {
  const Tensor x = look(at);
  return x.numel() == 0 ? 0 : x.abs().amax().item().to_double();
}

bool Draw::is_moderate(const Expression& at) const {
  return largest(at) <= 0x1p20;
}

bool Draw::is_exact(const Expression& at) const {
  return is_moderate(at) && is_eighths(look(at)) &&
         std::ranges::none_of(at.uses, [&](std::size_t used) { return rounded_[used]; });
}

void Draw::follow(const Statement& statement) {
  rounded_.resize(variables.size());
  const std::vector<std::size_t>& uses = statement.expression.uses;
  const std::size_t made = statement.defines ? *statement.defines : uses[0];
  if (!variables[made].defined()) return;
  const bool is_rounded = !is_eighths(variables[made].detach()) ||
                          std::ranges::any_of(uses, [&](std::size_t used) { return rounded_[used]; });
  if (!is_rounded) return;
  rounded_[made] = true;
  if (statement.defines) return;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].defined() && variables[i].storage() == variables[made].storage()) rounded_[i] = true;
  }
}

bool has_element_twice(const Tensor& x) {
  return static_cast<std::int64_t>(places(x).size()) != x.numel();
}

}  // namespace lectern::test
