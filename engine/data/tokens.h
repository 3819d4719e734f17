#pragma once

#include <cstdint>
#include <functional>

#include "data/array_file.h"
#include "data/batches.h"
#include "tensor/generator.h"

namespace lectern {

/// A sequence of integers: a 1-d integer tensor on the CPU, or a file of one. Nothing is copied.
class Tokens {
 public:
  /// A TensorError unless it is one.
  Tokens(const Tensor& tokens);
  /// An Error unless the array is one.
  Tokens(const ArrayFile& file);

  std::int64_t size() const { return size_; }
  /// The tokens in [begin, begin + count), which must exist, as int64.
  void read(std::int64_t begin, std::int64_t count, std::int64_t* to) const { read_(begin, count, to); }

 private:
  std::int64_t size_ = 0;
  std::function<void(std::int64_t begin, std::int64_t count, std::int64_t* to)> read_;
};

/// A language model's inputs and targets, int64 [batch, time]: each position's target is the next token.
struct TokenBatch {
  Tensor inputs, targets;
};

/// Sequences with uniformly random starts, drawn by randint(tokens.size() - sequence_length, {batch_size}).
/// In pinned memory if there is a GPU, so that to("cuda", true) is asynchronous. A TensorError unless there
/// are more tokens than sequence_length. O(batch_size · sequence_length), whatever the number of tokens.
TokenBatch get_batch(const Tokens& tokens, std::int64_t batch_size, std::int64_t sequence_length,
                     Generator* generator = nullptr);

/// An endless source of these, {inputs, targets}, with its own generator.
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
