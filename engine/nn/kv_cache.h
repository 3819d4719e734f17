#pragma once

#include <cstdint>

#include "ops/attention.h"
#include "tensor/creation.h"

namespace lectern::nn {

/// The keys and values of the tokens so far, for one attention layer: a new token attends to them without
/// computing them again, in O(tokens) instead of O(tokens²). Memory: 2 · batch · heads · max_seq_len ·
/// head_dim elements. For inference: it records no gradients.
class KeyValueCache {
 public:
  /// `heads` are those of keys and values, fewer than the query's for grouped queries. A TensorError for
  /// negative sizes.
  KeyValueCache(std::int64_t batch, std::int64_t heads, std::int64_t max_seq_len, std::int64_t head_dim,
                const TensorOptions& options = {});

  /// Appends those of more tokens, [batch, heads, time, head_dim], converted as copy_() does; views of all so
  /// far are keys() and values(). A TensorError when they don't fit.
  void append(const Tensor& key, const Tensor& value);
  /// Appends, and lets the new tokens' query [batch, n heads, time, head_dim] attend to all before it and to
  /// itself: [batch, n heads, time, head_dim]. After an error the tokens are as before.
  Tensor attend(const Tensor& query, const Tensor& key, const Tensor& value);
  /// Forgets the tokens from `length` on; a TensorError when there are fewer.
  void truncate(std::int64_t length);

  std::int64_t length() const { return length_; }
  std::int64_t max_seq_len() const { return keys_.size(2); }
  Tensor keys() const { return keys_.narrow(2, 0, length_); }
  Tensor values() const { return values_.narrow(2, 0, length_); }

 private:
  /// Of the tokens after the first `before` ones.
  Tensor attention(const Tensor& query, std::int64_t before) const;

  Tensor keys_, values_;  ///< [batch, heads, max_seq_len, head_dim]
  std::int64_t length_ = 0;
};

}  // namespace lectern::nn
