#include "tensor/creation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/tensor_error.h"
#include "device/allocator.h"
#include "device/counters.h"
#include "device/deterministic.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

constinit thread_local Device thread_device = cpu;

Tensor make(std::string_view operation, const Sizes& sizes, Dtype dtype, Device device) {
  return empty_dense(operation, dtype, device, sizes, contiguous_strides(sizes));
}

Tensor make(std::string_view operation, const Sizes& sizes, const TensorOptions& options,
            Dtype dtype = float32) {
  return make(operation, sizes, options.dtype.value_or(dtype), options.device.value_or(thread_device));
}

/// Dense, its dimensions in the other's order.
Tensor make_like(std::string_view operation, const Tensor& like, const TensorOptions& options) {
  return empty_dense(operation, options.dtype.value_or(like.dtype()), options.device.value_or(like.device()),
                     like.shape(), result_strides(like));
}

/// For arithmetic modulo 2^64, where differences of signed integers would overflow.
constexpr std::uint64_t as_unsigned(std::int64_t value) {
  return static_cast<std::uint64_t>(value);
}

/// Appends the values of a list to `values`. A TensorError unless it has the shape `sizes` from `depth` on.
void flatten(const NestedList& list, const Sizes& sizes, std::size_t depth, std::vector<Scalar>& values) {
  if (list.is_list() != (depth < sizes.size())) {
    throw TensorError("tensor", "numbers and lists are mixed at depth " + std::to_string(depth));
  }
  if (!list.is_list()) {
    values.push_back(list.value());
    return;
  }
  if (static_cast<std::int64_t>(list.items().size()) != sizes[depth]) {
    throw TensorError("tensor", "every list at depth " + std::to_string(depth),
                      "as long as the first, " + std::to_string(sizes[depth]),
                      std::to_string(list.items().size()));
  }
  for (const NestedList& item : list.items()) flatten(item, sizes, depth + 1, values);
}

/// The sizes of the first list at each depth.
Sizes sizes_of(const NestedList& list) {
  Sizes sizes;
  for (const NestedList* at = &list; at->is_list(); at = &at->items().front()) {
    sizes.push_back(static_cast<std::int64_t>(at->items().size()));
    if (at->items().empty()) break;
  }
  return sizes;
}

Dtype dtype_of_value(const Scalar& value) {
  return value.is_real() ? float32 : value.dtype();
}

Dtype dtype_of_values(const std::vector<Scalar>& values) {
  if (values.empty()) return float32;
  Dtype dtype = bool_;
  for (const Scalar& value : values) dtype = promote_types(dtype, dtype_of_value(value));
  return dtype;
}

template <typename T>
T converted(const Scalar& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.to_bool();
  } else if constexpr (std::is_integral_v<T>) {
    if (!fits<T>(value)) {
      throw TensorError("tensor", "every number", "in the range of " + std::string(name(dtype_of<T>)),
                        to_string(value));
    }
    return static_cast<T>(value.to_int64());
  } else if constexpr (std::is_same_v<T, double>) {
    return value.to_double();
  } else {
    return T(static_cast<float>(value.to_double()));
  }
}

Tensor filled(const Tensor& tensor, const Scalar& value, const TensorOptions& options) {
  fill_elements(tensor, value);
  return tensor.requires_grad_(options.requires_grad);
}

/// A new tensor to write to; see device/deterministic.h.
Tensor uninitialized(const Tensor& tensor, const TensorOptions& options) {
  if (are_deterministic_algorithms_enabled()) {
    uncounted([&] {
      dispatch(tensor.dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>) {
          fill_elements(tensor, std::numeric_limits<T>::max());
        } else {
          fill_elements(tensor, std::numeric_limits<double>::quiet_NaN());
        }
      });
    });
  }
  return tensor.requires_grad_(options.requires_grad);
}

/// A tensor whose i-th element is value(i): made on the CPU, then moved.
template <typename T, typename Value>
Tensor generate(std::string_view operation, const Sizes& sizes, Dtype dtype, const TensorOptions& options,
                Value&& value) {
  const Tensor made = make(operation, sizes, dtype, cpu);
  const std::int64_t numel = made.numel();
  T* const data = static_cast<T*>(made.data_ptr());
  for (std::int64_t i = 0; i < numel; ++i) data[i] = value(i);
  count(0, made.nbytes());
  const Device device = options.device.value_or(thread_device);
  const Tensor moved =
      device.is_cpu() ? made
                      : uncounted([&] { return copied(operation, made, dtype, device, made.strides()); });
  return moved.requires_grad_(options.requires_grad);
}

/// The value without its fraction.
template <std::integral T>
Scalar truncated(std::string_view operation, std::string_view what, const Scalar& value) {
  if (!fits<T>(value)) {
    throw TensorError(operation, what, "in the range of " + std::string(name(dtype_of<T>)), to_string(value));
  }
  return value.to_int64();
}

[[noreturn]] void throw_backward_range(const std::string& start, const std::string& end,
                                       const std::string& step) {
  throw TensorError("arange", "end lies before start in the direction of step: start " + start + ", end " +
                                  end + ", step " + step);
}

/// How many elements a range has.
std::int64_t range_length(double start, double end, double step) {
  if (!std::isfinite(start) || !std::isfinite(end) || !std::isfinite(step))
    throw TensorError("arange", "start, end and step must be finite");
  const double length = std::ceil((end - start) / step);
  if (length < 0) throw_backward_range(std::to_string(start), std::to_string(end), std::to_string(step));
  if (length >= 9.2e18)
    throw TensorError("arange", "the number of elements", "below 2^63", std::to_string(length));
  return static_cast<std::int64_t>(length);
}

/// The same of integers, which a double may round.
std::int64_t range_length(std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step > 0 ? end < start : start < end)
    throw_backward_range(std::to_string(start), std::to_string(end), std::to_string(step));
  const std::uint64_t distance =
      step > 0 ? as_unsigned(end) - as_unsigned(start) : as_unsigned(start) - as_unsigned(end);
  const std::uint64_t stride = step > 0 ? as_unsigned(step) : -as_unsigned(step);
  const std::uint64_t length = distance / stride + (distance % stride != 0 ? 1 : 0);
  if (length > as_unsigned(std::numeric_limits<std::int64_t>::max()))
    throw TensorError("arange", "the number of elements", "below 2^63", std::to_string(length));
  return static_cast<std::int64_t>(length);
}

}  // namespace

Device default_device() {
  return thread_device;
}

void set_default_device(Device device) {
  allocator(device);
  thread_device = device;
}

Tensor tensor(const NestedList& values, const TensorOptions& options) {
  const Sizes sizes = sizes_of(values);
  std::vector<Scalar> scalars;
  flatten(values, sizes, 0, scalars);
  const Dtype dtype = options.dtype.value_or(dtype_of_values(scalars));
  return dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return generate<T>("tensor", sizes, dtype, options,
                       [&](std::int64_t i) { return converted<T>(scalars[static_cast<std::size_t>(i)]); });
  });
}

Tensor empty(const Sizes& sizes, const TensorOptions& options) {
  return uninitialized(make("empty", sizes, options), options);
}

Tensor zeros(const Sizes& sizes, const TensorOptions& options) {
  return filled(make("zeros", sizes, options), 0, options);
}

Tensor ones(const Sizes& sizes, const TensorOptions& options) {
  return filled(make("ones", sizes, options), 1, options);
}

Tensor full(const Sizes& sizes, const Scalar& value, const TensorOptions& options) {
  return filled(make("full", sizes, options, dtype_of_value(value)), value, options);
}

Tensor empty_like(const Tensor& like, const TensorOptions& options) {
  return uninitialized(make_like("empty_like", like, options), options);
}

Tensor zeros_like(const Tensor& like, const TensorOptions& options) {
  return filled(make_like("zeros_like", like, options), 0, options);
}

Tensor ones_like(const Tensor& like, const TensorOptions& options) {
  return filled(make_like("ones_like", like, options), 1, options);
}

Tensor full_like(const Tensor& like, const Scalar& value, const TensorOptions& options) {
  return filled(make_like("full_like", like, options), value, options);
}

Tensor arange(const Scalar& end, const TensorOptions& options) {
  return arange(0, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step, const TensorOptions& options) {
  const bool whole = !start.is_real() && !end.is_real() && !step.is_real();
  const Dtype dtype = options.dtype.value_or(whole ? int64 : float32);
  if (dtype == bool_) throw TensorError("arange", "dtype", "a number's", "bool");
  const bool truncates = !whole && !is_floating_point(dtype);
  const auto whole_part = [&](std::string_view what, const Scalar& value) {
    return truncates ? truncated<std::int64_t>("arange", what, value) : value;
  };
  const Scalar first = whole_part("start", start), stride = whole_part("step", step);
  if (stride.to_double() == 0) throw TensorError("arange", "step", "other than 0", "0");
  const bool counts_integers = whole || dtype == int64;  // PyTorch counts the elements of others as of reals
  const std::int64_t count =
      counts_integers ? range_length(first.to_int64(), whole_part("end", end).to_int64(), stride.to_int64())
                      : range_length(start.to_double(), end.to_double(), step.to_double());
  return dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    // Every element is first + i·stride, in the accumulation type, so that errors do not accumulate.
    return generate<T>("arange", {count}, dtype, options, [&](std::int64_t i) {
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(as_unsigned(first.to_int64()) +
                              as_unsigned(i) * as_unsigned(stride.to_int64()));
      } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, float>) {
        return static_cast<T>(first.to_double() + static_cast<double>(i) * stride.to_double());
      } else {
        return T(static_cast<float>(first.to_double()) +
                 static_cast<float>(i) * static_cast<float>(stride.to_double()));
      }
    });
  });
}

Tensor linspace(const Scalar& start, const Scalar& end, std::int64_t steps, const TensorOptions& options) {
  if (steps < 0) throw TensorError("linspace", "steps", "0 or more", std::to_string(steps));
  const Dtype dtype = options.dtype.value_or(float32);
  if (dtype == bool_) throw TensorError("linspace", "dtype", "a number's", "bool");
  return dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    // From both ends to the middle, so that both ends are exact.
    using Work = std::conditional_t<std::is_integral_v<T> || std::is_same_v<T, double>, double, float>;
    const auto bound = [](std::string_view what, const Scalar& value) {
      if constexpr (std::is_integral_v<T>)
        return static_cast<Work>(truncated<T>("linspace", what, value).to_double());
      else
        return static_cast<Work>(value.to_double());
    };
    const Work first = bound("start", start), last = bound("end", end);
    const Work step = steps > 1 ? (last - first) / static_cast<Work>(steps - 1) : Work(0);
    return generate<T>("linspace", {steps}, dtype, options, [&](std::int64_t i) {
      const Work value = i < steps / 2 || steps == 1 ? first + step * static_cast<Work>(i)
                                                     : last - step * static_cast<Work>(steps - 1 - i);
      return static_cast<T>(value);
    });
  });
}

Tensor eye(std::int64_t n, std::optional<std::int64_t> m, const TensorOptions& options) {
  const Sizes sizes{n, m.value_or(n)};
  const Tensor made = make("eye", sizes, options);
  fill_elements(made, 0);
  const std::int64_t ones = std::min(sizes[0], sizes[1]);
  fill_elements(made.alias({ones}, {sizes[1] + 1}, 0), 1);
  return made.requires_grad_(options.requires_grad);
}

Tensor from_blob(void* data, const Sizes& sizes, std::function<void()> owner, const TensorOptions& options) {
  const Dtype dtype = options.dtype.value_or(float32);
  const Tensor made(Storage(data, checked_nbytes("from_blob", dtype, sizes), options.device.value_or(cpu),
                            std::move(owner)),
                    dtype, sizes, contiguous_strides(sizes));
  return made.requires_grad_(options.requires_grad);
}

}  // namespace lectern
