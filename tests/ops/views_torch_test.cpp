#include <gtest/gtest.h>

#include "ops/index.h"
#include "ops/torch_reference.h"
#include "tensor/creation.h"

// Views, copies and what is written through them, side by side with PyTorch's, with gradients.

namespace lectern {
namespace {

using test::In;
using test::kEvery;
using test::Out;
using test::TorchRow;

class Rows {
 public:
  void add(const std::string& expression, const std::vector<Sizes>& shapes,
           const test::Operation& operation) {
    rows_.push_back({expression, shapes, kEvery, operation});
  }
  void of(const Sizes& sizes, const std::string& expression,
          const std::function<Tensor(const Tensor&)>& operation) {
    add(expression, {sizes}, [=](const In& in) { return Out{operation(in[0])}; });
  }
  void compare() const { test::expect_as_torch(rows_); }

 private:
  std::vector<TorchRow> rows_;
};

TEST(TorchViews, OfShapes) {
  Rows rows;
  rows.of({3, 4}, "a.t()", [](const Tensor& a) { return a.t(); });
  rows.of({3}, "a.t()", [](const Tensor& a) { return a.t(); });
  rows.of({2, 3, 4}, "a.t()", [](const Tensor& a) { return a.t(); });
  rows.of({2, 3, 4}, "a.mT", [](const Tensor& a) { return a.mT(); });
  rows.of({2, 3, 4}, "a.transpose(0, -1)", [](const Tensor& a) { return a.transpose(0, -1); });
  rows.of({2, 3}, "a.transpose(0, 2)", [](const Tensor& a) { return a.transpose(0, 2); });
  rows.of({2, 3, 4}, "a.permute(2, 0, 1)", [](const Tensor& a) { return a.permute({2, 0, 1}); });
  rows.of({2, 3}, "a.permute(0, 0)", [](const Tensor& a) { return a.permute({0, 0}); });
  rows.of({3, 4}, "a.reshape(2, -1)", [](const Tensor& a) { return a.reshape({2, -1}); });
  rows.of({3, 4}, "a.t().reshape(2, 6)", [](const Tensor& a) { return a.t().reshape({2, 6}); });
  rows.of({}, "a.reshape(1, 1)", [](const Tensor& a) { return a.reshape({1, 1}); });
  rows.of({0, 3}, "a.reshape(3, 0)", [](const Tensor& a) { return a.reshape({3, 0}); });
  rows.of({3, 4}, "a.reshape(5, -1)", [](const Tensor& a) { return a.reshape({5, -1}); });
  rows.of({3, 4}, "a.view(2, 6)", [](const Tensor& a) { return a.view({2, 6}); });
  rows.of({3, 4}, "a.view_as(a)", [](const Tensor& a) { return a.view_as(a); });
  rows.of({3, 1}, "a.expand(5, 3, 4)", [](const Tensor& a) { return a.expand({5, 3, 4}); });
  rows.of({3, 1}, "a.expand(-1, 2)", [](const Tensor& a) { return a.expand({-1, 2}); });
  rows.of({3, 2}, "a.expand(3, 4)", [](const Tensor& a) { return a.expand({3, 4}); });
  rows.add("a.expand_as(b)", {{3, 1}, {2, 3, 2}}, [](const In& in) { return Out{in[0].expand_as(in[1])}; });
  rows.of({1, 3, 1}, "a.squeeze()", [](const Tensor& a) { return a.squeeze(); });
  rows.of({1, 3, 1}, "a.squeeze(-1)", [](const Tensor& a) { return a.squeeze(-1); });
  rows.of({1, 3}, "a.squeeze(1)", [](const Tensor& a) { return a.squeeze(1); });
  rows.of({2, 3}, "a.unsqueeze(-1)", [](const Tensor& a) { return a.unsqueeze(-1); });
  rows.of({}, "a.unsqueeze(0)", [](const Tensor& a) { return a.unsqueeze(0); });
  rows.of({2, 3}, "a.unsqueeze(3)", [](const Tensor& a) { return a.unsqueeze(3); });
  rows.of({2, 3, 4}, "a.flatten()", [](const Tensor& a) { return a.flatten(); });
  rows.of({2, 3, 4}, "a.flatten(1)", [](const Tensor& a) { return a.flatten(1); });
  rows.of({}, "a.flatten()", [](const Tensor& a) { return a.flatten(); });
  rows.of({2, 6}, "a.unflatten(1, (2, 3))", [](const Tensor& a) { return a.unflatten(1, {2, 3}); });
  rows.of({2, 6}, "a.unflatten(1, (4, 2))", [](const Tensor& a) { return a.unflatten(1, {4, 2}); });
  rows.of({3, 4}, "a.diagonal(1)", [](const Tensor& a) { return a.diagonal(1); });
  rows.of({3, 4}, "a.diagonal(-2)", [](const Tensor& a) { return a.diagonal(-2); });
  rows.of({2, 3, 4}, "a.diagonal(0, 1, 2)", [](const Tensor& a) { return a.diagonal(0, 1, 2); });
  rows.of({4, 3}, "a.contiguous().as_strided((2, 2), (3, 2), 1)", [](const Tensor& a) {
    return a.contiguous().as_strided({2, 2}, {3, 2}, 1);
  });
  rows.compare();
}

TEST(TorchViews, OfParts) {
  Rows rows;
  rows.of({3, 4}, "a[1]", [](const Tensor& a) { return a[1]; });
  rows.of({3, 4}, "a[3]", [](const Tensor& a) { return a[3]; });
  rows.of({3, 4}, "a.select(1, -1)", [](const Tensor& a) { return a.select(1, -1); });
  rows.of({3, 4}, "a.narrow(1, 1, 2)", [](const Tensor& a) { return a.narrow(1, 1, 2); });
  rows.of({3, 4}, "a.narrow(1, 3, 2)", [](const Tensor& a) { return a.narrow(1, 3, 2); });
  rows.of({3, 4}, "a[:, 1:3]", [](const Tensor& a) { return a.slice(1, 1, 3); });
  rows.of({3, 4}, "a[1:, ::2]", [](const Tensor& a) { return a.index({Slice(1), Slice({}, {}, 2)}); });
  rows.of({2, 3, 4}, "a[..., None, -1]", [](const Tensor& a) { return a.index({ellipsis, none, -1}); });
  rows.of({2, 3}, "a[5:]", [](const Tensor& a) { return a.index({Slice(5)}); });
  rows.of({2, 3}, "a[0, 0, 0]", [](const Tensor& a) { return a.index({0, 0, 0}); });
  rows.compare();
}

TEST(TorchViews, CopiesAndWhatIsWrittenThroughViews) {
  Rows rows;
  const auto changed = [&](const std::string& statement, const std::vector<Sizes>& shapes,
                           const std::function<void(const Tensor& x, const In& in)>& change) {
    rows.add("(lambda x: [x." + statement + ", x][1])(a.clone())", shapes, [=](const In& in) {
      const Tensor x = in[0].clone();
      change(x, in);
      return Out{x};
    });
  };
  rows.of({3, 4}, "a.clone()", [](const Tensor& a) { return a.clone(); });
  rows.of({3, 4}, "a.contiguous()", [](const Tensor& a) { return a.contiguous(); });
  rows.of({3, 4}, "a.detach()", [](const Tensor& a) { return a.detach(); });
  changed("fill_(2)", {{3, 4}}, [](const Tensor& x, const In&) { x.fill_(2); });
  changed("zero_()", {{3, 4}}, [](const Tensor& x, const In&) { x.zero_(); });
  changed("copy_(b)", {{3, 4}, {4}}, [](const Tensor& x, const In& in) { x.copy_(in[1]); });
  changed("copy_(b)", {{3, 4}, {3}}, [](const Tensor& x, const In& in) { x.copy_(in[1]); });
  changed("t().copy_(b)", {{3, 4}, {4, 3}}, [](const Tensor& x, const In& in) { x.t().copy_(in[1]); });
  changed("__setitem__(0, 1)", {{3, 4}}, [](const Tensor& x, const In&) { x[0] = 1; });
  changed("__setitem__(1, b)", {{3, 4}, {4}}, [](const Tensor& x, const In& in) { x[1] = in[1]; });
  changed("__setitem__((slice(None), slice(1, 3)), b)", {{3, 4}, {3, 2}},
          [](const Tensor& x, const In& in) { x.slice(1, 1, 3).copy_(in[1]); });
  changed("__setitem__(torch.tensor([2, 0]), b)", {{3, 4}, {2, 4}}, [](const Tensor& x, const In& in) {
    x.index_put_({tensor({2, 0})}, in[1]);
  });
  changed("__setitem__((slice(None), torch.tensor([3, 1])), 2)", {{3, 4}}, [](const Tensor& x, const In&) {
    x.index_put_({Slice(), tensor({3, 1})}, 2);
  });
  changed("__setitem__(torch.tensor([True, False, True]), 1)", {{3, 4}}, [](const Tensor& x, const In&) {
    x.index_put_({tensor({true, false, true})}, 1);
  });
  changed("diagonal().fill_(1)", {{3, 4}}, [](const Tensor& x, const In&) { x.diagonal().fill_(1); });
  rows.compare();
}

}  // namespace
}  // namespace lectern
