#include "ops/counting_loops.h"

#include <utility>

namespace lectern::test {

Array::Array(const Tensor& tensor)
    : sizes_(tensor.sizes()),
      strides_(tensor.strides()),
      element_size_(tensor.element_size()),
      memory_(std::make_shared<Memory>()) {
  const auto elements = static_cast<std::size_t>(extent(sizes_, strides_).value());
  *memory_ = {std::vector<double>(elements), std::vector<bool>(elements), std::vector<bool>(elements)};
  for_each_index(sizes_, [&](const Sizes& index) { memory_->numbers[place(index)] = number(tensor, index); });
}

Array::Array(const Sizes& sizes, std::int64_t element_size)
    : sizes_(sizes),
      strides_(contiguous_strides(sizes)),
      element_size_(element_size),
      memory_(std::make_shared<Memory>()) {
  const auto elements = static_cast<std::size_t>(checked_numel("array", sizes));
  *memory_ = {std::vector<double>(elements), std::vector<bool>(elements), std::vector<bool>(elements)};
}

std::size_t Array::place(const Sizes& index) const {
  const std::size_t lead = index.size() - sizes_.size();
  std::int64_t place = 0;
  for (std::size_t d = 0; d < sizes_.size(); ++d) {
    if (sizes_[d] != 1) place += index[lead + d] * strides_[d];
  }
  return static_cast<std::size_t>(place);
}

Counted Array::operator[](const Sizes& index) const {
  const std::size_t at = place(index);
  if (!memory_->read[at]) looped.bytes += element_size_;
  memory_->read[at] = true;
  return {memory_->numbers[at]};
}

void Array::set(const Sizes& index, Counted number) const {
  const std::size_t at = place(index);
  if (!memory_->written[at]) looped.bytes += element_size_;
  memory_->written[at] = true;
  memory_->numbers[at] = number.value;
}

Counted Array::picked(const Sizes& index) const {
  looped.bytes += element_size_;
  return {value(index)};
}

void Array::put(const Sizes& index, Counted number) const {
  looped.bytes += element_size_;
  memory_->numbers[place(index)] = number.value;
}

Array Array::again() const {
  Array fresh = *this;
  const std::size_t elements = memory_->numbers.size();
  fresh.memory_ = std::make_shared<Memory>(
      Memory{memory_->numbers, std::vector<bool>(elements), std::vector<bool>(elements)});
  return fresh;
}

Array Array::transposed(std::size_t a, std::size_t b) const {
  Array view = *this;
  std::swap(view.sizes_[a], view.sizes_[b]);
  std::swap(view.strides_[a], view.strides_[b]);
  return view;
}

Array Array::viewed(const Sizes& sizes) const {
  Array view = *this;
  view.sizes_ = sizes;
  view.strides_ = contiguous_strides(sizes);
  return view;
}

Sizes without(Sizes index, std::size_t dim) {
  index.erase(dim);
  return index;
}

Sizes with(Sizes index, std::size_t dim, std::int64_t at) {
  index.insert(dim, at);
  return index;
}

Array sum_along(const Array& x, std::size_t dim) {
  return folded(x, dim, {0}, [](Counted sum, Counted number) { return sum + number; });
}

Array product(const Array& left, const Array& right) {
  const Array a = left.again(), b = right.again(), out = Array::made({a.sizes()[0], b.sizes()[1]});
  for_each_index(out.sizes(), [&](const Sizes& at) {
    Counted sum;
    for (std::int64_t k = 0; k < a.sizes()[1]; ++k) sum = sum + a[{at[0], k}] * b[{k, at[1]}];
    out.set(at, sum);
  });
  return out;
}

Array copied(const Array& x) {
  return each([](Counted number) { return number; }, x);
}

void expect_numbers(const Tensor& tensor, const Array& expected) {
  ASSERT_EQ(tensor.sizes(), expected.sizes());
  for_each_index(tensor.sizes(), [&](const Sizes& index) {
    EXPECT_NEAR(number(tensor, index), expected.value(index), 1e-5) << "at " << to_string(index);
  });
}

}  // namespace lectern::test
