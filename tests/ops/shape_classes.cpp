#include "ops/shape_classes.h"

namespace lectern::test {
namespace {

constexpr std::int64_t kLong = 1031, kMany = 300;

}  // namespace

std::vector<Laid> shape_classes(Dtype dtype, const Make& make) {
  std::vector<Laid> classes;
  const auto add = [&](const Sizes& sizes, unsigned kinds) {
    for (unsigned kind = 0; kind < (sizes.empty() ? 1 : kinds); ++kind) {
      Laid laid = laid_out(kind, sizes, dtype, make);
      laid.how += " " + to_string(sizes);
      classes.push_back(std::move(laid));
    }
  };
  add({3, 4}, kLayouts);
  add({2, 3, 4}, kLayouts);
  add({}, 1);
  add({1}, 1);
  add({5}, kLayouts - 1);
  add({3, 1}, kLayouts);
  add({0, 4}, 2);
  add({3, 0}, 1);
  add({2, 1, 3, 2}, 2);
  add({1, kLong}, 1);
  classes.push_back(laid_out(1, {3, 131}, dtype, make));
  return classes;
}

std::vector<LaidPair> broadcast_pairs(Dtype dtype, const Make& make) {
  std::vector<LaidPair> pairs;
  for (const auto& [how, tensor] : shape_classes(dtype, make)) {
    const Sizes& sizes = tensor.sizes();
    const auto add = [&, &name = how, &x = tensor](const Tensor& other) {
      pairs.push_back({name + " and " + to_string(other.sizes()), x, other});
    };
    add(make(sizes, dtype));
    if (sizes.empty()) continue;
    if (tensor.numel() > kMany) continue;
    add(make({sizes.back()}, dtype));
    Sizes column = sizes;
    column[sizes.size() - 1] = 1;
    add(make(column, dtype));
    add(make({}, dtype));
    add(laid_out(3, sizes, dtype, make).tensor);
  }
  const std::pair<Sizes, Sizes> both[] = {{{3, 1}, {4}},    {{2, 1, 4}, {3, 1}}, {{0, 1}, {4}},
                                          {{3, 1}, {1, 0}}, {{}, {2, 3}},        {{1, 1}, {5}}};
  for (const auto& [a, b] : both)
    pairs.push_back({to_string(a) + " and " + to_string(b), make(a, dtype), make(b, dtype)});
  return pairs;
}

bool is_writable(const Tensor& tensor) {
  for (std::size_t d = 0; d < tensor.sizes().size(); ++d) {
    if (tensor.strides()[d] == 0 && tensor.sizes()[d] > 1) return false;
  }
  return true;
}

Tensor leaf_like(const Tensor& tensor) {
  return tensor.detach().requires_grad_();
}

}  // namespace lectern::test
