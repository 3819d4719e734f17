#include "ops/counting_loops.h"

#include <utility>

namespace lectern::test {

Array::Array(const Tensor& tensor)
    : sizes_(tensor.sizes()),
      strides_(tensor.strides()),
      element_size_(tensor.element_size()),
      memory_(std::make_shared<Memory>()) {
  const std::int64_t elements = extent(sizes_, strides_).value();
  const auto count = static_cast<std::size_t>(elements);
  const Tensor numbers =
      tensor.detach().as_strided({elements}, {1}, tensor.storage_offset()).to(cpu, float64);
  const auto* const first = numbers.data<double>();
  *memory_ = {std::vector<double>(first, first + count), std::vector<bool>(count), std::vector<bool>(count)};
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

Array Array::reshaped(const Sizes& sizes) const {
  Array view = viewed(sizes);
  if (memory_->numbers.size() == 1) view.strides_ = Sizes::filled(sizes.size(), 0);
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

Sizes with_one(Sizes sizes, std::int64_t dim) {
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (rank > 0) sizes[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)] = 1;
  return sizes;
}

Array whole_sum(const Array& x, const Sizes& whole) {
  return folded(x, whole, {0}, [](Counted sum, Counted number) { return sum + number; });
}

Array sum_along(const Array& x, std::size_t dim) {
  return whole_sum(x, with_one(x.sizes(), static_cast<std::int64_t>(dim))).viewed(without(x.sizes(), dim));
}

Array sum_back(const Array& x, const Sizes& sizes) {
  if (x.sizes() == sizes) return x;
  Sizes whole = sizes;
  while (whole.size() < x.sizes().size()) whole.insert(0, 1);
  const bool is_summed = whole != x.sizes() || x.sizes().size() > sizes.size();
  return (is_summed ? whole_sum(x, whole) : x).viewed(sizes);
}

Array product(const Array& left, const Array& right) {
  const Array a = left.again(), b = right.again();
  const auto rest = [](const Array& x) { return leading(x.sizes(), x.sizes().size() - 2); };
  const std::int64_t rows = a.sizes()[a.sizes().size() - 2], inner = a.sizes().back();
  const Array out =
      Array::made(concat(broadcast_sizes("product", rest(a), rest(b)), {rows, b.sizes().back()}));
  const std::size_t row = out.sizes().size() - 2, column = row + 1;
  for_each_index(out.sizes(), [&](const Sizes& at) {
    Counted sum;
    Sizes of_a = at, of_b = at;
    for (std::int64_t k = 0; k < inner; ++k) {
      of_a[column] = k, of_b[row] = k;
      sum = sum + a[of_a] * b[of_b];
    }
    out.set(at, sum);
  });
  return out;
}

Array flattened(const Tensor& x) {
  const Tensor flat = x.detach().reshape({-1});
  return flat.storage() == x.storage() ? Array(flat) : copied(Array(x)).viewed(flat.sizes()).again();
}

Array filled_array(double value, const Sizes& sizes, Dtype dtype) {
  const Array out = Array::made(sizes, dtype);
  for_each_index(sizes, [&](const Sizes& index) { out.set(index, {value}); });
  return out;
}

Array copied(const Array& x) {
  return each([](Counted number) { return number; }, x);
}

void expect_numbers(const Tensor& tensor, const Array& expected) {
  ASSERT_EQ(tensor.sizes(), expected.sizes());
  const Array made(tensor);
  for_each_index(tensor.sizes(), [&](const Sizes& index) {
    const double value = made.value(index), wanted = expected.value(index);
    const bool is_special = !std::isfinite(wanted);
    EXPECT_TRUE(is_special ? std::isnan(wanted) ? std::isnan(value) : value == wanted
                           : std::abs(value - wanted) <= 1e-5 * std::max(1., std::abs(wanted)))
        << value << " instead of " << wanted << " at " << to_string(index);
  });
}

}  // namespace lectern::test
