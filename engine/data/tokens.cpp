#include "data/tokens.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/tensor_error.h"
#include "checkpoint/random_state.h"
#include "device/cuda.h"
#include "ops/random.h"
#include "tensor/creation.h"
#include "tensor/layout.h"

namespace lectern {
namespace {

using Read = std::function<void(std::int64_t, std::int64_t, std::int64_t*)>;

/// Reads elements of type T, possibly unaligned; `owner` keeps them alive.
template <typename T, typename Owner>
Read reader(const void* data, Owner owner) {
  return [from = static_cast<const std::byte*>(data), owner = std::move(owner)](
             std::int64_t begin, std::int64_t count, std::int64_t* to) {
    for (std::int64_t i = 0; i < count; ++i) {
      T token;
      std::memcpy(&token, from + (begin + i) * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
      to[i] = std::int64_t{+token};
    }
  };
}

/// Null for a dtype that is not an integer type.
template <typename Owner>
Read make_reader(FileDtype dtype, const void* data, const Owner& owner) {
  if (dtype == FileDtype::uint16) return reader<std::uint16_t>(data, owner);
  if (dtype == FileDtype::uint32) return reader<std::uint32_t>(data, owner);
  return dispatch(*tensor_dtype(dtype), [&](auto tag) -> Read {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) return reader<T>(data, owner);
    return {};
  });
}

/// Pinned if there is a GPU.
Tensor pinned(const Tensor& tokens) {
  return cuda::is_available() ? tokens.pin_memory() : tokens;
}

}  // namespace

Tokens::Tokens(const Tensor& tokens) : size_(tokens.dim() == 1 ? tokens.size(0) : 0) {
  const bool is_vector = tokens.dim() == 1 && tokens.device().is_cpu() && !tokens.is_floating_point();
  if (is_vector && tokens.dtype() != bool_) {
    const Tensor contiguous = tokens.contiguous();
    read_ = make_reader(file_dtype(name(tokens.dtype())), contiguous.data_ptr(), contiguous);
  }
  if (read_) return;
  throw TensorError("tokens", "the tensor", "a vector of integers on the CPU", described(tokens));
}

Tokens::Tokens(const ArrayFile& file) : size_(file.sizes().size() == 1 ? file.sizes()[0] : 0) {
  if (file.sizes().size() == 1) read_ = make_reader(file.dtype(), file.data(), file);
  if (read_) return;
  throw Error(Place{file.name()}, "tokens are a vector of integers, not " + std::string(name(file.dtype())) +
                                      " of shape " + to_string(file.sizes()));
}

TokenBatch get_batch(const Tokens& tokens, std::int64_t batch_size, std::int64_t sequence_length,
                     Generator* generator) {
  if (batch_size < 1 || sequence_length < 1 || tokens.size() <= sequence_length) {
    throw TensorError("get_batch", "the tokens",
                      "longer than a sequence, with sequences and batches of at least 1",
                      std::to_string(tokens.size()) + " for " + std::to_string(batch_size) +
                          " sequences of " + std::to_string(sequence_length));
  }
  const Tensor starts =
      randint(tokens.size() - sequence_length, {batch_size}, {.dtype = int64, .device = cpu}, generator);
  const Tensor inputs = empty({batch_size, sequence_length}, {.dtype = int64, .device = cpu});
  const Tensor targets = empty_like(inputs);
  for (std::int64_t i = 0; i < batch_size; ++i) {
    const std::int64_t start = starts.data<std::int64_t>()[i], at = i * sequence_length;
    tokens.read(start, sequence_length, inputs.data<std::int64_t>() + at);
    tokens.read(start + 1, sequence_length, targets.data<std::int64_t>() + at);
  }
  return {pinned(inputs), pinned(targets)};
}

RandomTokenBatches::RandomTokenBatches(Tokens tokens, std::int64_t batch_size, std::int64_t sequence_length,
                                       std::uint64_t seed)
    : tokens_(std::move(tokens)), batch_size_(batch_size), sequence_length_(sequence_length) {
  generator_.manual_seed(seed);
}

std::vector<Tensor> RandomTokenBatches::next() {
  const TokenBatch batch = get_batch(tokens_, batch_size_, sequence_length_, &generator_);
  return {batch.inputs, batch.targets};
}

StateDict RandomTokenBatches::state_dict() const {
  return {{"generator", get_rng_state(generator_)}};
}

void RandomTokenBatches::load_state_dict(const StateDict& state) {
  set_rng_state(generator_, state.at("generator"));
}

}  // namespace lectern
