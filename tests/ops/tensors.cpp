#include "ops/tensors.h"

#include <cstring>
#include <random>

#include "kernels/convert_number.h"

namespace lectern::test {
namespace {

Tensor generated(const Sizes& sizes, Dtype dtype, const std::function<double()>& next) {
  const Tensor made = empty(sizes, {.dtype = dtype, .device = cpu});
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const data = static_cast<T*>(made.data_ptr());
    for (std::int64_t i = 0; i < made.numel(); ++i) data[i] = kernels::convert_number<T>(next());
  });
  return made.to(default_device());
}

}  // namespace

Tensor filled(const Sizes& sizes, Dtype dtype, unsigned seed) {
  std::mt19937 engine(seed);
  return generated(sizes, dtype, [&]() -> double {
    const auto drawn = static_cast<int>(engine() % 17) - 8;
    if (is_floating_point(dtype)) return drawn / 4.0;
    const int whole = drawn % 4;
    return dtype == bool_ || dtype == uint8 ? std::abs(whole) : whole;
  });
}

Tensor counting(const Sizes& sizes) {
  return arange(checked_numel("counting", sizes), {.dtype = int64}).view(sizes);
}

Tensor uniform(const Sizes& sizes, Dtype dtype, unsigned seed) {
  std::mt19937 engine(seed);
  return generated(sizes, dtype, [&] {
    const double high = static_cast<double>(engine() >> 5U), low = static_cast<double>(engine() >> 6U);
    return (high * 0x1p26 + low) * 0x1p-52 - 1;
  });
}

Laid laid_out(unsigned kind, const Sizes& sizes, Dtype dtype, const Make& make) {
  if (kind == 0 || sizes.empty()) return {"contiguous", make(sizes, dtype)};
  if (kind == 1) {
    Sizes reversed = sizes;
    Sizes order = sizes;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      reversed[d] = sizes[sizes.size() - 1 - d];
      order[d] = static_cast<std::int64_t>(sizes.size() - 1 - d);
    }
    return {"reversed", make(reversed, dtype).permute(order)};
  }
  if (kind == 2) {
    Sizes wider = sizes;
    for (std::int64_t& size : wider) size = 2 * size + 1;
    Tensor stepped = make(wider, dtype);
    for (std::size_t d = 0; d < sizes.size(); ++d)
      stepped = stepped.slice(static_cast<std::int64_t>(d), 1, {}, 2);
    return {"stepped", stepped};
  }
  const std::size_t dim = kind == 3 ? 0 : sizes.size() - 1;
  Sizes single = sizes;
  if (single[dim] != 0) single[dim] = 1;
  return {"expanded along " + std::to_string(dim), make(single, dtype).expand(sizes)};
}

std::vector<Laid> layouts(const Sizes& sizes, Dtype dtype, const Make& make) {
  std::vector<Laid> made;
  const unsigned kinds = sizes.empty() ? 1 : kLayouts;
  for (unsigned kind = 0; kind < kinds; ++kind) made.push_back(laid_out(kind, sizes, dtype, make));
  return made;
}

Tensor on_host(const Tensor& tensor) {
  const auto elements = static_cast<std::int64_t>(tensor.storage().nbytes()) / element_size(tensor.dtype());
  return tensor.detach()
      .as_strided({elements}, {1}, 0)
      .cpu()
      .as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

double number(const Tensor& tensor, const Sizes& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * tensor.strides()[d];
  if (tensor.is_cuda()) return number(tensor.as_strided({}, {}, tensor.storage_offset() + at).cpu(), {});
  return dispatch(tensor.dtype(), [&](auto tag) {
    return kernels::convert_number<double>(
        static_cast<const typename decltype(tag)::type*>(tensor.data_ptr())[at]);
  });
}

double rounded(double value, Dtype dtype) {
  return dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      return static_cast<double>(kernels::convert_number<T>(static_cast<std::int64_t>(value)));
    } else {
      return kernels::convert_number<double>(kernels::convert_number<T>(value));
    }
  });
}

void for_each_index(const Sizes& sizes, const std::function<void(const Sizes&)>& visit) {
  for (const std::int64_t size : sizes) {
    if (size == 0) return;
  }
  Sizes index = Sizes::filled(sizes.size(), 0);
  while (true) {
    visit(index);
    std::size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

std::set<std::int64_t> places(const Tensor& tensor) {
  std::set<std::int64_t> all;
  for_each_index(tensor.sizes(), [&](const Sizes& at) {
    std::int64_t place = tensor.storage_offset();
    for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * tensor.strides()[d];
    all.insert(place);
  });
  return all;
}

bool same_bits(const Tensor& left, const Tensor& right) {
  const Tensor a = left.cpu();
  const Tensor b = right.cpu();
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() && a.is_contiguous() && b.is_contiguous() &&
         (a.numel() == 0 ||
          std::memcmp(a.data_ptr(), b.data_ptr(), static_cast<std::size_t>(a.nbytes())) == 0);
}

}  // namespace lectern::test
