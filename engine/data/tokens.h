#pragma once

#include <cstdint>
#include <functional>

#include "data/array_file.h"
#include "data/batches.h"
#include "tensor/generator.h"

namespace lectern {

/// A sequence of integers: a vector of an integer dtype on the CPU, or a file of one. Nothing is copied.
class Tokens {
 public:
  /// A TensorError unless it is one.
  Tokens(const Tensor& tokens);
  /// An Error unless the array is one.
  Tokens(const ArrayFile& file);

  std::int64_t size() const { return size_; }
  /// Those from `begin` to `begin + count` - 1, which are there, as int64.
  void read(std::int64_t begin, std::int64_t count, std::int64_t* to) const { read_(begin, count, to); }

 private:
  std::int64_t size_ = 0;
  std::function<void(std::int64_t begin, std::int64_t count, std::int64_t* to)> read_;
};

/// Inputs and targets of a language model, int64 [batch, time]: the target of a position is the token that
/// follows it.
struct TokenBatch {
  Tensor inputs, targets;
};

/// Sequences that begin anywhere, each place as likely as any other: the starts are drawn by
/// randint(tokens.size() - sequence_length, {batch_size}). In pinned memory where there is a GPU, so that
/// to("cuda", true) copies while the host goes on. A TensorError when the tokens are not more than a
/// sequence. O(batch_size · sequence_length), whatever the tokens' number.
TokenBatch get_batch(const Tokens& tokens, std::int64_t batch_size, std::int64_t sequence_length,
                     Generator* generator = nullptr);

/// The same batch after batch, {inputs, targets}, from a generator of its own.
class RandomTokenBatches : public BatchSource {
 public:
  RandomTokenBatches(Tokens tokens, std::int64_t batch_size, std::int64_t sequence_length,
                     std::uint64_t seed);

  std::vector<Tensor> next() override;
  StateDict state_dict() const override;
  void load_state_dict(const StateDict& state) override;

 private:
  Tokens tokens_;
  std::int64_t batch_size_, sequence_length_;
  Generator generator_;
};

}  // namespace lectern
