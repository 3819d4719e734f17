#include "ops/rotary.h"

#include <string>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "device/counters.h"
#include "ops/compute_dtype.h"
#include "ops/devices.h"
#include "ops/elementwise.h"
#include "ops/index.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

constexpr std::string_view kRotary = "rotary_embedding";

void check_rotary(const Tensor& x, const Tensor& table, const Tensor& input_pos) {
  check_floating(kRotary, x.dtype());
  check_same_device(kRotary, x, table);
  if (x.dim() != 4)
    throw TensorError(kRotary, "x", "of shape [batch, time, heads, dim]", to_string(x.sizes()));
  const std::int64_t time = x.size(1), pairs = x.size(3) / 2;
  if (table.dim() != 3 || table.size(1) != pairs || table.size(2) != 2 || x.size(3) % 2 != 0) {
    throw TensorError(kRotary, "table",
                      "of shape [positions, dim / 2, 2] for x of shape " + to_string(x.sizes()),
                      to_string(table.sizes()));
  }
  if (!input_pos.defined()) {
    if (time <= table.size(0)) return;
    throw TensorError(kRotary, "the time", "at most the table's positions, " + std::to_string(table.size(0)),
                      std::to_string(time));
  }
  if (input_pos.sizes() != Sizes{time} && input_pos.sizes() != Sizes{x.size(0), time}) {
    throw TensorError(kRotary, "input_pos",
                      "of shape [" + std::to_string(time) + "], or of that for each of the batch",
                      to_string(input_pos.sizes()));
  }
}

/// The part of the table for each position: [1 or batch, time, 1, pairs, 2].
Tensor angles_of(const Tensor& x, const Tensor& table, const Tensor& input_pos) {
  const Tensor part =
      input_pos.defined() ? index_select(table, 0, input_pos.reshape({-1})) : table.narrow(0, 0, x.size(1));
  return part.reshape({-1, x.size(1), 1, table.size(1), 2});
}

/// Counterclockwise, or `back`.
Tensor turned(const Tensor& x, const Tensor& angles, bool back) {
  const Tensor out = uncounted([&] {
    const Dtype common = compute_dtype(x.dtype());
    const Tensor pairs = x.to(common).unflatten(-1, {-1, 2}), turns = angles.to(common);
    const Tensor first = pairs.select(-1, 0), second = pairs.select(-1, 1);
    const Tensor cosine = turns.select(-1, 0);
    const Tensor sine = back ? -turns.select(-1, 1) : turns.select(-1, 1);
    const Tensor result = empty(x.sizes(), {.dtype = x.dtype(), .device = x.device()});
    const Tensor to = result.unflatten(-1, {-1, 2});
    to.select(-1, 0).copy_((first * cosine).sub_(second * sine));
    to.select(-1, 1).copy_((second * cosine).add_(first * sine));
    return result;
  });
  count(3 * x.numel(), bytes_in_memory(x) + bytes_in_memory(angles) + out.nbytes());
  return out;
}

}  // namespace

Tensor rotary_table(std::int64_t max_seq_len, std::int64_t dim, double base, const TensorOptions& options) {
  if (dim <= 0 || dim % 2 != 0)
    throw TensorError("rotary_table", "dim", "even and more than 0", std::to_string(dim));
  if (max_seq_len < 0)
    throw TensorError("rotary_table", "max_seq_len", "0 or more", std::to_string(max_seq_len));
  const Dtype common = compute_dtype(options.dtype.value_or(float32));
  const TensorOptions value_options{.dtype = common, .device = options.device};
  const Tensor exponents = arange(0, dim, 2, value_options) / static_cast<double>(dim);
  const Tensor frequencies = 1 / pow(base, exponents);
  const Tensor angles = arange(0, max_seq_len, 1, value_options).unsqueeze(1) * frequencies;
  const Tensor table = empty({max_seq_len, dim / 2, 2}, value_options);
  table.select(-1, 0).copy_(cos(angles));
  table.select(-1, 1).copy_(sin(angles));
  return table.to(options.dtype.value_or(float32));
}

Tensor rotary_embedding(const Tensor& x, const Tensor& table, const Tensor& input_pos) {
  check_rotary(x, table, input_pos);
  const Tensor angles = uncounted([&] { return angles_of(x, table.detach(), input_pos); });
  if (input_pos.defined()) count(0, bytes_in_memory(input_pos));
  return autograd::recorded(
      kRotary, {&x}, [&] { return turned(x, angles, false); },
      [&] {
        return autograd::formula(
            [](const Tensor& grad, const Tensor& kept) { return turned(grad, kept, true); }, Saved(angles));
      });
}

}  // namespace lectern
